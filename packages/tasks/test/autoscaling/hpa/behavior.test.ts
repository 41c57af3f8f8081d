import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyLegacyLimits,
  completeRules,
  History,
  limitRate,
  noteScaleEvent,
  policyLimit,
  stabilizeDownscale,
  stabilizeWithBehavior,
} from '../../../src/autoscaling/hpa/index.js'

const NOW = 10_000
const noEvents = () => ({ up: new History(), down: new History() })
const LEGACY = { minReplicas: 1, maxReplicas: 100, scaleUpLimitFactor: 2, scaleUpLimitMinimum: 4 }

describe('limits without behavior', () => {
  it.each([
    [1, 10, { replicas: 4, reason: 'ScaleUpLimit' }],
    [5, 50, { replicas: 10, reason: 'ScaleUpLimit' }],
    [90, 150, { replicas: 100, reason: 'TooManyReplicas' }],
    [5, 0, { replicas: 1, reason: 'TooFewReplicas' }],
    [5, 7, { replicas: 7, reason: 'DesiredWithinRange' }],
  ])('from %d asked for %d', (current, desired, expected) => {
    expect(applyLegacyLimits(current, desired, LEGACY)).toEqual(expected)
  })
})

describe('scaling policies', () => {
  const percent = (value: number, periodSeconds: number) => ({ type: 'Percent', value, periodSeconds }) as const
  const pods = (value: number, periodSeconds: number) => ({ type: 'Pods', value, periodSeconds }) as const

  it('round a percentage up when growing and cut it when shrinking', () => {
    const one = { policies: [percent(10, 60)] }
    // 3 · 1.1 = 3.3 may become 4; 3 · 0.9 = 2.7 may become 2.
    expect(policyLimit('scaleUp', 3, noEvents(), completeRules('scaleUp', one), NOW)).toBe(4)
    expect(policyLimit('scaleDown', 3, noEvents(), completeRules('scaleDown', one), NOW)).toBe(2)
  })

  it('select the largest or the smallest change, or none', () => {
    const both = [pods(2, 60), percent(100, 60)]
    const limit = (selectPolicy: 'Max' | 'Min' | 'Disabled') =>
      policyLimit('scaleUp', 10, noEvents(), completeRules('scaleUp', { selectPolicy, policies: both }), NOW)
    expect(limit('Max')).toBe(20)
    expect(limit('Min')).toBe(12)
    expect(limit('Disabled')).toBe(10)
  })

  // 3 pods were added 30 s ago: the minute began with 7, and 7 + 5 = 12.
  it('count from the size at the start of their period', () => {
    const events = noEvents()
    events.up.append(3, NOW - 30)
    const rules = completeRules('scaleUp', { policies: [pods(5, 60)] })
    expect(policyLimit('scaleUp', 10, events, rules, NOW)).toBe(12)
    expect(policyLimit('scaleUp', 10, events, rules, NOW + 30)).toBe(15)
  })

  it('stop growth that has used up its period, without shrinking', () => {
    const events = noEvents()
    events.up.append(8, NOW - 10)
    const input = {
      currentReplicas: 10,
      desiredReplicas: 12,
      minReplicas: 1,
      maxReplicas: 100,
      scaleUp: completeRules('scaleUp', { policies: [pods(5, 60)] }),
      scaleDown: completeRules('scaleDown', undefined),
    }
    expect(limitRate(input, events, NOW)).toEqual({ replicas: 10, reason: 'ScaleUpLimit' })
  })

  it('stay within minimum, maximum and the policies, and never turn around', () => {
    const rule = fc.record({
      type: fc.constantFrom('Pods' as const, 'Percent' as const),
      value: fc.integer({ min: 1, max: 200 }),
      periodSeconds: fc.integer({ min: 1, max: 600 }),
    })
    const rules = fc.record({
      selectPolicy: fc.constantFrom('Max' as const, 'Min' as const, 'Disabled' as const),
      policies: fc.array(rule, { minLength: 1, maxLength: 3 }),
    })
    const history = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 700 })))
    const size = fc.integer({ min: 1, max: 200 })
    fc.assert(
      fc.property(size, size, rules, rules, history, history, (current, desired, up, down, added, removed) => {
        const events = noEvents()
        for (const [change, age] of added) events.up.append(change, NOW - age)
        for (const [change, age] of removed) events.down.append(change, NOW - age)
        const scaleUp = completeRules('scaleUp', up)
        const scaleDown = completeRules('scaleDown', down)
        const input = { minReplicas: 1, maxReplicas: 200, currentReplicas: current, desiredReplicas: desired }
        const { replicas, reason } = limitRate({ ...input, scaleUp, scaleDown }, events, NOW)
        expect(replicas).toBeGreaterThanOrEqual(Math.min(current, desired))
        expect(replicas).toBeLessThanOrEqual(Math.max(current, desired))
        expect(replicas === desired).toBe(reason === 'DesiredWithinRange')
        if (replicas > current) {
          expect(replicas).toBeLessThanOrEqual(policyLimit('scaleUp', current, events, scaleUp, NOW))
        }
        if (replicas < current) {
          expect(replicas).toBeGreaterThanOrEqual(policyLimit('scaleDown', current, events, scaleDown, NOW))
        }
      }),
    )
  })
})

describe('histories', () => {
  it('stay as long as their window when driven at a steady pace', () => {
    const events = new History()
    const rules = completeRules('scaleUp', { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] })
    for (let t = 0; t < 3000; t += 15) noteScaleEvent(events, 1, rules, t)
    expect(events.length).toBe(5) // ages 0, 15, … 60: one of exactly 60 is still kept
    noteScaleEvent(events, 1, undefined, 9000)
    expect(events.length).toBe(5)
  })
})

const anyLog = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 600 })), { maxLength: 30 })
const toLog = (entries: readonly (readonly [number, number])[]): History => {
  const log = new History()
  for (const [replicas, age] of entries) log.append(replicas, NOW - age)
  return log
}

describe('stabilization', () => {
  it('takes the largest recommendation of the window, its edge included', () => {
    const log = toLog([
      [9, 301],
      [7, 300],
      [5, 10],
    ])
    expect(stabilizeDownscale(log, 3, 300, NOW)).toBe(7)
  })

  it('moves the current size only as far as both windows agree', () => {
    fc.assert(
      fc.property(
        anyLog,
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 600 }),
        fc.integer({ min: 0, max: 600 }),
        (entries, current, desired, up, down) => {
          const within = (window: number) => entries.filter(([, age]) => age < window).map(([replicas]) => replicas)
          const low = Math.min(desired, ...within(up))
          const high = Math.max(desired, ...within(down))
          const expected = Math.min(Math.max(current, low), high)
          expect(stabilizeWithBehavior(toLog(entries), current, desired, up, down, NOW)).toBe(expected)
        },
      ),
    )
  })
})
