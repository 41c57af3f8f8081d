import type { Space, Step } from '@trimtab/core'
import { discreteSpace } from '@trimtab/learn'
import { describe, expect, it } from 'vitest'
import { fitMargin, type MarginFitOptions } from '../src/index.js'
import { box, constant } from './toys.js'

/** Ten steps that need 0, 0.1, … 0.9 (of a number of levels): what has less breaks. The seed is not asked. */
class Needs {
  readonly observation: Space = box(['step'], 0, 10)
  readonly action: Space
  #step = 0

  constructor(action: Space) {
    this.action = action
  }
  reset(): Float32Array {
    this.#step = 0
    return Float32Array.of(0)
  }
  step([size]: Float32Array): Step {
    const need = 0.1 * this.#step++ * Math.max(1, this.action.high[0]!)
    const info = { late: size! < need - 1e-6 ? 3 : 0 }
    const observation = Float32Array.of(this.#step)
    return { observation, reward: -size!, terminated: false, truncated: this.#step === 10, info }
  }
}

const options: MarginFitOptions = { violationsOf: (info) => info.late!, safeDirection: [1], seeds: [1, 2], share: 1 }
const world = (): Needs => new Needs(box(['size'], -1, 1))

describe('fitMargin', () => {
  it('finds the least margin with which the policy breaks no more than its rule', () => {
    const parts = { policy: constant(0.2), rule: constant(0.7), environment: world() }
    const { policy, margin, violations, ruleViolations } = fitMargin(parts, options)
    expect(ruleViolations).toBe(2 * 2 * 3) // two steps an episode, three jobs each
    expect(violations).toBe(12)
    expect(margin).toBeCloseTo(0.5, 12)
    const out = new Float32Array(1)
    policy.decide(new Float32Array(1), out)
    expect(out[0]).toBeCloseTo(0.7, 6)
  })

  it('leaves a policy alone that is good enough, and asks for a share of the violations of its rule', () => {
    const parts = { policy: constant(0.8), rule: constant(0.7), environment: world() }
    expect(fitMargin(parts, options).margin).toBe(0)
    expect(fitMargin(parts, { ...options, share: 0.5 }).margin).toBe(0)
    expect(fitMargin(parts, { ...options, share: 0.4, step: 0.05 }).margin).toBeCloseTo(0.1, 12)
  })

  it('gives the rule back where no margin is enough', () => {
    const nothingIsEnough = { ...options, violationsOf: () => 1, share: 0.9 }
    const rule = constant(0.7)
    const fit = fitMargin({ policy: constant(0.2), rule, environment: world() }, nothingIsEnough)
    expect(fit).toEqual({ policy: rule, margin: undefined, violations: 20, ruleViolations: 20 })
  })

  it('leans by whole levels where the action is one of several', () => {
    const parts = { policy: constant(4), rule: constant(7), environment: new Needs(discreteSpace('level', 11)) }
    const { policy, violations, ruleViolations } = fitMargin(parts, options)
    expect(violations).toBe(ruleViolations)
    const out = new Float32Array(1)
    policy.decide(new Float32Array(1), out)
    expect(out[0]).toBe(7)
  })

  it('refuses what it cannot fit with, all at once', () => {
    const parts = { policy: constant(0), rule: constant(0), environment: world() }
    const wrong = { ...options, safeDirection: [0], share: -1, step: 0, seed: 1 } as MarginFitOptions
    expect(() => fitMargin(parts, wrong)).toThrow(/options\.seed.*safeDirection.*share.*step/s)
  })
})
