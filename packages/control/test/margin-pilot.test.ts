import type { Controller, Space, StepInfo, Transition } from '@trimtab/core'
import { discreteSpace } from '@trimtab/learn'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MarginOptions, MarginPilot } from '../src/index.js'
import { box, constant } from './toys.js'

const seen = Float32Array.of(0)
const base: MarginOptions = {
  isViolation: (info: StepInfo) => info.violation === 1,
  safeDirection: [1, -1, 0],
  allowedRate: 0.1,
  gain: 0.2,
}

/** A margin around a policy that says 0.5 everywhere, with everything its agent was told. */
function around(
  options: Partial<MarginOptions> = {},
  policy: Controller = constant(0.5),
  action: Space = box(['a', 'b', 'c'], -1, 1),
) {
  const learned: Transition[] = []
  const calls: string[] = []
  const agent = {
    observe: (transition: Transition) => void learned.push(transition),
    update: () => {
      calls.push('update')
      return { updates: 1, skipped: 0, criticLoss: 0, actorLoss: 0, meanQ: 0 }
    },
    endEpisode: () => void calls.push('endEpisode'),
  }
  const pilot = new MarginPilot({ agent, policy, rule: constant(0), action }, { ...base, ...options })
  return { pilot, learned, calls }
}

function step(pilot: MarginPilot, violation: boolean, reward = 1): number[] {
  const action = new Float32Array(3)
  expect(pilot.decide(seen, action)).toBe('agent')
  const transition = { observation: seen, action, reward, nextObservation: seen, terminated: false }
  pilot.observe(transition, { violation: violation ? 1 : 0 })
  return [...action]
}

describe('MarginPilot', () => {
  it('is the policy as it stands until something breaks', () => {
    const { pilot } = around()
    expect(step(pilot, false)).toEqual([0.5, 0.5, 0.5])
    expect(step(pilot, false)).toEqual([0.5, 0.5, 0.5])
    expect(pilot.margin).toBe(0)
  })

  it('leans to the safe side of each coordinate at once and gives the lean back slowly', () => {
    const { pilot } = around()
    step(pilot, true) // 0.2 · (1 − 0.1)
    expect(pilot.margin).toBeCloseTo(0.18, 12)
    const [up, down, neither] = step(pilot, false) // −0.2 · 0.1
    expect([up, down]).toEqual([Math.fround(0.5 + 0.18), Math.fround(0.5 - 0.18)])
    expect(neither).toBe(0.5)
    expect(pilot.margin).toBeCloseTo(0.16, 12)
    for (let i = 0; i < 8; i++) step(pilot, false)
    expect(pilot.margin).toBeCloseTo(0, 12)
  })

  it('stays inside the action space, and its margin inside 0 … 1', () => {
    const { pilot } = around({ gain: 1 })
    for (let i = 0; i < 5; i++) step(pilot, true)
    expect(pilot.margin).toBe(1)
    expect(step(pilot, true)).toEqual([1, -0.5, 0.5])
  })

  it('bounds the share of violations whatever the system does, as long as the margin stays below 1', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (violations) => {
        const { pilot } = around({ gain: 0.004 }) // 200 · 0.004 · 0.9 < 1
        for (const violation of violations) step(pilot, violation)
        const share = violations.filter(Boolean).length / violations.length
        expect(share).toBeLessThanOrEqual(0.1 + pilot.margin / (0.004 * violations.length) + 1e-9)
      }),
    )
  })

  it('brings the violations of a system that it can mend down to the allowed rate', () => {
    const { pilot } = around({ gain: 0.05 })
    let violations = 0
    for (let i = 0; i < 2000; i++) {
      const isBroken = 0.5 + pilot.margin < 0.8 // needs a lean of 0.3
      step(pilot, isBroken)
      if (isBroken) violations++
    }
    expect(violations / 2000).toBeLessThan(0.105)
    expect(violations / 2000).toBeGreaterThan(0.09)
  })

  it('learns from what was applied and, beside it, from what is known without trying', () => {
    const imagined = { observation: seen, action: seen, reward: 7, nextObservation: seen, terminated: false }
    const { pilot, learned, calls } = around({ hindsight: (action) => (action[0] === 0.5 ? imagined : undefined) })
    step(pilot, true, 3)
    step(pilot, false, 4) // leans by now: no hindsight
    pilot.endEpisode()
    expect(learned.map(({ reward }) => reward)).toEqual([7, 3, 4])
    expect(calls).toEqual(['update', 'update', 'endEpisode'])
  })

  it('serves the policy with the margin that was measured, and goes on from there', () => {
    const { pilot } = around()
    step(pilot, true)
    const [served, resumed] = [new Float32Array(3), new Float32Array(3)]
    pilot.policy.decide(seen, served)
    around({ margin: pilot.margin }).pilot.policy.decide(seen, resumed)
    expect(served[0]).toBe(Math.fround(0.68))
    expect(resumed).toEqual(served)
  })

  it('passes on an answer that is none, for the guard to see', () => {
    expect(step(around({}, constant(Number.NaN)).pilot, false)[0]).toBeNaN()
  })

  it('refuses options that make no sense, all at once', () => {
    const refuse = () => around({ allowedRate: 0, gain: -1, margin: 2, safeDirection: [0, 0, 0] })
    expect(refuse).toThrow(/allowedRate must be inside 0 … 1, got 0/)
    expect(refuse).toThrow(/gain must be > 0 and <= 1, got -1/)
    expect(refuse).toThrow(/margin must be in 0 … 1, got 2/)
    expect(refuse).toThrow(/safe side of at least one coordinate/)
    expect(() => around({ safeDirection: [1] })).toThrow(/safeDirection must have 3 entries, got 1/)
  })
})

describe('MarginPilot on levels in order', () => {
  const levels: Space = discreteSpace('frequency', 11)

  it('leans by whole levels: one from the first violation on, until it has been given back', () => {
    const { pilot } = around({ safeDirection: [1], gain: 0.05 }, constant(6), levels)
    const act = (violation: boolean): number => {
      const action = new Float32Array(1)
      pilot.decide(seen, action)
      pilot.observe(
        { observation: seen, action, reward: 1, nextObservation: seen, terminated: false },
        { violation: violation ? 1 : 0 },
      )
      return action[0]!
    }
    expect([act(false), act(true), act(false)]).toEqual([6, 6, 7])
    for (let i = 0; i < 10; i++) act(false)
    expect(act(false)).toBe(6)
  })

  it('never leaves the levels, whatever the policy and the history', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 10 }), fc.boolean())), (history) => {
        let says = 0
        const policy: Controller = { name: 'any', decide: (_, out) => void out.fill(says) }
        const { pilot } = around({ safeDirection: [-1] }, policy, levels)
        const action = new Float32Array(1)
        for (const [level, violation] of history) {
          says = level
          pilot.decide(seen, action)
          expect(Number.isInteger(action[0]) && action[0]! >= 0 && action[0]! <= level).toBe(true)
          const transition = { observation: seen, action, reward: 1, nextObservation: seen, terminated: false }
          pilot.observe(transition, { violation: violation ? 1 : 0 })
        }
      }),
    )
  })
})
