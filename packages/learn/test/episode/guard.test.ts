import type { Clock, Controller } from '@trimtab/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Guard, type GuardOptions, rulePilot } from '../../src/index.js'
import { answersNothing, box, constant, controller, FakeClock, RecordingPilot } from './toys.js'

const observation = box(['cpu', 'trend'], 0, 1)
observation.low[1] = -1 // a trend may be negative
const action = box(['replicas'], 1, 20)
const world = { observation, action }
const good = Float32Array.of(0.5, -0.2)
const HOUR = 3_600_000

function decide(
  seen: Float32Array,
  options: { options?: GuardOptions; clock?: Clock; observedAtMs?: number; policy?: number; rule?: Controller } = {},
) {
  const guard = new Guard(world, options.options, options.clock)
  const pilot = new RecordingPilot(options.policy ?? 7, options.rule ?? constant(3))
  const out = new Float32Array(1)
  guard.receive(seen, options.observedAtMs)
  const source = guard.decide(pilot, seen, out)
  return { guard, pilot, source, applied: out[0]!, fallback: guard.fallback }
}

describe('Guard: telemetry', () => {
  it('lets a usable observation through to the agent', () => {
    expect(decide(good)).toMatchObject({ source: 'agent', applied: 7, fallback: undefined })
  })

  const clock = new FakeClock()
  clock.nowMs = 100_000
  const fresh = { clock, options: { maxAgeMs: 30_000 } }
  it.each([
    ['a missing metric', [Number.NaN, 0], {}, 'missing'],
    ['+∞', [Number.POSITIVE_INFINITY, 0], {}, 'infinite'],
    ['−∞', [0, Number.NEGATIVE_INFINITY], {}, 'infinite'],
    ['a negative number where the space starts at zero', [-0.01, 0], {}, 'negative'],
    ['too few numbers', [0.5], {}, 'shape'],
    ['too many numbers', [0.5, 0, 0], {}, 'shape'],
    ['an observation older than the limit', [0.5, 0], { ...fresh, observedAtMs: 69_999 }, 'stale'],
    ['a timestamp that is not a number', [0.5, 0], { ...fresh, observedAtMs: Number.NaN }, 'stale'],
    ['a timestamp far in the future', [0.5, 0], { ...fresh, observedAtMs: 130_001 }, 'future'],
  ] as const)('hands over to the rule at %s, by the reason %s', (_name, seen, options, reason) => {
    const { guard, pilot, source, applied, fallback } = decide(Float32Array.from(seen), options)
    expect({ source, applied, fallback }).toEqual({ source: 'rule', applied: 3, fallback: reason })
    expect(guard.counts[reason]).toBe(1)
    expect(pilot.decidedOn).toEqual([])
  })

  it.each([
    ['a negative number where the space goes below zero', [0.5, -0.9], {}],
    ['an observation of exactly the age limit', [0.5, 0], { ...fresh, observedAtMs: 70_000 }],
    ['a clock that is slightly behind', [0.5, 0], { ...fresh, observedAtMs: 100_500 }],
    ['a value beyond the upper bound, which a policy must cope with', [1.2, 0], {}],
  ] as const)('accepts %s', (_name, seen, options) => {
    expect(decide(Float32Array.from(seen), options).source).toBe('agent')
  })

  it('refuses observations that arrive out of order, and takes the next newer one', () => {
    const guard = new Guard(world)
    expect(guard.receive(good, 2000)).toBeUndefined()
    expect(guard.receive(good, 1000)).toBe('out_of_order')
    expect(guard.receive(good, 2000)).toBeUndefined()
    expect(guard.receive(good, 3000)).toBeUndefined()
  })

  it('does not let one timestamp from the future make all later ones out of order', () => {
    const guard = new Guard(world, fresh.options, clock)
    expect(guard.receive(good, 9e9)).toBe('future')
    expect(guard.receive(good, 100_000)).toBeUndefined()
  })

  it('forgets what it holds for the newest when our own clock is set back by an hour', () => {
    const clock = new FakeClock()
    clock.nowMs = 10 * HOUR
    const guard = new Guard(world, { maxAgeMs: 30_000 }, clock)
    expect(guard.receive(good, 10 * HOUR)).toBeUndefined()
    clock.nowMs = 9 * HOUR + 15_000
    expect(guard.receive(good, 9 * HOUR + 15_000)).toBeUndefined()
    expect(guard.receive(good, 9 * HOUR + 10_000)).toBe('out_of_order')
  })

  it.each([
    ['microseconds', 1.7e15],
    ['the next hour', 10 * HOUR],
    ['no time at all', Number.POSITIVE_INFINITY],
  ])('refuses a timestamp in %s even without an age limit, and remembers nothing of it', (_name, observedAtMs) => {
    const clock = new FakeClock()
    clock.nowMs = 9 * HOUR
    const guard = new Guard(world, {}, clock)
    expect(guard.receive(good, 9 * HOUR - 1000)).toBeUndefined()
    expect(guard.receive(good, observedAtMs)).toBe('future')
    expect(guard.receive(good, 9 * HOUR)).toBeUndefined()
  })

  it.each([
    ['a timestamp from the future', 9e15],
    ['a sensor whose clock is set back by an hour', 5 * HOUR],
  ])('believes the third sample in order again after %s, though there is no clock to compare with', (_name, first) => {
    const guard = new Guard(world)
    expect(guard.receive(good, first)).toBeUndefined()
    const seconds = [1, 2, 3, 4, 3].map((s) => guard.receive(good, 4 * HOUR + 1000 * s))
    expect(seconds).toEqual(['out_of_order', 'out_of_order', undefined, undefined, 'out_of_order'])
  })

  it('takes neither one old sample again and again nor a sensor that lags for a clock set back', () => {
    const guard = new Guard(world)
    guard.receive(good, 10_000)
    for (let i = 0; i < 10; i++) expect(guard.receive(good, 5000)).toBe('out_of_order')
    for (let i = 1; i < 10; i++) {
      expect(guard.receive(good, 10_000 + 1000 * i)).toBeUndefined()
      expect(guard.receive(good, 5000 + 1000 * i)).toBe('out_of_order')
    }
  })

  it('refuses a timestamp that is no number without forgetting the order', () => {
    const guard = new Guard(world)
    expect(guard.receive(good, 2000)).toBeUndefined()
    expect(guard.receive(good, Number.NaN)).toBe('stale')
    expect(guard.receive(good, 1000)).toBe('out_of_order')
  })

  it('notices an observation that grew stale while it waited for the decision', () => {
    const later = new FakeClock()
    const guard = new Guard(world, { maxAgeMs: 30_000 }, later)
    const pilot = new RecordingPilot(7, constant(3))
    expect(guard.receive(good, 0)).toBeUndefined()
    later.nowMs = 30_001
    expect(guard.decide(pilot, good, new Float32Array(1))).toBe('rule')
    expect(guard.fallback).toBe('stale')
  })

  it('shows the rule NaN in place of each number that must not be believed, and the others as they are', () => {
    const seen: number[][] = []
    const rule = controller((o) => seen.push([...o]))
    decide(Float32Array.of(Number.POSITIVE_INFINITY, -0.5), { rule })
    decide(Float32Array.of(-3, 0.25), { rule })
    decide(good, { ...fresh, observedAtMs: 0, rule })
    expect(seen).toEqual([
      [Number.NaN, -0.5],
      [Number.NaN, 0.25],
      [Number.NaN, Number.NaN],
    ])
  })
})

describe('Guard: actions', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'hands over to the rule when the agent answers %s',
    (policy) => {
      const { source, applied, fallback } = decide(good, { policy })
      expect({ source, applied, fallback }).toEqual({ source: 'rule', applied: 3, fallback: 'action_not_finite' })
    },
  )

  it('hands over to the rule when the agent fills nothing in', () => {
    const guard = new Guard(world)
    const out = Float32Array.of(5)
    guard.receive(good)
    expect(guard.decide(new RecordingPilot(() => {}, constant(3)), good, out)).toBe('rule')
  })

  it('hands over to the rule when the agent throws, and keeps what it threw', () => {
    const failure = new Error('broken')
    const guard = new Guard(world)
    guard.receive(good)
    const pilot = new RecordingPilot(() => {
      throw failure
    }, constant(3))
    expect(guard.decide(pilot, good, new Float32Array(1))).toBe('rule')
    expect(guard.fallback).toBe('agent_failed')
    expect(guard.failure).toBe(failure)
  })

  const throws: Controller = {
    name: 'throws',
    decide() {
      throw new Error('the rule is broken too')
    },
  }
  it.each([
    ['answers nothing', answersNothing],
    ['throws', throws],
  ])('holds the last safe action when the rule %s', (_name, rule) => {
    const guard = new Guard(world)
    const out = new Float32Array(1)
    guard.receive(good)
    guard.decide(new RecordingPilot(6, rule), good, out)
    const bad = Float32Array.of(Number.NaN, 0)
    guard.receive(bad)
    expect(guard.decide(new RecordingPilot(6, rule), bad, out)).toBe('hold')
    expect(out[0]).toBe(6)
    expect(guard.held).toBe(1)
  })

  it('does not ask a rule twice that had no answer to a usable observation', () => {
    let asked = 0
    const rule = controller(() => {
      asked++
      return Number.NaN
    })
    const guard = new Guard(world, { initialAction: [12] })
    guard.receive(good)
    expect(guard.decide(rulePilot(rule), good, new Float32Array(1))).toBe('hold')
    expect(guard.fallback).toBe('action_not_finite')
    expect(asked).toBe(1)
  })

  it('holds the initial action when nothing usable was ever decided', () => {
    const { source, applied } = decide(Float32Array.of(Number.NaN, 0), {
      rule: answersNothing,
      options: { initialAction: [12] },
    })
    expect({ source, applied }).toEqual({ source: 'hold', applied: 12 })
  })

  it('limits the rule as it limits the agent', () => {
    const { guard, applied } = decide(Float32Array.of(Number.NaN, 0), { rule: constant(1000) })
    expect(applied).toBe(20)
    expect(guard.clippedBy).toEqual(['bounds'])
  })

  it('never lets an action leave its bounds nor a bad number reach the agent, whatever both sides say', () => {
    const anything = fc.float() // NaN and ±∞ included
    const step = fc.record({ seen: fc.tuple(anything, anything), agent: anything, rule: anything })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), fc.option(fc.integer({ min: 1, max: 5 })), (steps, maxStep) => {
        const limits = maxStep === null ? {} : { replicas: { increase: { maxStep }, decrease: { maxStep } } }
        const guard = new Guard(world, { limits })
        const out = new Float32Array(1)
        let last: number | undefined
        for (const { seen, agent, rule } of steps) {
          const pilot = new RecordingPilot(agent, constant(rule))
          const vector = Float32Array.from(seen)
          guard.receive(vector)
          const source = guard.decide(pilot, vector, out)
          expect(out[0]! >= 1 && out[0]! <= 20).toBe(true)
          // One rounding to f32 below 32.
          if (last !== undefined && maxStep !== null)
            expect(Math.abs(out[0]! - last)).toBeLessThanOrEqual(maxStep + 2 ** -19)
          if (source === 'hold' && last !== undefined) expect(out[0]).toBe(last)
          for (const shown of pilot.decidedOn) expect(shown.every(Number.isFinite) && shown[0]! >= 0).toBe(true)
          last = out[0]!
        }
      }),
    )
  })

  it('refuses an age limit without a clock', () => {
    expect(() => new Guard(world, { maxAgeMs: 1000 })).toThrow(/maxAgeMs needs a clock/)
  })
})
