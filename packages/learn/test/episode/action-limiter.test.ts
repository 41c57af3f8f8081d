import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ActionLimiter, type ActionLimits } from '../../src/episode/action-limiter.js'
import { clipReasons } from '../../src/episode/clip-reason.js'
import { discreteSpace } from '../../src/index.js'
import { box } from './toys.js'

const replicas = box(['replicas'], 1, 20)

/** Applies a sequence of wishes to one coordinate and returns what was let through. */
function through(limits: ActionLimits, wishes: number[], initial?: number[]): number[] {
  const limiter = new ActionLimiter(replicas, limits, initial)
  return wishes.map((wish) => {
    const action = Float32Array.of(wish)
    limiter.apply(action)
    return action[0]!
  })
}

describe('ActionLimiter', () => {
  it('keeps actions inside the bounds and says so', () => {
    const limiter = new ActionLimiter(replicas)
    const action = Float32Array.of(25)
    expect(clipReasons(limiter.apply(action))).toEqual(['bounds'])
    expect(action[0]).toBe(20)
  })

  it('limits rising and falling apart', () => {
    const limits = { replicas: { increase: { maxStep: 4 }, decrease: { maxStep: 1 } } }
    expect(through(limits, [10, 20, 20, 1, 1])).toEqual([10, 14, 18, 17, 16])
  })

  it('counts the first action as free without an initial one, and limits it with one', () => {
    const limits = { replicas: { increase: { maxStep: 2 } } }
    expect(through(limits, [15])).toEqual([15])
    expect(through(limits, [15], [5])).toEqual([7])
  })

  it('lets a coordinate fall again only after its cool-down, counted from its last change in any direction', () => {
    const limits = { replicas: { decrease: { coolDownSteps: 2 } } }
    expect(through(limits, [10, 9, 8, 7, 12, 6, 6, 6], [10])).toEqual([10, 9, 9, 9, 12, 12, 12, 6])
  })

  it('does not let a cool-down on the way down delay a rise', () => {
    const limits = { replicas: { decrease: { coolDownSteps: 100 } } }
    expect(through(limits, [5, 9, 13, 2], [4])).toEqual([5, 9, 13, 13])
  })

  it('explains every limit that took part', () => {
    const limiter = new ActionLimiter(replicas, { replicas: { decrease: { maxStep: 1, coolDownSteps: 5 } } }, [10])
    const reasons = [9, 0].map((wish) => clipReasons(limiter.apply(Float32Array.of(wish))))
    expect(reasons).toEqual([[], ['bounds', 'step', 'cool_down']])
  })

  it('rounds the choice of a discrete space', () => {
    const limiter = new ActionLimiter({
      names: ['choice'],
      low: Float64Array.of(0),
      high: Float64Array.of(2),
      kind: 'discrete',
    })
    const action = Float32Array.of(1.6)
    expect(clipReasons(limiter.apply(action))).toEqual([])
    expect(action[0]).toBe(2)
  })

  it('holds the middle of the bounds before anything was applied, then what was applied last', () => {
    const limiter = new ActionLimiter(box(['x'], -1, 1))
    const out = new Float32Array(1)
    limiter.hold(out)
    expect(out[0]).toBe(0)
    limiter.apply(Float32Array.of(0.5))
    limiter.hold(out)
    expect(out[0]).toBe(0.5)
    limiter.reset()
    limiter.hold(out)
    expect(out[0]).toBe(0)
  })

  it('never leaves bounds that no 32-bit float hits exactly', () => {
    const bounds = fc.tuple(
      fc.double({ noNaN: true, min: -1e30, max: 1e30 }),
      fc.double({ noNaN: true, min: 1e-3, max: 1e30 }),
    )
    fc.assert(
      fc.property(bounds, fc.float({ noNaN: true }), ([low, width], wish) => {
        const high = low + width
        fc.pre(Number.isFinite(high) && Math.fround(low) < Math.fround(high))
        const action = Float32Array.of(wish)
        const space = { names: ['x'], low: Float64Array.of(low), high: Float64Array.of(high), kind: 'box' } as const
        let limiter: ActionLimiter
        try {
          limiter = new ActionLimiter(space)
        } catch {
          return // no 32-bit float lies between the two: refused at construction
        }
        limiter.apply(action)
        expect(action[0]! >= low && action[0]! <= high).toBe(true)
      }),
    )
  })

  it('obeys bounds, step limits and cool-downs for whatever is wished', () => {
    const limit = fc.record({
      maxStep: fc.float({ min: 0, max: 3, noNaN: true }),
      coolDownSteps: fc.integer({ min: 0, max: 3 }),
    })
    const wishes = fc.array(fc.tuple(fc.float({ noNaN: true }), fc.float({ noNaN: true })), { maxLength: 40 })
    const low = -2
    const high = 7.3
    fc.assert(
      fc.property(limit, limit, wishes, (increase, decrease, sequence) => {
        const limiter = new ActionLimiter(
          box(['a', 'b'], low, high),
          { a: { increase, decrease }, b: { increase } },
          [0, 0],
        )
        const last = [0, 0]
        const sinceChange = [1e9, 1e9]
        for (const wish of sequence) {
          const action = Float32Array.from(wish)
          limiter.apply(action)
          for (const i of [0, 1]) {
            const limits = [
              { increase, decrease },
              { increase, decrease: { maxStep: 1e9, coolDownSteps: 0 } },
            ][i]!
            const value = action[i]!
            const { maxStep, coolDownSteps } = value > last[i]! ? limits.increase : limits.decrease
            sinceChange[i]!++
            expect(value >= low && value <= high).toBe(true)
            // The limit is kept in f64 and the action is f32: one rounding of a number below 8.
            expect(Math.abs(value - last[i]!)).toBeLessThanOrEqual(maxStep + 2 ** -21)
            if (value !== last[i]) {
              expect(sinceChange[i]!).toBeGreaterThan(coolDownSteps)
              sinceChange[i] = 0
            }
            last[i] = value
          }
        }
      }),
    )
  })

  it('reports every problem of its configuration at once', () => {
    const limits = { replica: {}, replicas: { increase: { maxStep: -1 }, decrease: { coolDownSteps: 0.5 } } }
    const refuse = () => new ActionLimiter(replicas, limits, [30])
    expect(refuse).toThrow(/limits\.replica: no such action; there are replicas/)
    expect(refuse).toThrow(/limits\.replicas\.increase\.maxStep must be >= 0, got -1/)
    expect(refuse).toThrow(/coolDownSteps must be a whole number >= 0, got 0\.5/)
    expect(refuse).toThrow(/initialAction must be 1 numbers inside the action space, got \[30\]/)
  })

  it.each([
    ['a lower bound above the upper', 2, 1],
    ['an infinite bound', 0, Number.POSITIVE_INFINITY],
    ['a bound that is not a number', Number.NaN, 1],
  ])('refuses %s', (_name, low, high) => {
    expect(() => new ActionLimiter(box(['x'], low, high))).toThrow(/action x must have finite bounds with low <= high/)
  })

  it('moves a discrete action by whole levels, and starts from one', () => {
    const space = discreteSpace('level', 6)
    const limiter = new ActionLimiter(space, { level: { increase: { maxStep: 1.5 }, decrease: { maxStep: 2 } } })
    const held = new Float32Array(1)
    limiter.hold(held)
    expect(held[0]).toBe(2) // the lower of both in the middle
    const levels = [1, 5, 5, 0].map((wish) => {
      const action = Float32Array.of(wish)
      limiter.apply(action)
      return action[0]
    })
    expect(levels).toEqual([1, 2, 3, 1])
    expect(() => new ActionLimiter(space, {}, [2.5])).toThrow(
      /initialAction must be a level, a whole number, got \[2.5\]/,
    )
  })
})
