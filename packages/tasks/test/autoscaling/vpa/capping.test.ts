import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  capToLimits,
  capToPodLimitRange,
  capToPolicy,
  proportionalLimit,
  toIntegerCpu,
} from '../../../src/autoscaling/vpa/index.js'

describe('capping', () => {
  it.each([
    ['keeps the ratio of limit to request', { request: 100, limit: 300 }, 70, undefined, 210],
    ['cuts fractions', { request: 3, limit: 4 }, 2, undefined, 2],
    ['takes a missing request for the limit', { request: undefined, limit: 300 }, 70, undefined, 70],
    ['leaves a missing limit out', { request: 100, limit: undefined }, 70, undefined, undefined],
    ['takes the default limit of the namespace', { request: 100, limit: undefined }, 70, 200, 140],
    ['is exact beyond 2^53', { request: 3, limit: 2 ** 40 }, 3 * 2 ** 20, undefined, 2 ** 60],
    ['ends at 63 bits', { request: 1, limit: 2 ** 50 }, 2 ** 50, undefined, 2 ** 63],
  ])('the proportional limit %s', (_, container, recommended, defaultLimit, expected) => {
    expect(proportionalLimit(container, recommended, defaultLimit)).toBe(expected)
  })

  it('keeps every amount within the policy and lets the maximum win', () => {
    const amount = fc.integer({ min: 0, max: 1e6 })
    const bound = fc.option(amount, { nil: undefined })
    fc.assert(
      fc.property(amount, amount, bound, bound, bound, (target, upper, min, max, globalMax) => {
        const recommendation = { target: { cpuMilli: target }, upperBound: { cpuMilli: upper } }
        const policy = {
          minAllowed: { cpuMilli: min },
          maxAllowed: { cpuMilli: max },
          globalMaxAllowed: { cpuMilli: globalMax },
        }
        const capped = capToPolicy(recommendation, policy)
        const ceiling = (max ?? globalMax) || Number.POSITIVE_INFINITY
        for (const [before, after] of [
          [target, capped.target.cpuMilli!],
          [upper, capped.upperBound!.cpuMilli!],
        ] as const) {
          expect(after).toBeLessThanOrEqual(ceiling)
          expect(after).toBeGreaterThanOrEqual(Math.min(min ?? 0, ceiling))
          if (before >= (min ?? 0) && before <= ceiling) expect(after).toBe(before)
        }
        expect(Object.keys(capped)).toEqual(['target', 'upperBound'])
      }),
    )
  })

  it('stops at the limits only where those stay', () => {
    const recommendation = { target: { cpuMilli: 900, memoryBytes: 50 } }
    expect(capToLimits(recommendation, { cpuMilli: 500 }, 'RequestsOnly').target).toEqual({
      cpuMilli: 500,
      memoryBytes: 50,
    })
    expect(capToLimits(recommendation, { cpuMilli: 500 })).toBe(recommendation)
  })

  it('fits the limits of a pod under the maximum of its LimitRange', () => {
    const container = fc
      .tuple(fc.integer({ min: 1, max: 1e4 }), fc.integer({ min: 1, max: 1e4 }), fc.integer({ min: 1, max: 1e5 }))
      .map(([request, extra, target]) => ({ request, limit: request + extra, target }))
    fc.assert(
      fc.property(fc.array(container, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 1e6 }), (pod, max) => {
        const targets = capToPodLimitRange(pod, { min: 0, max })
        const limits = pod.map((c, i) => proportionalLimit(c, targets[i], undefined) ?? 0)
        expect(limits.reduce((a, b) => a + b)).toBeLessThanOrEqual(max)
        targets.forEach((target, i) => {
          expect(target).toBeLessThanOrEqual(pod[i]!.target)
        })
      }),
    )
  })

  it('raises the requests of a pod to the minimum of its LimitRange, not one below it', () => {
    expect(
      capToPodLimitRange(
        [
          { request: 1, limit: 1, target: 10 },
          { request: 1, limit: 1, target: 20 },
        ],
        { min: 100, max: 0 },
      ),
    ).toEqual([34, 67])
    const container = fc.integer({ min: 1, max: 2 ** 40 }).map((target) => ({ request: target, limit: target, target }))
    fc.assert(
      fc.property(
        fc.array(container, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 2 ** 42 }),
        (pod, min) => {
          const targets = capToPodLimitRange(pod, { min, max: 0 })
          const sum = targets.reduce<number>((a, b) => a + b!, 0)
          expect(sum).toBeGreaterThanOrEqual(min)
        },
      ),
    )
  })

  it('counts the request of a container without a recommendation and leaves it alone', () => {
    const pod = [
      { request: 10, limit: 20, target: 10 },
      { request: 10, limit: 20, target: undefined },
    ]
    expect(capToPodLimitRange(pod, { min: 40, max: 100 })).toEqual([20, undefined])
  })

  it('rounds exclusive cores up', () => {
    expect([0, 1, 1000, 1001].map(toIntegerCpu)).toEqual([0, 1000, 1000, 2000])
  })
})
