import { type Core, createCore } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  cpuBuckets,
  DecayingHistogram,
  exponentialBuckets,
  linearBuckets,
  memoryBuckets,
  UsageHistogram,
} from '../../../src/autoscaling/vpa/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const TENTHS = linearBuckets({ maxValue: 10, bucketSize: 1, epsilon: 1e-15 })
const sample = fc.tuple(fc.double({ min: 0, max: 12, noNaN: true }), fc.integer({ min: 1, max: 1000 }))
const HOUR = 3600

describe('buckets', () => {
  // Sizes 10, 20, 40, 80 start at 0, 10, 30, 70, 150.
  it('grow by their ratio and reach the largest value', () => {
    const buckets = exponentialBuckets(core.math, { maxValue: 100, firstBucketSize: 10, ratio: 2, epsilon: 0.1 })
    expect([...buckets.starts]).toEqual([0, 10, 30, 70, 150])
    expect([-5, 0, 9.99, 10, 29.9, 30, 100, 1e9].map(buckets.find)).toEqual([0, 0, 0, 1, 1, 2, 3, 4])
  })

  it('of CPU and memory cover what Kubernetes covers', () => {
    const { log, pow } = core.math
    for (const [buckets, first, max] of [
      [cpuBuckets(core.math), 0.01, 1000],
      [memoryBuckets(core.math), 1e7, 1e12],
    ] as const) {
      expect(buckets.starts.length).toBe(Math.ceil(log((max * 0.05) / first + 1) / log(1.05)) + 1)
      expect(buckets.starts[1]).toBeCloseTo(first, 12)
      expect(buckets.starts.at(-1)).toBeGreaterThanOrEqual(max)
      for (let i = 1; i < buckets.starts.length; i += 1) {
        expect(buckets.find(buckets.starts[i]!)).toBe(i)
        expect(buckets.starts[i]! / ((first * (pow(1.05, i) - 1)) / 0.05)).toBeCloseTo(1, 12)
      }
    }
  })

  it('refuse sizes that make none', () => {
    expect(() => linearBuckets({ maxValue: 1, bucketSize: 0, epsilon: 1 })).toThrow(/bucketSize > 0, got 0/)
    const flat = { maxValue: 1, firstBucketSize: 1, ratio: 1, epsilon: 1 }
    expect(() => exponentialBuckets(core.math, flat)).toThrow(/ratio - 1 > 0/)
  })
})

describe('UsageHistogram', () => {
  const fill = (samples: readonly (readonly [number, number])[]): UsageHistogram => {
    const histogram = new UsageHistogram(TENTHS)
    for (const [value, weight] of samples) histogram.add(value, weight)
    return histogram
  }

  it('gives the end of the bucket that holds a percentile', () => {
    const histogram = fill([
      [1.5, 50],
      [4.2, 40],
      [7.9, 10],
    ])
    expect([0, 0.5, 0.51, 0.9, 0.91, 1].map((p) => histogram.percentile(p))).toEqual([2, 2, 5, 5, 8, 8])
    expect(fill([[99, 1]]).percentile(0.5)).toBe(10) // the last bucket has no end
    expect(fill([]).percentile(0.5)).toBe(0)
  })

  it('has rising percentiles', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2 })
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1 }), shares, (samples, p) => {
        const values = p.toSorted((a, b) => a - b).map((share) => fill(samples).percentile(share))
        expect(values).toEqual(values.toSorted((a, b) => a - b))
      }),
    )
  })

  it('is the same merged as added all at once', () => {
    fc.assert(
      fc.property(fc.array(sample), fc.array(sample), (a, b) => {
        const merged = fill(a)
        merged.merge(fill(b))
        const once = fill([...a, ...b])
        for (let i = 0; i < TENTHS.starts.length; i += 1) expect(merged.weightOf(i)).toBe(once.weightOf(i))
        expect(merged.percentile(0.7)).toBe(once.percentile(0.7))
        expect(merged.isEmpty).toBe(once.isEmpty)
      }),
    )
    expect(() => fill([]).merge(new UsageHistogram({ ...TENTHS }))).toThrow(/same buckets/)
  })

  it('takes back what was added', () => {
    fc.assert(
      fc.property(fc.array(sample), fc.array(sample, { maxLength: 5 }), (kept, taken) => {
        const histogram = fill([...kept, ...taken])
        for (const [value, weight] of taken) histogram.subtract(value, weight)
        const expected = fill(kept)
        expect(histogram.totalWeight).toBe(expected.totalWeight)
        expect(histogram.isEmpty).toBe(expected.isEmpty)
        expect(histogram.percentile(0.9)).toBe(expected.percentile(0.9))
      }),
    )
  })

  it('survives a checkpoint to within 1/10000 of its heaviest bucket', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1 }), (samples) => {
        const histogram = fill(samples)
        const loaded = fill([])
        loaded.load(JSON.parse(JSON.stringify(histogram.save())))
        let heaviest = 0
        for (let i = 0; i < TENTHS.starts.length; i += 1) heaviest = Math.max(heaviest, histogram.weightOf(i))
        expect(loaded.totalWeight).toBe(histogram.totalWeight)
        for (let i = 0; i < TENTHS.starts.length; i += 1) {
          expect(Math.abs(loaded.weightOf(i) - histogram.weightOf(i))).toBeLessThan(heaviest * 1e-3)
        }
      }),
    )
  })

  it.each([
    ['a negative total', { totalWeight: -1, bucketWeights: {} }],
    ['a bucket beyond its own', { totalWeight: 1, bucketWeights: { 11: 1 } }],
    ['a negative bucket', { totalWeight: 1, bucketWeights: { '-1': 1 } }],
    ['a negative weight', { totalWeight: 1, bucketWeights: { 1: -1 } }],
    ['nothing in it', null as never],
    ['no number', { totalWeight: Number.NaN, bucketWeights: { 1: 1 } }],
  ])('refuses a checkpoint with %s and stays as it was', (_, checkpoint) => {
    const histogram = fill([[3, 2]])
    expect(() => histogram.load(checkpoint)).toThrow(expect.objectContaining({ code: 'checkpoint_invalid' }))
    expect(histogram.totalWeight).toBe(2)
  })
})

describe('DecayingHistogram', () => {
  const decaying = (): DecayingHistogram => new DecayingHistogram(core.math, TENTHS, HOUR)

  it('halves a weight with every half-life', () => {
    const histogram = decaying()
    histogram.add(1, 2, 0)
    histogram.add(2, 1, HOUR)
    // Both weigh the same now: the median is still in the first bucket, the rest is not.
    expect(histogram.percentile(0.5)).toBe(2)
    expect(histogram.percentile(0.501)).toBe(3)
    histogram.add(2, 0.01, 2 * HOUR)
    expect(histogram.percentile(0.5)).toBe(3)
  })

  // At whole half-lives the factors are powers of two, so that both computations are exact.
  it('agrees with weighing every sample anew', () => {
    const timed = fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 7 }), fc.nat(400))
    fc.assert(
      fc.property(fc.array(timed, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 99 }), (samples, p) => {
        const histogram = decaying()
        const inOrder = samples.toSorted((a, b) => a[2] - b[2])
        for (const [value, weight, halfLife] of inOrder) histogram.add(value, weight, halfLife * HOUR)
        const last = inOrder.at(-1)![2]
        const weights = new Float64Array(11)
        for (const [value, weight, halfLife] of inOrder) weights[value]! += weight * 2 ** (halfLife - last)
        const total = weights.reduce((a, b) => a + b)
        let sum = 0
        const bucket = weights.findIndex((weight) => {
          sum += weight
          return sum >= (p / 100) * total
        })
        expect(histogram.percentile(p / 100)).toBe(Math.min(bucket + 1, 10))
      }),
    )
  })

  it('is the same merged as added all at once, whichever is older', () => {
    const timed = fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 7 }), fc.nat(300))
    const add = (histogram: DecayingHistogram, samples: readonly (readonly [number, number, number])[]) => {
      for (const [value, weight, halfLife] of samples) histogram.add(value, weight, halfLife * HOUR)
      return histogram
    }
    const byTime = fc.array(timed, { maxLength: 12 }).map((list) => list.toSorted((a, b) => a[2] - b[2]))
    fc.assert(
      fc.property(byTime, byTime, (a, b) => {
        const merged = add(decaying(), a)
        merged.merge(add(decaying(), b))
        const once = add(
          decaying(),
          [...a, ...b].toSorted((x, y) => x[2] - y[2]),
        )
        for (const p of [0.1, 0.5, 0.9]) expect(merged.percentile(p)).toBe(once.percentile(p))
      }),
    )
  })

  it('continues from a checkpoint at its own age', () => {
    const histogram = decaying()
    histogram.add(1, 8, 0)
    const loaded = decaying()
    loaded.load(histogram.save())
    loaded.add(5, 1.1, 3 * HOUR) // the 8 have become 1
    expect(loaded.percentile(0.5)).toBe(6)
    loaded.clear()
    expect(loaded.isEmpty).toBe(true)
    expect(loaded.save().referenceSeconds).toBeUndefined()
  })
})
