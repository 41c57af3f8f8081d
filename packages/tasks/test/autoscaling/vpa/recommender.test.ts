import { type Core, createCore } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  confidence,
  podMinimum,
  roundUpTo,
  VerticalRecommender,
  withMargin,
} from '../../../src/autoscaling/vpa/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const MIB = 1024 * 1024
const DAY = 86400

/** The end of the memory bucket of a value, by the formula of the documentation. */
function bucketEnd(bytes: number): number {
  const bucket = Math.floor(Math.log((bytes * 0.05) / 1e7 + 1) / Math.log(1.05))
  return (1e7 * (1.05 ** (bucket + 1) - 1)) / 0.05
}

/** Recommended bytes to within the rounding of two libraries' powers. */
const expectBytes = (got: number | undefined, want: number): void => {
  expect(Math.abs(got! - want)).toBeLessThanOrEqual(2)
}

describe('VerticalRecommender', () => {
  it('says nothing of a resource that was never sampled', () => {
    const vpa = new VerticalRecommender(core.math)
    expect(vpa.recommend(0)).toMatchObject({ target: {}, lowerBound: {}, upperBound: {}, uncappedTarget: {} })
    vpa.addMemorySample(0, 500e6)
    expect(Object.keys(vpa.recommend(0).target)).toEqual(['memoryBytes'])
  })

  it('asks for the 90th percentile of the peaks and 15 %', () => {
    const vpa = new VerticalRecommender(core.math, { controlled: ['memory'] })
    for (let t = 0; t < DAY; t += 3600) vpa.addMemorySample(t, 300e6 + 1000 * t)
    // One day, one peak: the last one.
    expectBytes(vpa.recommend(DAY).target.memoryBytes, 1.15 * bucketEnd(300e6 + 1000 * (DAY - 3600)))
  })

  it('gives each replica windows of its own', () => {
    const vpa = new VerticalRecommender(core.math, {
      memoryPercentiles: { target: 0.5, lowerBound: 0.1, upperBound: 1 },
    })
    vpa.addMemorySample(0, 900e6, 'a')
    vpa.addMemorySample(0, 400e6, 'b')
    vpa.addMemorySample(0, 410e6, 'c')
    expectBytes(vpa.recommend(0).target.memoryBytes, 1.15 * bucketEnd(410e6))
  })

  it('asks for more after a kill, by 100 MiB or 20 %, and does not run away', () => {
    for (const [request, needed] of [
      [300 * MIB, 400 * MIB],
      [1000 * MIB, 1200 * MIB],
    ] as const) {
      const vpa = new VerticalRecommender(core.math)
      vpa.addMemorySample(0, request - MIB)
      for (const t of [10, 20, 30]) expect(vpa.recordOom(t, request)).toBe(true)
      expectBytes(vpa.recommend(30).target.memoryBytes, 1.15 * bucketEnd(needed))
    }
  })

  it('drops kills that are older than a window', () => {
    const vpa = new VerticalRecommender(core.math)
    vpa.addMemorySample(10 * DAY, 300e6)
    expect(vpa.recordOom(9 * DAY - 1, 900e6, '', 10 * DAY)).toBe(false)
    expect(vpa.recordOom(9 * DAY, 900e6, '', 10 * DAY)).toBe(true)
  })

  it('drops samples that are negative, no number, or out of order', () => {
    const vpa = new VerticalRecommender(core.math)
    expect([vpa.addCpuSample(15, 100), vpa.addCpuSample(15, 100), vpa.addCpuSample(14, 100)]).toEqual([
      true,
      false,
      false,
    ])
    expect([vpa.addCpuSample(30, -1), vpa.addCpuSample(30, Number.NaN)]).toEqual([false, false])
    expect([vpa.addMemorySample(15, 1e9), vpa.addMemorySample(15, 1e9), vpa.addMemorySample(14, 1e9)]).toEqual([
      true,
      true,
      false,
    ])
    expect(vpa.addMemorySample(Number.NaN, 1e9)).toBe(false)
    expect(vpa.recordOom(16, Number.NaN)).toBe(false)
  })

  it('has bounds around its target that close with time', () => {
    const vpa = new VerticalRecommender(core.math)
    let width = Number.POSITIVE_INFINITY
    for (let day = 0; day < 8; day += 1) {
      for (let minute = 0; minute < 1440; minute += 1) {
        const t = day * DAY + minute * 60
        vpa.addCpuSample(t, 500 + ((minute * 37) % 400))
        vpa.addMemorySample(t, 600e6)
      }
      const { target, lowerBound, upperBound } = vpa.recommend((day + 1) * DAY)
      for (const resource of ['cpuMilli', 'memoryBytes'] as const) {
        expect(lowerBound[resource]).toBeLessThanOrEqual(target[resource]!)
        expect(upperBound[resource]).toBeGreaterThan(target[resource]!)
      }
      expect(upperBound.cpuMilli! - lowerBound.cpuMilli!).toBeLessThan(width)
      width = upperBound.cpuMilli! - lowerBound.cpuMilli!
    }
    // p90 of 500…899 m lies in a 5 % bucket; 8 days of history widen the upper bound by 1/8.
    const { target, upperBound } = vpa.recommend(8 * DAY)
    expect(target.cpuMilli).toBeGreaterThan(1.15 * 858)
    expect(target.cpuMilli).toBeLessThan(1.15 * 858 * 1.06)
    expect(upperBound.cpuMilli! / target.cpuMilli!).toBeLessThan(1.06 * (1 + 1 / 7.9))
  })

  it('publishes no upper bound and asks for no growth while there is no history', () => {
    for (const options of [{}, { policy: { maxAllowed: { cpuMilli: 4000 } } }]) {
      const vpa = new VerticalRecommender(core.math, options)
      vpa.addCpuSample(0, 900)
      vpa.addMemorySample(0, 500e6)
      const { lowerBound, upperBound } = vpa.recommend(0)
      expect(lowerBound.cpuMilli).toBe(25) // the pod's minimum
      expect(upperBound).toEqual({})
    }
  })

  it('says how much history there is, and flags less than a day', () => {
    const vpa = new VerticalRecommender(core.math)
    expect(vpa.recommend(0)).toMatchObject({ confidence: 0, hasLowConfidence: true })
    for (let t = 0; t <= DAY; t += 60) vpa.addCpuSample(t, 900)
    expect(vpa.recommend(DAY / 2)).toMatchObject({ confidence: 1, hasLowConfidence: false })
  })

  it('keeps lower bound ≤ target ≤ upper bound whatever is sampled', () => {
    const usage = fc.array(fc.tuple(fc.integer({ min: 0, max: 64_000 }), fc.integer({ min: 0, max: 2e11 })), {
      minLength: 1,
      maxLength: 50,
    })
    fc.assert(
      fc.property(usage, fc.integer({ min: 1, max: 40_000 }), (samples, step) => {
        const vpa = new VerticalRecommender(core.math)
        samples.forEach(([cpuMilli, bytes], i) => {
          vpa.addCpuSample(i * step, cpuMilli)
          vpa.addMemorySample(i * step, bytes)
        })
        const { target, lowerBound, upperBound } = vpa.recommend(samples.length * step)
        for (const resource of ['cpuMilli', 'memoryBytes'] as const) {
          expect(lowerBound[resource]).toBeLessThanOrEqual(target[resource]!)
          expect(upperBound[resource] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(target[resource]!)
          expect(Number.isInteger(target[resource])).toBe(true)
        }
      }),
    )
  })

  it('forgets after eight silent days', () => {
    const vpa = new VerticalRecommender(core.math)
    vpa.addMemorySample(0, 600e6)
    for (let day = 1; day < 8; day += 1) expect(vpa.recommend(day * DAY).target.memoryBytes).toBeDefined()
    expect(vpa.recommend(8 * DAY - 1).target.memoryBytes).toBeDefined()
    expect(vpa.recommend(8 * DAY).target.memoryBytes).toBeUndefined()
  })

  it('rounds, then caps to its policy, and keeps the uncapped target', () => {
    const vpa = new VerticalRecommender(core.math, {
      roundCpuMilli: 10,
      integerCpu: true,
      roundMemoryBytes: 128 * MIB,
      policy: { minAllowed: { cpuMilli: 3000 }, maxAllowed: { memoryBytes: 500 * MIB } },
    })
    vpa.addCpuSample(0, 1500)
    vpa.addMemorySample(0, 600e6)
    const { target, uncappedTarget } = vpa.recommend(0)
    expect(target).toEqual({ cpuMilli: 3000, memoryBytes: 500 * MIB })
    expect(uncappedTarget.cpuMilli).toBe(2000)
    expect(uncappedTarget.memoryBytes! % (128 * MIB)).toBe(0)
  })

  it('recommends the same after a restart from its checkpoint', () => {
    const vpa = new VerticalRecommender(core.math)
    for (let i = 0; i < 5000; i += 1) {
      vpa.addCpuSample(60 * i, 200 + ((i * 7919) % 900))
      vpa.addMemorySample(60 * i, 4e8 + ((i * 104729) % 5e8))
    }
    const loaded = new VerticalRecommender(core.math)
    loaded.load(JSON.parse(JSON.stringify(vpa.save())))
    expect(loaded.recommend(300_000)).toEqual(vpa.recommend(300_000))
    const newer = { ...vpa.save(), version: 3 }
    expect(() => loaded.load(newer)).toThrow(expect.objectContaining({ code: 'checkpoint_version' }))
  })

  it('names every problem of its options at once', () => {
    const options = { containersPerPod: 0, cpuPercentiles: { target: 90, lowerBound: 0.5, upperBound: 0.95 } }
    expect(() => new VerticalRecommender(core.math, options)).toThrow(/containersPerPod.*cpuPercentiles.target/)
  })
})

describe('estimators', () => {
  it('cut every step to whole amounts', () => {
    expect(withMargin(7, 0.15)).toBe(8) // 7 + ⌊1.05⌋
    expect(podMinimum(3, 25, 250)).toEqual({ cpuMilli: 8, memoryBytes: 87381333 })
    expect(roundUpTo(1001, 10)).toBe(1010)
    expect(() => roundUpTo(1001, 0)).toThrow(expect.objectContaining({ code: 'rounding_scale_invalid' }))
  })

  it('trust the shorter of span and number of samples', () => {
    const history = { firstSampleSeconds: 0, lastSampleSeconds: 2 * DAY, samples: 720 }
    expect(confidence(history, DAY)).toBe(0.5)
    expect(confidence({ ...history, samples: 1e6 }, DAY)).toBe(2)
    expect(confidence({ ...history, samples: 0 }, DAY)).toBe(0)
  })
})
