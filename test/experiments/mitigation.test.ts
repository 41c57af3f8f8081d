import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { paired, report } from './mitigation/report.mjs'

const run = (arm: string, seed: number, late: number, more: object = {}) => ({
  ...{ arm, app: 'shop', seed, late, violated: 0, failed: 0, tail: 1, limits: 1, cpu: 1, replacements: 0 },
  ...{ brokenSeconds: [6, 0], lastSecond: [8, 0], ...more },
})

describe('the report on mitigation', () => {
  it('compares run by run, not mean with mean', () => {
    const runs = [
      run('a', 0, 0.5),
      run('b', 0, 0.6),
      run('a', 1, 0.1),
      run('b', 1, 0.2),
      run('b', 2, 0.9),
      run('a', 2, 0.8),
    ]
    expect(paired(runs, 'a', 'b')).toEqual({ mean: expect.closeTo(-10, 9), error: expect.closeTo(0, 9) })
  })

  it('counts seconds of anomalies that break something when nobody acts, and says what missed', () => {
    const of = (late: Readonly<Record<string, number>>) =>
      Object.entries(late).flatMap(([arm, value]) => [0, 1].map((seed) => run(arm, seed, value + 0.001 * seed)))
    const probe = of({ aimd: 0.02, hpa: 0.03, localised: 0.01, random: 0.03, truth: 0.01 })
    const standard = of({
      aimd: 0.03,
      hpa: 0.03,
      localised: 0.02,
      replace: 0.021,
      'localised-queue': 0.02,
      default: 0.01,
    })
    const singles = ['none', 'hpa', 'aimd', 'localised', 'localised-queue'].map((arm) =>
      run(arm, 0, 0, arm.startsWith('localised') ? { brokenSeconds: [2, 5] } : {}),
    )
    const scale = {
      apps: ['shop'],
      seeds: [0, 1],
      seconds: 1,
      agentSeeds: [],
      episodes: 0,
      campaigns: {},
      more: { seeds: [2], arms: [] },
      singleSeeds: [0],
    }
    const arms = { probe: ['aimd'], standard: ['aimd'], singles: ['aimd', 'localised'] }
    const { markdown, json, isShown } = report({
      ...{ scaleName: 'gate', scale: { ...scale, arms }, probe, standard, further: [], singles, agents: [] },
    })
    expect(markdown).toContain('| localised | 2.00 | 8.00 |') // not the one that broke nothing
    const missed = json.gates.filter((gate: { isShown: boolean }) => !gate.isShown)
    expect(missed.map(({ text }: { text: string }) => text)).toEqual([expect.stringContaining('drain and replace')])
    expect(isShown).toBe(false)
  })
})

it('the experiment on mitigation runs at smoke scale, twice the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mitigation-'))
  const command = fileURLToPath(new URL('./run.mjs', import.meta.url))
  const once = async (): Promise<string> => {
    await promisify(execFile)(process.execPath, [command, 'mitigation', '--scale', 'smoke', '--out', folder])
    return readFileSync(join(folder, 'mitigation.json'), 'utf8')
  }
  const json = await once()
  expect(JSON.parse(json).gates.length).toBeGreaterThanOrEqual(20)
  expect(await once()).toBe(json)
  rmSync(folder, { recursive: true })
}, 300_000)
