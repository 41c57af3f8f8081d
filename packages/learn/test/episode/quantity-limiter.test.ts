import type { Actuator } from '@trimtab/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Guard, type GuardOptions, HOLD, type QuantityLimit, servingPilot } from '../../src/index.js'
import { box, constant, controller } from './toys.js'

/** Replicas follow a load: an action asks for so many a unit of it, so that the same action means something else in each step. */
class Replicas implements Actuator {
  readonly quantities = [
    { name: 'replicas', low: 1, high: 100, isWhole: true },
    { name: 'memoryMiB', low: 64, high: 4096, isWhole: false },
  ]
  load = 10
  readonly now = Float64Array.of(10, 1000)
  #overruled: Float64Array | undefined

  inForce(out: Float64Array): void {
    out.set(this.now)
  }
  toUnits(action: Float32Array, out: Float64Array): void {
    this.#overruled = undefined
    out[0] = Math.min(100, Math.max(1, Math.round(this.load * (1 + action[0]!))))
    out[1] = Math.min(4096, Math.max(64, 2000 * (1 + action[1]!)))
  }
  overrule(units: Float64Array, action: Float32Array): void {
    this.#overruled = units.slice()
    action[0] = Math.max(-1, Math.min(1, units[0]! / this.load - 1))
    action[1] = units[1]! / 2000 - 1
  }
  /** What a step does. */
  step(action: Float32Array): number[] {
    const overruled = this.#overruled
    if (overruled) this.now.set(overruled)
    else this.toUnits(action, this.now)
    this.#overruled = undefined
    return [...this.now]
  }
}

const observation = box(['load'], 0, 1000)
const action = box(['replicasPerLoad', 'memory'], -1, 1)
const seen = Float32Array.of(1)
const unseen = Float32Array.of(Number.NaN)

function around(quantityLimits: Record<string, QuantityLimit>, options: GuardOptions = {}) {
  const actuator = new Replicas()
  const guard = new Guard({ observation, action, actuator }, { ...options, quantityLimits })
  const out = new Float32Array(2)
  const decide = (wish: number, observed = seen) => {
    guard.receive(observed)
    return guard.decide(servingPilot(constant(wish), HOLD), observed, out)
  }
  const act = (wish: number, observed = seen): number[] => {
    decide(wish, observed)
    return actuator.step(out)
  }
  return { actuator, guard, decide, act, out }
}

describe('limits in the units of the actuator', () => {
  it('let replicas rise by two a step and never fall under three, and say so', () => {
    const { act, guard, actuator } = around({ replicas: { min: 3, increase: { maxStep: 2 } } })
    expect(act(1)[0]).toBe(12) // 20 were asked for
    expect(guard.clippedBy).toEqual(['quantity_step'])
    expect(act(-1)[0]).toBe(3)
    expect(guard.clippedBy).toEqual(['quantity_bounds'])
    actuator.load = 5
    expect(act(0)[0]).toBe(5)
    expect(guard.clippedBy).toEqual([])
  })

  it('let memory move by a fifth of what is in force', () => {
    const { act } = around({ memoryMiB: { increase: { maxShare: 0.2 }, decrease: { maxShare: 0.2 } } })
    const [up, down] = [act(1)[1]!, act(-1)[1]!]
    expect(up).toBeCloseTo(1200, 9)
    expect(down).toBeCloseTo(960, 9)
  })

  it('let a whole quantity move by one where its share is less, and by whole numbers below a limit that is none', () => {
    const { act } = around({ replicas: { increase: { maxShare: 0.05 }, decrease: { maxStep: 2.5 } } })
    expect(act(1)[0]).toBe(11)
    expect(act(-1)[0]).toBe(9)
  })

  it('keep a quantity still after a change for as long as its cool-down says', () => {
    const { act, guard } = around({ replicas: { decrease: { coolDownSteps: 2 } } })
    expect([act(1)[0], act(-0.5)[0]]).toEqual([20, 20])
    expect(guard.clippedBy).toEqual(['quantity_cool_down'])
    expect([act(-0.5)[0], act(-0.5)[0]]).toEqual([20, 5])
  })

  it('start from what is in force, whoever brought it there, and bring it inside the bounds at once', () => {
    const { act, actuator } = around({ replicas: { min: 3, increase: { maxStep: 1 } } })
    actuator.now[0] = 1 // somebody scaled by hand
    expect(act(1)[0]).toBe(3)
    actuator.now[0] = 40
    expect(act(1)[0]).toBe(20)
  })

  it('go by what was last asked for where what is in force is not known', () => {
    const { act, actuator } = around({ replicas: { increase: { maxStep: 1 } } })
    act(0)
    actuator.now[0] = Number.NaN
    expect(act(1)[0]).toBe(11)
  })

  it('hold what is in force, not the action: the load has doubled meanwhile', () => {
    const { act, decide, actuator, out } = around({})
    expect(act(0)[0]).toBe(10)
    actuator.load = 20
    expect(decide(0, unseen)).toBe('hold')
    expect(actuator.step(out)).toEqual([10, 2000])
    expect(out[0]).toBe(-0.5) // the action that means this now: what is learned from
  })

  it('forget an overruled decision that no step has carried out', () => {
    const { decide, act, actuator } = around({ replicas: { increase: { maxStep: 1 } } })
    decide(1)
    actuator.load = 4
    expect(act(0)[0]).toBe(4)
  })

  it('stay beside those on the action', () => {
    const { act, guard, out } = around(
      { replicas: { max: 12 } },
      { limits: { memory: { increase: { maxStep: 0.25 } } }, initialAction: [0, 0] },
    )
    expect(act(1)).toEqual([12, 2500])
    expect(guard.clippedBy).toEqual(['step', 'quantity_bounds'])
    expect([...out]).toEqual([Math.fround(0.2), 0.25])
  })

  it('are never left, whoever acts: an agent at random, a rule at random, or nobody', () => {
    const wish = fc.float({ noNaN: false })
    const step = fc.record({ wish, rule: wish, load: fc.integer({ min: 1, max: 90 }), isSeen: fc.boolean() })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const limits = fc.record({ min: fc.integer({ min: 1, max: 10 }), up: fc.integer({ min: 0, max: 9 }), share })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), limits, (steps, { min, up, share }) => {
        const actuator = new Replicas()
        const quantityLimits = {
          replicas: { min, increase: { maxStep: up } },
          memoryMiB: { increase: { maxShare: share }, decrease: { maxShare: share } },
        }
        const guard = new Guard({ observation, action, actuator }, { quantityLimits })
        const out = new Float32Array(2)
        for (const { wish, rule, load, isSeen } of steps) {
          const [replicas, memory] = actuator.now
          actuator.load = load
          const observed = isSeen ? seen : unseen
          guard.receive(observed)
          guard.decide(
            servingPilot(
              controller(() => wish),
              controller(() => rule),
            ),
            observed,
            out,
          )
          const [nextReplicas, nextMemory] = actuator.step(out)
          expect(Number.isInteger(nextReplicas)).toBe(true)
          expect(nextReplicas).toBeGreaterThanOrEqual(min)
          expect(nextReplicas! - replicas!).toBeLessThanOrEqual(Math.max(up, min - replicas!))
          expect(Math.abs(nextMemory! - memory!)).toBeLessThanOrEqual(memory! * (share + 2 ** -52))
        }
      }),
    )
  })
})

describe('limits in the units of the actuator: what is refused', () => {
  it('names every problem at once', () => {
    const limits = {
      pods: { min: 1 },
      replicas: { min: 200, increase: { maxStep: -1, maxShare: Number.NaN }, atMost: 3 },
      memoryMiB: { min: 500, max: 400, decrease: { coolDownSteps: 0.5, step: 1 } },
    } as Record<string, QuantityLimit>
    for (const fault of [
      /quantityLimits\.pods: no such quantity; there are replicas, memoryMiB/,
      /quantityLimits\.replicas\.atMost is no option/,
      /quantityLimits\.replicas must leave something of 1 … 100, got min 200/,
      /quantityLimits\.replicas\.increase\.maxStep must be >= 0, got -1/,
      /quantityLimits\.replicas\.increase\.maxShare must be >= 0, got NaN/,
      /quantityLimits\.memoryMiB must leave something of 64 … 4096, got min 500, max 400/,
      /quantityLimits\.memoryMiB\.decrease\.coolDownSteps must be a whole number >= 0, got 0\.5/,
      /quantityLimits\.memoryMiB\.decrease\.step is no option/,
    ]) {
      expect(() => around(limits)).toThrow(fault)
    }
  })

  it('needs an actuator, and known options', () => {
    const world = { observation, action }
    expect(() => new Guard(world, { quantityLimits: { replicas: { min: 1 } } })).toThrow(
      /need an environment with an actuator/,
    )
    expect(() => new Guard(world, { maxAge: 3 } as GuardOptions)).toThrow(
      /guard\.maxAge is no option; there are limits/,
    )
  })
})
