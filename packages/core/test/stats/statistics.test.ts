import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  allenCunneen,
  type Core,
  createCore,
  embeddingSimilarity,
  erlangC,
  mg1ProcessorSharing,
  mmcTimes,
  pearson,
  percentile,
  pollaczekKhinchine,
  Random,
  RunningMoments,
  ravelMultiIndex,
  sampleCategorical,
  varianceShare,
} from '../../src/index.js'
import { relativeGap } from '../builds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const numbers = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 40 })

describe('RunningMoments', () => {
  it('holds the mean and variance of everything seen, however it was split', () => {
    const random = new Random(core, 2)
    const rows = Array.from({ length: 60 }, () => [random.normal(5, 2), random.normal(1000, 0.1), random.uniform()])
    const moments = new RunningMoments(core, 3)
    let at = 0
    for (const n of [7, 1, 20, 2, 30]) {
      moments.update(Float32Array.from(rows.slice(at, at + n).flat()), n)
      at += n
    }
    const column = (j: number): number[] => rows.map((row) => Math.fround(row[j]!))
    const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length
    const means = [0, 1, 2].map((j) => mean(column(j)))
    const variances = [0, 1, 2].map((j) => mean(column(j).map((v) => (v - means[j]!) ** 2)))
    expect(relativeGap(moments.mean(), means)).toBeLessThan(1e-14)
    expect(relativeGap(moments.variance(), variances)).toBeLessThan(1e-12) // 1e4 deviations from 0: 8 digits of 16 are left
    expect(moments.count).toBe(60)
  })

  it.each([
    ['one batch', [4]],
    ['row by row', [1, 1, 1, 1]],
    ['a row, then a batch', [1, 3]],
  ])('has the variance of values far from 0, not of their distance from it: %s', (_, batches) => {
    const moments = new RunningMoments(core, 1)
    const values = [1799, 1800, 1800, 1801]
    let at = 0
    for (const n of batches) {
      moments.update(Float32Array.from(values.slice(at, at + n)), n)
      at += n
    }
    expect(moments.mean()[0]).toBeCloseTo(1800, 9)
    expect(moments.variance()[0]).toBeCloseTo(0.5, 9)
  })

  it('is at mean 0 and variance 1 before the first row, and at the row with variance 0 after it', () => {
    const moments = new RunningMoments(core, 1)
    const out = new Float32Array(1)
    moments.normalise(Float32Array.of(2), out)
    expect(out[0]).toBeCloseTo(2, 6)
    moments.update(Float32Array.of(1800))
    expect([moments.mean()[0], moments.variance()[0]]).toEqual([1800, 0])
    moments.normalise(Float32Array.of(1800), out)
    expect(out[0]).toBe(0)
  })

  it('normalises, within ±10, and leaves NaN as NaN', () => {
    const moments = new RunningMoments(core, 3)
    moments.update(Float32Array.of(0, 2, 5, 2, 4, 5), 2)
    const out = new Float32Array(3)
    moments.normalise(Float32Array.of(1, NaN, 1e9), out)
    expect(Math.abs(out[0]!)).toBeLessThan(1e-3)
    expect(out[1]).toBeNaN()
    expect(out[2]).toBe(10)
  })

  it('continues from a save, and refuses what is damaged', () => {
    const a = new RunningMoments(core, 2)
    const b = new RunningMoments(core, 2)
    a.update(Float32Array.of(1, 2))
    b.load(a.save())
    expect(b.save()).toEqual(a.save())
    expect(() => b.load(new RunningMoments(core, 3).save())).toThrow(
      expect.objectContaining({ code: 'tensor_mismatch' }),
    )
  })

  it('refuses rows that are ragged or not finite and changes nothing', () => {
    const moments = new RunningMoments(core, 2)
    const before = moments.save()
    expect(() => moments.update(Float32Array.of(1, 2, 3), 2)).toThrow(
      expect.objectContaining({ code: 'size_mismatch' }),
    )
    expect(() => moments.update(Float32Array.of(1, NaN))).toThrow(expect.objectContaining({ code: 'not_finite' }))
    expect(moments.save()).toEqual(before)
  })
})

describe('statistics', () => {
  it('percentiles run from the least to the greatest and never fall', () => {
    fc.assert(
      fc.property(numbers, (x) => {
        const values = [0, 10, 50, 90, 100].map((p) => percentile(x, p))
        expect(values[0]).toBe(Math.min(...x))
        expect(values.at(-1)).toBe(Math.max(...x))
        for (let i = 1; i < values.length; i++) expect(values[i]!).toBeGreaterThanOrEqual(values[i - 1]!)
      }),
    )
  })

  it('the median of an even count lies in the middle', () => {
    expect(percentile([4, 1, 3, 2], 50)).toBe(2.5)
  })

  it('refuses a percentile of nothing and one beyond 100', () => {
    expect(() => percentile([], 50)).toThrow(/at least one number/)
    expect(() => percentile([1], 101)).toThrow(/0 … 100/)
  })

  it('Pearson is 1 with itself, −1 with its mirror, 0 with a constant', () => {
    fc.assert(
      fc.property(numbers, (x) => {
        fc.pre(Math.max(...x) - Math.min(...x) > 1e-3)
        expect(pearson(x, x)).toBeCloseTo(1, 9)
        expect(
          pearson(
            x,
            x.map((v) => -3 * v + 7),
          ),
        ).toBeCloseTo(-1, 9)
        expect(
          pearson(
            x,
            x.map(() => 2),
          ),
        ).toBe(0)
      }),
    )
  })

  it('variance shares of parts sum to 1', () => {
    const parts = [
      [1, 5, 2, 8],
      [3, 3, 1, 0],
      [2, 9, 4, 4],
    ]
    const total = parts[0]!.map((_, i) => parts.reduce((sum, part) => sum + part[i]!, 0))
    expect(parts.reduce((sum, part) => sum + varianceShare(part, total), 0)).toBeCloseTo(1, 12)
    expect(varianceShare([1, 2], [4, 4])).toBe(0)
  })

  it('ravels an index row by row and refuses one outside', () => {
    expect(ravelMultiIndex([2, 3], [4, 5])).toBe(13)
    expect(() => ravelMultiIndex([2, 5], [4, 5])).toThrow(expect.objectContaining({ code: 'index_invalid' }))
    expect(() => ravelMultiIndex([2], [4, 5])).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
  })

  it('similarity is 1 for one direction, −1 for opposite ones, and finite for zero vectors', () => {
    expect(embeddingSimilarity([1, 2], [2, 4]).similarity).toBeCloseTo(1, 12)
    expect(embeddingSimilarity([1, 2], [-2, -4]).similarity).toBeCloseTo(-0.5, 12) // distance 1, cosine −1
    expect(embeddingSimilarity([0, 0], [1, 0])).toEqual({ cosine: 0, distance: 0.5, similarity: 0.25 })
  })

  it('samples in proportion to the softmax', () => {
    const random = new Random(core, 4)
    const counts = [0, 0, 0]
    for (let i = 0; i < 20_000; i++) counts[sampleCategorical(core.math, [0, Math.LN2, -800], random.uniform())]!++
    expect(Math.abs(counts[1]! / 20_000 - 2 / 3)).toBeLessThan(0.017) // five standard errors
    expect(counts[2]).toBe(0)
    expect(() => sampleCategorical(core.math, [], 0.5)).toThrow(/at least one logit/)
  })
})

describe('queueing', () => {
  it('Erlang C of one server is its utilisation, and 1 when overloaded', () => {
    for (const load of [0.1, 0.5, 0.99]) expect(erlangC(1, load)).toBeCloseTo(load, 12)
    expect(erlangC(4, 4)).toBe(1)
    expect(erlangC(3, 0)).toBe(0)
  })

  it('agrees with a simulated M/M/3: p99 of waits and sojourns within 4 %', () => {
    const queue = { arrivalRate: 2.2, serviceRate: 1, servers: 3 }
    const random = new Random(core, 8)
    const free = [0, 0, 0]
    const waits: number[] = []
    const sojourns: number[] = []
    let now = 0
    for (let i = 0; i < 400_000; i++) {
      now += random.exponential(1 / queue.arrivalRate)
      const server = free.indexOf(Math.min(...free))
      const start = Math.max(now, free[server]!)
      const service = random.exponential(1)
      free[server] = start + service
      waits.push(start - now)
      sojourns.push(start + service - now)
    }
    const times = mmcTimes(core.math, queue)
    expect(Math.abs(percentile(waits, 99) / times.waitQuantile - 1)).toBeLessThan(0.04)
    expect(Math.abs(percentile(sojourns, 99) / times.sojournQuantile - 1)).toBeLessThan(0.04)
    expect(Math.abs(waits.reduce((a, b) => a + b, 0) / waits.length / times.meanWait - 1)).toBeLessThan(0.04)
  })

  it('keeps the sojourn quantile smooth where its formula divides by zero (c − 1 = offered load)', () => {
    const at = (arrivalRate: number): number =>
      mmcTimes(core.math, { arrivalRate, serviceRate: 1, servers: 3 }).sojournQuantile
    expect(at(2)).toBeCloseTo((at(1.9999) + at(2.0001)) / 2, 6)
  })

  it('reduces to M/M/1 where variability is that of the exponential', () => {
    const mm1 = mmcTimes(core.math, { arrivalRate: 0.7, serviceRate: 1, servers: 1 }).meanWait
    expect(pollaczekKhinchine({ arrivalRate: 0.7, meanService: 1, scvService: 1 })).toBeCloseTo(mm1, 12)
    expect(allenCunneen({ arrivalRate: 0.7, serviceRate: 1, servers: 1, scvArrival: 1, scvService: 1 })).toBeCloseTo(
      mm1,
      12,
    )
  })

  it('waits for ever when it cannot keep up', () => {
    const queue = { arrivalRate: 5, serviceRate: 1, servers: 4 }
    expect(mmcTimes(core.math, queue).sojournQuantile).toBe(Infinity)
    expect(allenCunneen({ ...queue, scvArrival: 1, scvService: 1 })).toBe(Infinity)
    expect(pollaczekKhinchine({ arrivalRate: 2, meanService: 1, scvService: 1 })).toBe(Infinity)
    expect(mg1ProcessorSharing({ arrivalRate: 2, meanWork: 1, capacity: 1 }).meanSojourn).toBe(Infinity)
  })
})
