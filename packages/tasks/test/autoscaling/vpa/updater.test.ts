import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareUpdatePriority,
  EvictionLimit,
  type ResourceAmounts,
  updatePriority,
  wantsUpdate,
} from '../../../src/autoscaling/vpa/index.js'

const sized = (
  request: ResourceAmounts,
  target: ResourceAmounts,
  lower?: ResourceAmounts,
  upper?: ResourceAmounts,
) => ({
  request,
  recommendation: { target, lowerBound: lower, upperBound: upper },
})

describe('the priority of an update', () => {
  it('adds up the relative differences of CPU and memory over all containers', () => {
    const containers = [
      sized({ cpuMilli: 1000, memoryBytes: 100 }, { cpuMilli: 500, memoryBytes: 150 }),
      sized({ cpuMilli: 1000, memoryBytes: 100 }, { cpuMilli: 1000, memoryBytes: 150 }),
    ]
    expect(updatePriority(containers)).toEqual({ isOutsideRange: false, grows: true, resourceDiff: 0.25 + 0.5 })
  })

  it.each([
    ['a request on its bound', 100, 100, 200, false],
    ['a request below its lower bound', 99, 100, 200, true],
    ['a request above its upper bound', 201, 100, 200, true],
  ])('of %s', (_, own, lower, upper, isOutsideRange) => {
    const bounds = [{ cpuMilli: lower }, { cpuMilli: upper }] as const
    expect(updatePriority([sized({ cpuMilli: own }, { cpuMilli: own }, ...bounds)])).toMatchObject({ isOutsideRange })
  })

  it('of a missing request is that of one outside its range that grows', () => {
    expect(updatePriority([sized({}, { memoryBytes: 10 })])).toMatchObject({ isOutsideRange: true, grows: true })
  })

  it('leaves a resource without a target alone', () => {
    const untouched = sized({ memoryBytes: 5 }, {}, { memoryBytes: 10 })
    expect(updatePriority([untouched])).toEqual({ isOutsideRange: false, grows: false, resourceDiff: 0 })
  })

  it('puts pods that grow first, then those that change most', () => {
    const [shrinks, grows, growsMore] = [4, 1, 2].map((resourceDiff, i) => ({
      isOutsideRange: false,
      grows: i > 0,
      resourceDiff,
    }))
    expect([shrinks!, grows!, growsMore!].sort(compareUpdatePriority)).toEqual([growsMore, grows, shrinks])
  })
})

describe('a pod is updated', () => {
  const within = { isOutsideRange: false, grows: true, resourceDiff: 0.1 }
  const HOUR = 3600
  it.each([
    ['when it is old and differs enough', within, 12 * HOUR, undefined, true],
    ['not when it is young', within, 12 * HOUR - 1, undefined, false],
    ['not when it has not started', within, undefined, undefined, false],
    ['not when it hardly differs', { ...within, resourceDiff: 0.09 }, 24 * HOUR, undefined, false],
    ['at any age outside its range', { ...within, isOutsideRange: true }, 0, undefined, true],
    ['when it was killed for memory soon', within, 0, 599, true],
    ['not when it was killed for memory late', within, 0, 600, false],
    ['not when it was killed and nothing would change', { ...within, resourceDiff: 0 }, 24 * HOUR, 1, false],
  ])('%s', (_, priority, ageSeconds, oomKilledAfterSeconds, expected) => {
    expect(wantsUpdate({ priority, ageSeconds, oomKilledAfterSeconds })).toBe(expected)
  })
})

describe('an eviction limit', () => {
  it('evicts what its tolerance leaves over, or one of a whole group that is too small for any', () => {
    const count = fc.integer({ min: 0, max: 20 })
    fc.assert(
      fc.property(
        count,
        count,
        count,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (configured, running, pending, share) => {
          const limit = new EvictionLimit({
            configuredReplicas: configured,
            livePods: running + pending,
            pendingPods: pending,
            evictionTolerance: share,
          })
          let left = running
          while (limit.canEvict(false) && left > 0) {
            limit.noteEviction(false)
            left--
          }
          const tolerated = Math.trunc(configured * share)
          const isWholeAndSmall = tolerated === 0 && running === configured && running > 0
          const spare = Math.min(running, Math.max(0, running - (configured - tolerated)))
          expect(running - left).toBe(running + pending < 2 ? 0 : isWholeAndSmall ? 1 : spare)
          expect(limit.canEvict(true)).toBe(running + pending >= 2)
        },
      ),
    )
  })

  it('names every number that it cannot take', () => {
    const bad = { configuredReplicas: -1, livePods: 1, pendingPods: 2, evictionTolerance: 1.5 }
    expect(() => new EvictionLimit(bad)).toThrow(/configuredReplicas.*pendingPods.*evictionTolerance/s)
  })
})
