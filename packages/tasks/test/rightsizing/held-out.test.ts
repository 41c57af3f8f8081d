import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  crossValidate,
  type FitPredictor,
  finish,
  generateServerless,
  heldOut,
  measuredOn,
  type RuntimeTable,
  RuntimeTableBuilder,
  recommend,
  STATISTICAL_PREDICTORS,
  sampleOf,
  withWorkloads,
} from '../../src/rightsizing/index.js'

let core: Core
let functions: RuntimeTable
beforeAll(async () => {
  core = await createCore()
  functions = generateServerless(core, { functions: 60, counters: false })
})
const { copy, additive, gaussian } = STATISTICAL_PREDICTORS

describe('held-out workloads', () => {
  it('are each held out once, never with a like one in training', () => {
    const seen: string[] = []
    const trainings: (readonly string[])[] = []
    const spy: FitPredictor = (core, training, seed) => {
      trainings.push(training.workloads.map(({ group }) => group))
      return copy(core, training, seed)
    }
    let fold = 0
    for (const list of heldOut(core, functions, spy, { labels: [1], draws: 1 })) {
      for (const { workload } of list) {
        seen.push(workload.name)
        expect(trainings[fold]).not.toContain(workload.group)
      }
      fold++
    }
    expect(fold).toBe(5)
    expect(seen.toSorted()).toEqual(functions.workloads.map(({ name }) => name).toSorted())
  })

  it('are judged on what is measured and not given; more labels contain fewer', () => {
    const [first] = heldOut(core, functions, copy, { labels: [1, 3], draws: 1 })
    for (let i = 0; i < first!.length; i += 2) {
      const [one, three] = [first![i]!, first![i + 1]!]
      expect(three.samples[0]).toEqual(one.samples[0])
      const all = [...three.samples.map(({ configuration }) => configuration), ...three.judged]
      expect(all.toSorted()).toEqual(measuredOn(three.workload))
    }
  })

  it('get the same draws whatever the predictor', () => {
    const drawsOf = (fit: FitPredictor) =>
      [...heldOut(core, functions, fit, { labels: [2] })].flat().map(({ samples, judged }) => ({ samples, judged }))
    expect(drawsOf(gaussian)).toEqual(drawsOf(copy))
  })
})

describe('cross-validation', () => {
  /** Two workloads, one twice as steep: errors that can be told by hand. */
  const builder = new RuntimeTableBuilder(['size'])
  const table = () => {
    for (const [workload, row] of Object.entries({ flat: [1, 1], steep: [1, 2] }))
      for (const [c, seconds] of row.entries())
        builder.add({ workload, settings: [`${c}`], seconds, usd: Number.NaN, counters: [] })
    return builder.build('two')
  }

  it('gives the mean over workloads of |predicted/true − 1|', () => {
    const [score] = finish(crossValidate(core, table(), copy, { labels: [1], draws: 40, repeats: 1 }))
    // flat: 0. steep: 1 for 2 is .5, 2 for 1 is 1
    expect(score!.mape).toBeGreaterThan(0.25)
    expect(score!.mape).toBeLessThan(0.5)
    expect(score!.worst).toBeCloseTo(2 * score!.mape, 12)
    expect(score!.deviation).toBe(0)
  })

  it('leaves out numbers of labels that no workload has', () => {
    const scores = finish(crossValidate(core, table(), copy, { labels: [1, 2, 9], repeats: 1 }))
    expect(scores.map(({ labels }) => labels)).toEqual([1])
  })

  it('tells how far it is after each fold', () => {
    const steps = [...crossValidate(core, functions, copy, { labels: [1], repeats: 2 })]
    expect(steps.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(steps[0]!.total).toBe(10)
  })

  it('orders predictors as functions on AWS do', () => {
    const mapeOf = (fit: FitPredictor) => finish(crossValidate(core, functions, fit, { labels: [1, 3], repeats: 2 }))
    const [copied, added, drawn] = [copy, additive, gaussian].map(mapeOf)
    expect(added![0]!.mape).toBeLessThan(0.4 * copied![0]!.mape)
    expect(drawn![1]!.mape).toBeLessThan(0.6 * added![1]!.mape)
  })

  it.each([
    [{ labels: [] }, /labels must be whole numbers >= 1/],
    [{ labels: [0] }, /labels must be whole numbers >= 1, got 0/],
    [{ labels: [1], folds: 1 }, /folds must be a whole number >= 2, got 1/],
    [{ labels: [1], draws: 0 }, /draws must be a whole number >= 1, got 0/],
  ])('refuses %j', (options, message) => {
    expect(() => finish(crossValidate(core, functions, copy, options))).toThrow(message)
  })

  it('refuses a table of one workload', () => {
    const one = withWorkloads(functions, functions.workloads.slice(0, 1))
    expect(() => finish(crossValidate(core, one, copy, { labels: [1] }))).toThrow(/has one workload/)
  })
})

describe('advice', () => {
  const pool = () => withWorkloads(functions, functions.workloads.slice(0, 50))

  it('holds about as many true runtimes in its intervals as it says', () => {
    let [inside, all] = [0, 0]
    const others = generateServerless(core, { functions: 60, seed: 2, counters: false })
    for (const workload of others.workloads) {
      const samples = [sampleOf(others, workload, 1), sampleOf(others, workload, 4)]
      for (const { index, isMeasured, low, high } of recommend(core, pool(), gaussian, samples).forecasts) {
        if (isMeasured) continue
        all++
        if (low <= workload.seconds[index]! && workload.seconds[index]! <= high) inside++
      }
    }
    expect(all).toBe(240)
    expect(inside / all).toBeGreaterThan(0.82)
    expect(inside / all).toBeLessThan(0.97)
  })

  it('is the cheapest that is fast enough with its whole interval', () => {
    const workload = functions.workloads[55]!
    const samples = [sampleOf(functions, workload, 0), sampleOf(functions, workload, 3)]
    const all = recommend(core, pool(), gaussian, samples)
    const prices = all.forecasts.map(({ usd }) => usd)
    expect(prices).toEqual(prices.toSorted((a, b) => a - b))
    expect(all.best).toBe(all.forecasts[0])

    const maxSeconds = workload.seconds[3]! * 1.0001
    const { best, forecasts } = recommend(core, pool(), gaussian, samples, { maxSeconds })
    expect(best!.high).toBeLessThanOrEqual(maxSeconds)
    for (const one of forecasts) {
      if (one.fit === 'sure') expect(one.usd).toBeGreaterThanOrEqual(best!.usd)
      expect(one.fit).toBe(one.high <= maxSeconds ? 'sure' : one.seconds <= maxSeconds ? 'likely' : 'no')
    }
  })

  it('keeps what was measured', () => {
    const samples = [sampleOf(functions, functions.workloads[55]!, 0)]
    const measured = recommend(core, pool(), copy, samples).forecasts.filter(({ isMeasured }) => isMeasured)
    expect(measured).toHaveLength(1)
    expect([measured[0]!.low, measured[0]!.high]).toEqual([samples[0]!.seconds, samples[0]!.seconds])
  })

  it('names none when nothing is fast enough', () => {
    const samples = [sampleOf(functions, functions.workloads[55]!, 0)]
    expect(recommend(core, pool(), gaussian, samples, { maxSeconds: 1e-6 }).best).toBeUndefined()
  })

  it('is never sure when it learnt from one workload', () => {
    const one = withWorkloads(functions, functions.workloads.slice(0, 1))
    const { best, widest } = recommend(core, one, copy, [sampleOf(functions, functions.workloads[55]!, 0)], {
      maxSeconds: 1e6,
    })
    expect(widest).toBe(Number.POSITIVE_INFINITY)
    expect(best!.fit).toBe('sure') // the measured one
    expect(best!.isMeasured).toBe(true)
  })

  it.each([
    [{ maxSeconds: 0 }, /maxSeconds must be > 0, got 0/],
    [{ confidence: 1 }, /confidence must be in \(0, 1\), got 1/],
  ])('refuses %j', (options, message) => {
    const samples = [sampleOf(functions, functions.workloads[0]!, 0)]
    expect(() => recommend(core, pool(), copy, samples, options)).toThrow(message)
  })
})
