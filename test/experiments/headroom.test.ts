import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { report } from './headroom/report.mjs'

const zeros = {
  ...{ reward: 0, violation01: 0, worstViolation01: 0, p99OverSlo: 1, shares: 128, containers: 1 },
  ...{ coldStartsPerHour: 0, memoryMiB: 256 },
}
const rule = (name: string, knowsLoad: boolean, trainScore: number, scores: readonly number[]) => ({
  ...{ name, label: name, knowsLoad, trainScore, settings: { margin: 1 } },
  records: scores.map((score) => ({ ...zeros, score })),
})
const arena = (name: string, ...rules: ReturnType<typeof rule>[]) => ({ name, label: name, tenants: 5, rules })

describe('the report on headroom', () => {
  const scale = { trainEpisodes: 1, testEpisodes: 1, seeds: [0, 1] }
  const wide = arena(
    'wide',
    rule('a', false, 0.9, [0.5, 0.6]),
    rule('b', false, 0.1, [0.6, 0.7]), // best where it is judged
    rule('b-knows', true, 0.9, [0.65, 0.74]), // best in training
    rule('a-knows', true, 0.8, [0.9, 0.9]),
  )
  const narrow = arena('narrow', rule('a', false, 0.9, [0.8, 0.8]), rule('a-knows', true, 0.9, [0.81, 0.81]))

  it('compares seed by seed, by choices that do not flatter the gain', () => {
    const { json, markdown, isShown } = report({ scaleName: 'gate', scale, results: [wide, narrow] })
    const [first, second] = json.arenas
    expect([first.best, first.clairvoyant, first.gains]).toEqual(['b', 'b-knows', [0.05, 0.04]])
    expect(first.headroom).toBe(0.045)
    expect(second.headroom).toBe(0.01)
    expect(markdown).toContain('| narrow | a | 0.800 ± 0.000 | a-knows | 0.810 ± 0.000 | 0.010 ± 0.000 | control |')
    expect(markdown).toContain('1 of 2 arenas')
    expect(isShown).toBe(false) // two with room are asked for
  })
})

it('the experiment on headroom runs at smoke scale, twice the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-'))
  const command = fileURLToPath(new URL('./run.mjs', import.meta.url))
  const run = async (): Promise<string> => {
    await promisify(execFile)(process.execPath, [command, 'headroom', '--scale', 'smoke', '--out', folder])
    return readFileSync(join(folder, 'headroom.json'), 'utf8')
  }
  const json = await run()
  expect(JSON.parse(json).arenas).toHaveLength(1)
  expect(await run()).toBe(json)
  rmSync(folder, { recursive: true })
}, 300_000)
