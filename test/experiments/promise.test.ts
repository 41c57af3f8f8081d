import { describe, expect, it } from 'vitest'
import { baseCells, isPerturbed, perturbedCells, readTexts } from './promise/plan.mjs'
import { report } from './promise/report.mjs'
import { SCALES } from './promise.mjs'
import { SCALES as bursting } from './promise-bursting.mjs'

/** Figures of one cell: a dollar by HPA+VPA, 80 cents by the resize rule, ours as given. */
const cell = (dollars: number, changes = {}) => ({
  ...{ app: 21, load: 'steps', sloFactor: 2, resize: 'in-place', seeds: 3, isWithinSeen: true },
  ...{ strongest: 'resize', shadow: 'resize' },
  controllers: Object.entries({ 'hpa-vpa': 1, resize: 0.8, trimtab: dollars, oracle: 0.5 }).map(
    ([controller, mean]) => ({
      ...{ controller, dollars: { mean, deviation: 0.01 }, violations: { mean: 0.1, deviation: 0.02 }, worstHour: 2 },
      ...{ cores: 20 * mean, memoryGiB: 1, learningDollars: mean, learningViolations: 0.2 },
    }),
  ),
  ...changes,
})

const SCALE = { ...SCALES.gate, apps: 1, perturbed: { apps: 1, loads: ['steps'] } }
const CELLS = [
  cell(0.6),
  cell(0.7, { sloFactor: 3 }),
  cell(0.8, { resize: 'restart' }),
  cell(0.8, { resize: 'none', load: 'growth', isWithinSeen: false }),
]
const reported = (changes = {}) =>
  report({
    ...{ scaleName: 'gate', scale: SCALE, cells: CELLS, absent: [] },
    ...{ perturbed: [{ name: '2 % more load', cells: [cell(0.605)] }], ...changes },
  })

describe('the report on the promise', () => {
  it('says of every gate whether it was met', () => {
    const { isShown, markdown } = reported()
    expect(markdown).toMatch(/dollars against tuned hpa-vpa, in place \| mean ≤ 0\.80 \| 0\.650 \| 2 \| met/)
    expect(markdown).toMatch(/in the worst cell, restart or none \| ≤ 1\.15 \| 1\.000 \| 2 \| met/)
    expect(isShown).toBe(true)
    const missed = reported({ cells: [...CELLS, cell(1.2, { app: 22, load: 'office' })] })
    expect(missed.isShown).toBe(false)
    expect(missed.markdown).toMatch(
      /dollars against tuned hpa-vpa, in place \| mean ≤ 0\.80 \| 0\.833 \| 3 \| \*\*MISSED\*\*/,
    )
    expect(missed.markdown).toContain('app 22 · office · SLO 2× · in-place: 1.500')
  })

  it('has a table of controllers with the share of what the oracle saves', () => {
    const { markdown } = reported()
    expect(markdown).toMatch(
      /beside the strongest rule \| 0\.6500 \| 0\.0100 \| 0\.650 \| 0\.81\d \| 0\.875 \| 50 % \| 0\.10 \| 0\.20/,
    )
    expect(markdown).toMatch(/2 % more load \| 0\.756 ± 0\.012/)
  })

  it('says loudly what was not judged', () => {
    const { markdown } = reported({ absent: [{ load: 'nasa', file: '../shared/data/load/nasa.csv' }] })
    expect(markdown).toContain('**NOT JUDGED: the load nasa, `../shared/data/load/nasa.csv` is absent.**')
    const nothing = reported({ cells: CELLS.slice(0, 2) })
    expect(nothing.markdown).toMatch(/restart or none \| mean ≤ 1\.05 \| – \| 0 \| \*\*NOT JUDGED\*\*/)
    expect(nothing.isShown).toBe(false)
  })

  it('is shown in one column of cells by the gates that there are cells for', () => {
    const column = { scale: { ...bursting.gate, apps: 1 }, cells: CELLS.slice(0, 2), perturbed: [] }
    expect(reported(column).isShown).toBe(true)
    expect(reported({ ...column, cells: [...column.cells, cell(1.2, { app: 22 })] }).isShown).toBe(false)
  })

  it('gives each number of the JSON a column', () => {
    const { json } = reported()
    expect(json.cells[0].controllers.trimtab.split(' ')).toHaveLength(json.columns.length)
    expect(json.cells[0].controllers.trimtab).toBe('0.6 0.01 0.1 2 12 1 0.6 0.2')
  })
})

describe('the plan', () => {
  it('of the gate has ten applications that nobody looked at, eight loads, three SLOs in place and one elsewhere', () => {
    const cells = baseCells(SCALES.gate)
    expect(cells).toHaveLength(10 * 8 * (3 + 2))
    expect(Math.min(...cells.map(({ appSeed }) => appSeed))).toBe(21)
    expect(new Set(cells.map((one) => JSON.stringify(one))).size).toBe(cells.length)
    expect(cells.filter((one) => isPerturbed(SCALES.gate, one))).toHaveLength(6)
  })

  it('has one column of cells under the law that was fitted to real pods', () => {
    const cells = baseCells(bursting.gate)
    expect(cells).toHaveLength(10 * 8)
    expect(cells.every((one) => one.law === 'bursting' && one.sloFactor === 2 && one.resize === 'in-place')).toBe(true)
  })

  it('perturbs cells with the rules as they were tuned', () => {
    const spec = { appSeed: 21, load: 'steps', sloFactor: 2, resize: 'in-place', seeds: [1, 2] }
    const tuned = [{ family: 'hpa-vpa' }, { family: 'resize' }]
    const done = [{ spec, tuned, strongest: 'resize', shadow: 'resize' }]
    const [seeds] = perturbedCells(SCALES.gate, done, { ruleSteps: 0, loadScale: 0, seedOffset: 10 })
    expect(seeds).toEqual({ ...spec, seeds: [11, 12], controllers: ['trimtab'], tuned: [{ family: 'resize' }] })
    const [more] = perturbedCells(SCALES.gate, done, { ruleSteps: 0, loadScale: 1.02 })
    expect(more).toMatchObject({ seeds: [1, 2], loadScale: 1.02 })
    expect(
      perturbedCells(SCALES.gate, [{ ...done[0], spec: { ...spec, sloFactor: 3 } }], { ruleSteps: 0, loadScale: 0 }),
    ).toEqual([])
  })

  it('names the measured loads that are absent', () => {
    const { texts, absent } = readTexts(['nasa', 'steps'])
    expect(Object.keys(texts).length + absent.length).toBe(1)
  })
})
