import { describe, expect, it } from 'vitest'
import {
  type CellFigures,
  cellFigures,
  type PromiseCell,
  type PromiseGate,
  type PromiseRecord,
  perturbationFigures,
  perturbationGates,
  promiseGates,
  strongestOf,
  summarise,
} from '../../src/index.js'

const record = (dollarsPerHour: number, violationPercent: number): PromiseRecord => ({
  ...{ dollarsPerHour, violationPercent, worstHourPercent: 10 * violationPercent },
  ...{ cores: 20 * dollarsPerHour, memoryGiB: 1 },
})

/** A finished cell: what each controller pays and breaks, seed by seed, the same in both parts. */
function cell(
  controllers: Record<string, readonly (readonly [dollars: number, violations: number])[]>,
  { app = 21, load = 'steps' as const, sloFactor = 2, resize = 'in-place' as const, isWithinSeen = true } = {},
): PromiseCell {
  return {
    spec: { appSeed: app, load, sloFactor, resize, seeds: Object.values(controllers)[0]!.map((_, i) => i + 1) },
    ...{ isWithinSeen, tuned: [], strongest: 'resize', shadow: 'resize' },
    trials: Object.entries(controllers).flatMap(([controller, seeds]) =>
      seeds.map(([dollars, violations], i) => ({
        ...{ controller, seed: i + 1 },
        ...{ learning: record(2 * dollars, violations), judged: record(dollars, violations) },
      })),
    ),
  }
}

/** One seed: HPA+VPA at a dollar, the resize rule at 80 cents, ours as given. */
const figures = (dollars: number, violations = 0, options: object = {}): CellFigures =>
  cellFigures(
    cell(
      { 'hpa-vpa': [[1, 0.2]], resize: [[0.8, 0.3]], trimtab: [[dollars, violations]], oracle: [[0.5, 0]] },
      options,
    ),
  )

const gateOf = (cells: readonly CellFigures[], text: string): PromiseGate =>
  promiseGates(cells).find((gate) => gate.text.startsWith(text))!

describe('the strongest', () => {
  const tried = [
    { name: 'cheap', dollars: 1, violations: 0.6 },
    { name: 'fair', dollars: 2, violations: 0.5 },
    { name: 'dear', dollars: 3, violations: 0 },
  ]

  it('is the cheapest within the budget', () => {
    expect(strongestOf(tried, 0.5)).toBe('fair')
    expect(strongestOf(tried, 0.6)).toBe('cheap')
  })

  it('is the one that broke least where nobody keeps the budget', () => {
    expect(strongestOf(tried.slice(0, 2), 0.1)).toBe('fair')
  })
})

describe('figures of a cell', () => {
  it('are means over seeds, with the deviation of dollars', () => {
    const { app, strongest, controllers } = cellFigures(cell({ trimtab: [[0.4, 0.1], [0.6, 0.3]] })) // biome-ignore format: pairs
    expect({ app, strongest }).toEqual({ app: 21, strongest: 'resize' })
    expect(controllers).toHaveLength(1)
    const [ours] = controllers
    expect(ours!.dollars.mean).toBeCloseTo(0.5)
    expect(ours!.dollars.deviation).toBeCloseTo(Math.sqrt(0.02))
    expect(ours!.violations.mean).toBeCloseTo(0.2)
    expect(ours!.worstHour).toBeCloseTo(2)
    expect(ours!.learningDollars).toBeCloseTo(1)
    expect(ours!.learningViolations).toBeCloseTo(0.2)
  })
})

describe('gates', () => {
  it('take dollars over those of HPA+VPA, the strongest rule and the resize rule', () => {
    const cells = [figures(0.6), figures(0.9, 0, { app: 22 })]
    expect(gateOf(cells, 'dollars against tuned hpa-vpa')).toMatchObject({ ours: '0.750', isMet: true, cells: 2 })
    expect(gateOf(cells, 'cells cheaper than tuned hpa-vpa')).toMatchObject({ ours: '100.0 % of cells', isMet: true })
    expect(gateOf(cells, 'dollars against the strongest rule in the worst cell, in place')).toMatchObject({
      ...{ ours: '1.125', isMet: true },
      worst: ['app 22 · steps · SLO 2× · in-place: 1.125', 'app 21 · steps · SLO 2× · in-place: 0.750'],
    })
    expect(gateOf(cells, 'dollars against the tuned resize rule')).toMatchObject({ ours: '0.938', isMet: true })
    expect(gateOf([figures(1.1)], 'cells cheaper')).toMatchObject({ ours: '0.0 % of cells', isMet: false })
  })

  it('promise no dollars at the tightest SLO nor beyond what was seen', () => {
    const cells = [figures(0.6), figures(9, 0, { sloFactor: 1.2 }), figures(9, 0, { isWithinSeen: false })]
    expect(gateOf(cells, 'dollars against tuned hpa-vpa')).toMatchObject({ ours: '0.600', cells: 1 })
  })

  it('promise hardly more than the rule where pods cannot be resized in place, on every load', () => {
    const cells = [
      figures(0.8, 0, { resize: 'restart' }),
      figures(0.9, 0, { resize: 'none', isWithinSeen: false }),
      figures(0.1),
    ]
    expect(gateOf(cells, 'dollars against the strongest rule, restart')).toMatchObject({ ours: '1.063', isMet: false })
    expect(gateOf(cells, 'dollars against the strongest rule in the worst cell, restart')).toMatchObject({
      ...{ ours: '1.125', isMet: true, cells: 2 },
    })
  })

  it('allow a tenth of a point beyond the budget or the rule, everywhere', () => {
    const many = Array.from({ length: 19 }, (_, i) => figures(0.6, 0.6, { app: i }))
    const text = 'violations judged beyond'
    const bad = figures(0.6, 1.01, { isWithinSeen: false, resize: 'none' })
    expect(gateOf([...many, bad], text)).toMatchObject({ ours: '95.0 % of cells', isMet: true, cells: 20 })
    expect(gateOf([...many.slice(1), bad], text)).toMatchObject({ isMet: false })
    const worst = `${text} max(strongest rule's, 0.5 %), worst cell`
    expect(gateOf([...many, bad], worst)).toMatchObject({ ours: '+0.51 points', isMet: false })
    expect(gateOf(many, worst)).toMatchObject({ ours: '+0.10 points', isMet: true })
    expect(gateOf(many, 'violations while learning')).toMatchObject({ isMet: true })
  })

  it('measure violations by the rule where the rule itself breaks the budget', () => {
    const weak = cellFigures(cell({ resize: [[0.8, 3]], trimtab: [[0.5, 3.05]] }))
    expect(gateOf([weak], 'violations judged')).toMatchObject({ isMet: true })
  })

  it('say so when there was nothing to judge', () => {
    expect(promiseGates([]).every(({ isMet, ours }) => isMet === undefined && ours === '–')).toBe(true)
    expect(perturbationGates([]).every(({ isMet }) => isMet === undefined)).toBe(true)
  })
})

describe('the summary of controllers', () => {
  it('holds ratios to HPA+VPA and the strongest rule, and the share of what the oracle saves', () => {
    const [common, rule, ours, oracle] = summarise([figures(0.6), figures(0.8, 0, { app: 22 })])
    expect(common).toMatchObject({ controller: 'hpa-vpa', onCommon: 1, onStrongest: 1.25, strongestIn: 0 })
    expect(rule).toMatchObject({ controller: 'resize', onStrongest: 1, shareOfSaving: 0, strongestIn: 2 })
    expect(ours!.onStrongest).toBeCloseTo(0.875)
    expect(ours!.worstOnStrongest).toBeCloseTo(1)
    expect(ours!.shareOfSaving).toBeCloseTo(0.125 / 0.375)
    expect(oracle!.shareOfSaving).toBe(1)
  })

  it('knows no share without an oracle', () => {
    const [rule] = summarise([cellFigures(cell({ resize: [[1, 0]] }))])
    expect(rule!.shareOfSaving).toBeUndefined()
  })
})

describe('perturbations', () => {
  const of = (...dollars: readonly number[]): CellFigures =>
    cellFigures(
      cell({ resize: dollars.map(() => [1, 0.2] as const), trimtab: dollars.map((each) => [each, 0.1] as const) }),
    )

  it('are small when they move the mean by no more than another seed moves a run', () => {
    const figures = perturbationFigures([of(0.5, 0.7)], [{ name: 'more load', cells: [of(0.6, 0.8)] }], 'trimtab')
    expect(figures.map(({ name }) => name)).toEqual(['as it is', 'more load'])
    expect(figures[0]!.cost.mean).toBeCloseTo(0.6)
    expect(figures[0]!.cost.spread).toBeCloseTo(Math.sqrt(0.02))
    expect(figures[1]!.mostMoved).toBe('app 21 · steps · SLO 2× · in-place: +0.100')
    expect(perturbationGates(figures)[0]).toMatchObject({ wanted: '≤ 0.141', ours: '0.100', isMet: true })
  })

  it('cannot be judged by one seed', () => {
    const figures = perturbationFigures([of(0.5)], [{ name: 'more load', cells: [of(0.6)] }], 'trimtab')
    expect(figures[0]!.cost.spread).toBeUndefined()
    expect(perturbationGates(figures).every(({ isMet }) => isMet === undefined)).toBe(true)
  })

  it('are large when they move it by more, up or down', () => {
    const figures = perturbationFigures([of(0.5, 0.51)], [{ name: 'less load', cells: [of(0.4, 0.41)] }], 'trimtab')
    expect(perturbationGates(figures)[0]).toMatchObject({ isMet: false, worst: ['less load: 0.100'] })
    expect(perturbationGates(figures)[1]).toMatchObject({ isMet: true }) // violations did not move
  })
})
