import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { report } from './churn/report.mjs'

const folder = mkdtempSync(join(tmpdir(), 'tenants-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function run(
  name: string,
  ...more: readonly string[]
): Promise<{ readonly json: ReturnType<typeof JSON.parse>; readonly markdown: string }> {
  const command = fileURLToPath(new URL('./run.mjs', import.meta.url))
  await promisify(execFile)(process.execPath, [command, name, '--scale', 'smoke', '--out', folder, ...more])
  const read = (ending: string): string => readFileSync(join(folder, `${name}.${ending}`), 'utf8')
  return { json: JSON.parse(read('json')), markdown: read('md') }
}

it('the experiment on tenants lists every rule and variant with its figures, and the headroom', async () => {
  const { json, markdown } = await run('tenants')
  const [{ controllers, headroom, gates }] = json.arenas
  const names = controllers.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['demand', 'ensure', 'hpa', 'knative', 'histogram', 'simppo-full', 'corrected', 'default']),
  )
  expect(names.some((name: string) => name.endsWith('-foresight'))).toBe(true)
  for (const { records } of controllers) {
    expect(records).toHaveLength(2)
    for (const { score, violation01, reward } of records) expect(score).toBeCloseTo(reward - 0.3 * violation01, 4)
  }
  expect(Number.isFinite(headroom)).toBe(true)
  expect(gates.length).toBeGreaterThanOrEqual(5)
  expect(markdown).toContain('SIMPPO, full')
}, 300_000)

describe('the experiment on churn', () => {
  it('runs', async () => {
    const { json } = await run('churn')
    expect(json.cells.map(({ method }: { method: string }) => method)).toEqual(['scratch', 'corrected'])
  }, 300_000)

  it('goes on where it was stopped, with what it kept', async () => {
    const keep = join(folder, 'kept')
    const { json } = await run('churn', '--keep', keep)
    const [first, second] = readdirSync(keep)
    rmSync(join(keep, second!)) // stopped before that one
    const kept = JSON.parse(readFileSync(join(keep, first!), 'utf8'))
    kept.result.changes[0].drop01 = 0.125
    writeFileSync(join(keep, first!), JSON.stringify(kept))
    const again = await run('churn', '--keep', keep)
    const drops = json.cells.map((cell: { drop01: number }) => cell.drop01)
    const others = again.json.cells.map((cell: { drop01: number }) => cell.drop01)
    expect(others).toContain(0.125)
    expect(others.filter((drop: number) => drops.includes(drop))).toHaveLength(1)
    expect(readdirSync(keep)).toHaveLength(2)
  }, 300_000)

  it('asks for the paper’s shape: a drop that falls with N, and next to none where all share a policy', () => {
    const cell = (method: string, tenants: number, joined01: number) => ({
      spec: { method, tenants, seed: 0 },
      changes: [
        { change: 5, drop01: joined01, episodesToRecover: 3 },
        { change: -5, drop01: method === 'scratch' ? 1 : joined01, episodesToRecover: 3 }, // not judged from scratch
      ],
    })
    const scale = { methods: ['scratch', 'shared'], changes: [5, -5], episodesBefore: 600, episodesAfter: 100 }
    const teams = [50, 5].map((tenants) => ({ tenants, seeds: [0] }))
    const shown = (scratch: number, shared: number): boolean =>
      report({
        ...{ scaleName: 'gate', scale, teams },
        cells: [
          ...[cell('scratch', 5, 0.12), cell('scratch', 50, scratch)],
          ...[cell('shared', 5, 0.05), cell('shared', 50, shared)],
        ],
      }).isShown
    expect([shown(0.02, 0.005), shown(0.09, 0.005), shown(0.02, 0.03)]).toEqual([true, false, false])
  })
})
