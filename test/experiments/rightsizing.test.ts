import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { pathOf } from './rightsizing/plan.mjs'
import { report } from './rightsizing/report.mjs'

/** A result of one job: errors by number of labels. */
const result = (table: string, predictor: string, repeat: number, errors: Record<number, number>) => ({
  ...{ table, predictor, repeat },
  errors: Object.entries(errors).map(([labels, mape]) => ({ labels: Number(labels), mape })),
})

/** What the generated functions give, whatever the other tables do. */
const functions = (without: number, withMore: number) =>
  ['functions', 'functions with counters'].flatMap((table) => [
    result(table, 'network', 0, { 1: without, 4: 0.1 }),
    result(table, 'embedding 1', 0, { 1: without, 4: withMore }),
  ])

describe('the report on rightsizing', () => {
  const scale = { repeats: 2, functions: 10 }

  it('averages repeats and gives their spread', () => {
    const results = [
      ...functions(0.4, 0.1),
      result('Sizeless apps', 'best', 0, { 1: 0.2, 2: 0.2, 3: 0.2 }),
      result('Sizeless apps', 'best', 1, { 1: 0.4, 2: 0.2, 3: 0.2 }),
      result('Sizeless apps', 'copy', 0, { 1: 0.31, 2: 0.2, 3: 0.15 }),
    ]
    const { json, markdown, isShown } = report({ scaleName: 'gate', scale, results })
    expect(json.figures['Sizeless apps'].best[1]).toEqual({ mape: 0.3, deviation: 0.14142, repeats: 2 })
    expect(markdown).toContain('| 0.300 ± 0.141 | 0.200 ± 0.000 | 0.200 ± 0.000 |')
    const judged = json.gates as { what: string; value: number; holds: boolean }[]
    const gates = Object.fromEntries(judged.map(({ what, value, holds }) => [what, [value, holds]]))
    expect(gates['Sizeless apps, default predictor above copying, 1 label']).toEqual([-0.01, true])
    expect(gates['Sizeless apps, default predictor above copying, 3 labels']).toEqual([0.05, false])
    expect(gates['functions, network with the embedding of 3 more labels lower by']).toEqual([0.75, true])
    expect(isShown).toBe(false) // a gate is missed, and CloudBandit is absent
    expect(markdown).toContain('CloudBandit was not judged')
  })

  it('says which gates are missed', () => {
    const { markdown } = report({ scaleName: 'gate', scale, results: functions(0.4, 0.3) })
    expect(markdown).toMatch(/\| functions, network .* \| 0\.250 \| ≥ 0\.55 \| \*\*missed\*\* \|/)
    expect(markdown).toMatch(/\| functions with counters, .* \| 0\.250 \| ≥ 0\.15 \| holds \|/)
  })
})

describe('the experiment on rightsizing', () => {
  const isReal = existsSync(pathOf('CloudBandit'))
  if (!isReal) notChecked('predictors of runtimes on the published tables', '../shared/data')

  it('runs at smoke scale, and its statistical predictors hold on the real tables', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rightsizing-'))
    const command = fileURLToPath(new URL('./run.mjs', import.meta.url))
    execFileSync(process.execPath, [command, 'rightsizing', '--scale', 'smoke', '--out', folder], { stdio: 'pipe' })
    const { figures, gates } = JSON.parse(readFileSync(join(folder, 'rightsizing.json'), 'utf8'))
    const markdown = readFileSync(join(folder, 'rightsizing.md'), 'utf8')
    rmSync(folder, { recursive: true })
    expect(figures.functions.gaussian[2].mape).toBeLessThan(0.3 * figures.functions.copy[2].mape)
    expect(markdown).toContain('## Gates')
    if (!isReal) {
      expect(markdown).toContain('CloudBandit was not judged')
      return
    }
    const judged = gates.filter(({ what }: { what: string }) => what.includes('default predictor'))
    expect(judged).toHaveLength(10)
    for (const { what, holds } of judged) expect(`${what}: ${holds}`).toBe(`${what}: true`)
  })
})
