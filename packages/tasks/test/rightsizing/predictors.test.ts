import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type FitPredictor,
  fitBest,
  generateServerless,
  type RuntimeTable,
  RuntimeTableBuilder,
  STATISTICAL_PREDICTORS,
} from '../../src/rightsizing/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const NO_COUNTERS = new Float64Array(0)
const sample = (configuration: number, seconds: number) => ({ configuration, seconds, counters: NO_COUNTERS })

/** Rows of runtimes; 0 where nothing was measured. */
function tableOf(rows: readonly (readonly number[])[]): RuntimeTable {
  const builder = new RuntimeTableBuilder(['size'])
  const add = (workload: string, c: number, seconds: number) =>
    builder.add({ workload, settings: [`${c}`], seconds, usd: Number.NaN, counters: [] })
  for (const c of rows[0]!.keys()) add('every', c, 1) // fixes the order of the configurations
  for (const [w, row] of rows.entries())
    for (const [c, seconds] of row.entries()) if (seconds > 0) add(`w${w}`, c, seconds)
  const table = builder.build('made up')
  return { ...table, workloads: table.workloads.slice(1) }
}

const predict = (fit: FitPredictor, table: RuntimeTable, ...samples: ReturnType<typeof sample>[]): number[] => {
  const predictor = fit(core, table, 1)
  const { seconds } = predictor.predict(samples)
  predictor.dispose()
  return [...seconds]
}
const { copy, additive, neighbours, factorisation, gaussian } = STATISTICAL_PREDICTORS

describe('copying', () => {
  it('says the geometric mean of the samples everywhere', () => {
    expect(predict(copy, tableOf([[1, 2, 3]]), sample(0, 2), sample(2, 8))).toEqual(
      Array(3).fill(expect.closeTo(4, 12)),
    )
  })
})

describe('the additive model', () => {
  it('is exact where every workload gains alike, gaps included', () => {
    const effects = [4, 2, 1, 0.5]
    const rows = [1, 10, 3].map((level) => effects.map((effect) => level * effect))
    rows[1]![2] = 0
    rows[2]![0] = 0
    expect(predict(additive, tableOf(rows), sample(1, 14))).toEqual([28, 14, 7, 3.5].map((x) => expect.closeTo(x, 6)))
  })

  it('takes a configuration that nobody was measured on for a usual one', () => {
    const [a, , c] = predict(additive, tableOf([[4, 0, 1]]), sample(0, 4))
    expect([a, c]).toEqual([expect.closeTo(4, 9), expect.closeTo(1, 9)])
    expect(predict(additive, tableOf([[4, 0, 1]]), sample(0, 4))[1]).toBeCloseTo(2, 6) // between 4 and 1 in logs
  })
})

describe('nearest neighbours', () => {
  it('follow the workloads of the same shape, whatever their size', () => {
    const flat = [1, 10, 100, 2, 5].map((level) => [level, level, level])
    const steep = [1, 10, 100, 2, 5].map((level) => [level, level / 10, level / 100])
    const [, , last] = predict(neighbours, tableOf([...flat, ...steep]), sample(0, 7), sample(1, 0.7))
    expect(last!).toBeCloseTo(0.07, 3)
  })
})

/** Draws ln seconds = mean + Σ z_r f_r with known directions: the truth for the linear predictors. */
function drawLinear(workloads: number, directions: readonly (readonly number[])[], seed: number): number[][] {
  const random = new Random(core, seed)
  const rows = Array.from({ length: workloads }, () => {
    const loadings = directions.map(() => random.normal())
    return directions[0]!.map((_, c) =>
      core.math.exp(directions.reduce((sum, direction, r) => sum + loadings[r]! * direction[c]!, 0)),
    )
  })
  random.dispose()
  return rows
}

describe('factorisation and the Gaussian', () => {
  const LEVEL = [1, 1, 1, 1, 1, 1]
  const FIRST = [-1.5, -1, -0.5, 0.5, 1, 1.5]
  const SECOND = [1, -1, 0.5, -0.5, 1, -1]

  it.each([
    ['factorisation', factorisation],
    ['gaussian', gaussian],
  ])('%s finds a workload of known directions from as many samples', (_, fit) => {
    const table = tableOf(drawLinear(60, [LEVEL, FIRST, SECOND], 3))
    const truth = LEVEL.map((one, c) => core.math.exp(0.8 * one + 0.7 * FIRST[c]! - 0.5 * SECOND[c]!))
    const samples = [0, 1, 3, 4].map((c) => sample(c, truth[c]!))
    const found = predict(fit, table, ...samples)
    for (const [c, seconds] of truth.entries()) expect(Math.abs(found[c]! / seconds - 1)).toBeLessThan(0.06)
  })

  it('the Gaussian does not explode with gaps', () => {
    const random = new Random(core, 8)
    const rows = drawLinear(17, [LEVEL, FIRST, SECOND], 4).map((row) =>
      row.map((seconds) => (random.uniform() < 0.3 ? 0 : seconds)),
    )
    random.dispose()
    for (const seconds of predict(gaussian, tableOf(rows), sample(0, 1), sample(5, 1), sample(2, 1))) {
      expect(seconds).toBeGreaterThan(0.02)
      expect(seconds).toBeLessThan(50)
    }
  })

  it('the Gaussian is surest of what it was given', () => {
    const predictor = gaussian(core, tableOf(drawLinear(60, [LEVEL, FIRST], 5)), 1)
    const { deviation } = predictor.predict([sample(0, 2)])
    expect(Math.min(...deviation)).toBe(deviation[0])
    expect(deviation[5]!).toBeGreaterThan(2 * deviation[0]!)
  })
})

describe('the default', () => {
  const chosen = (table: RuntimeTable, ...samples: ReturnType<typeof sample>[]) =>
    fitBest(core, table, 1).predict(samples).by

  it('copies where configurations make no difference but chance', () => {
    const random = new Random(core, 2)
    const rows = Array.from({ length: 15 }, () => {
      const level = core.math.exp(random.normal(0, 3))
      return Array.from({ length: 6 }, () => level * core.math.exp(random.normal(0, 0.3)))
    })
    random.dispose()
    expect(chosen(tableOf(rows), sample(0, 1))).toBe('copy')
  })

  it('learns where they do', () => {
    const rows = [1, 10, 3, 5, 8, 2, 20].map((level) => [4, 2, 1, 0.5].map((effect) => level * effect))
    expect(chosen(tableOf(rows), sample(0, 1))).not.toBe('copy')
  })

  it('copies when there is one workload to learn from', () => {
    expect(chosen(tableOf([[4, 2, 1]]), sample(0, 1))).toBe('copy')
  })
})

describe('every predictor', () => {
  const cases = Object.entries({ ...STATISTICAL_PREDICTORS, best: fitBest })

  it.each(cases)('%s gives the same bits twice', (_, fit) => {
    const table = generateServerless(core, { functions: 20, counters: false })
    const once = predict(fit, table, sample(0, 1), sample(3, 0.2))
    expect(predict(fit, table, sample(0, 1), sample(3, 0.2))).toEqual(once)
    expect(once.every((seconds) => seconds > 0 && seconds < Infinity)).toBe(true)
  })

  it.each(cases)('%s scales with the unit of time', (_, fit) => {
    const rows = drawLinear(
      30,
      [
        [1, 1, 1, 1],
        [-1, 0, 0.5, 1],
      ],
      6,
    )
    const scaled = rows.map((row) => row.map((seconds) => 1000 * seconds))
    const seconds = predict(fit, tableOf(rows), sample(1, 0.5), sample(2, 0.6))
    const milliseconds = predict(fit, tableOf(scaled), sample(1, 500), sample(2, 600))
    for (const [c, one] of seconds.entries()) expect(milliseconds[c]! / (1000 * one)).toBeCloseTo(1, 6)
  })

  it.each(cases)('%s refuses samples it cannot use', (_, fit) => {
    const predictor = fit(
      core,
      tableOf([
        [4, 2, 1],
        [8, 3, 1],
      ]),
      1,
    )
    expect(() => predictor.predict([])).toThrow(/needs a measured runtime, got none/)
    expect(() => predictor.predict([sample(3, 1)])).toThrow(/configuration below 3 and seconds > 0, got 3 and 1/)
    expect(() => predictor.predict([sample(0, 0)])).toThrow(/seconds > 0, got 0 and 0/)
    expect(() => predictor.predict([sample(0, Number.NaN)])).toThrow(/got 0 and NaN/)
    expect(() => predictor.predict([sample(0, 1), sample(0, 2)])).toThrow(/given twice/)
    predictor.dispose()
  })

  it.each(cases)('%s refuses to learn from nothing', (_, fit) => {
    const table = { ...tableOf([[4, 2, 1]]), workloads: [] }
    if (fit === copy) return // it learns nothing
    expect(() => fit(core, table, 1)).toThrow(/no workload was measured/)
  })
})
