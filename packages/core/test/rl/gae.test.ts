import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore } from '../../src/index.js'
import { generalisedAdvantages, monteCarloReturns, type Steps } from '../../src/internal.js'
import { wave } from '../builds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const T = 12
const steps: Steps = {
  rewards: wave(T, 1),
  values: wave(T, 2),
  nextValues: wave(T, 3),
  terminated: Array.from({ length: T }, (_, t) => t === 3),
  truncated: Array.from({ length: T }, (_, t) => t === 7 || t === 3),
}

/** By the definition: advantage_t = Σ_k (γλ)^k δ_{t+k} up to the end of the episode. */
function slowAdvantages(
  { rewards, values, nextValues, terminated, truncated }: Steps,
  discount: number,
  lambda: number,
) {
  return Array.from({ length: T }, (_, t) => {
    let sum = 0
    for (let k = t; k < T; k++) {
      const next = terminated[k] ? 0 : nextValues[k]!
      sum += (discount * lambda) ** (k - t) * (rewards[k]! + discount * next - values[k]!)
      if (terminated[k] || truncated[k]) break
    }
    return sum
  })
}

describe('generalisedAdvantages', () => {
  it.each([
    [0.99, 0.95],
    [0.9, 0],
    [1, 1],
    [0, 0.5],
  ])('is the sum of discounted errors up to the end of the episode: γ %d, λ %d', (discount, lambda) => {
    const { advantages, returns } = generalisedAdvantages(core, steps, discount, lambda)
    for (const [t, expected] of slowAdvantages(steps, discount, lambda).entries()) {
      expect(advantages[t]).toBeCloseTo(expected, 12)
      expect(returns[t]).toBeCloseTo(expected + steps.values[t]!, 12)
    }
  })

  it('lets the future count after a time limit and not after an end', () => {
    const one = (terminated: boolean): number =>
      generalisedAdvantages(
        core,
        { rewards: [1], values: [0], nextValues: [10], terminated: [terminated], truncated: [true] },
        0.5,
        1,
      ).advantages[0]!
    expect(one(false)).toBe(6)
    expect(one(true)).toBe(1)
  })

  it('does not look at the value behind an end, whatever it is', () => {
    const changed = { ...steps, nextValues: Float64Array.from(steps.nextValues).fill(1e300, 3, 4) }
    expect(generalisedAdvantages(core, changed, 0.9, 0.9)).toEqual(generalisedAdvantages(core, steps, 0.9, 0.9))
  })

  it('gives nothing for no steps', () => {
    const none: Steps = { rewards: [], values: [], nextValues: [], terminated: [], truncated: [] }
    expect(generalisedAdvantages(core, none, 0.9, 0.9).advantages).toHaveLength(0)
  })

  it.each([
    ['columns of different length', { ...steps, values: [1] }, 'size_mismatch'],
    ['a NaN reward', { ...steps, rewards: Float64Array.from(steps.rewards).fill(NaN, 2, 3) }, 'not_finite'],
  ] as const)('refuses %s', (_, bad, code) => {
    expect(() => generalisedAdvantages(core, bad, 0.9, 0.9)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses a discount beyond 1', () => {
    expect(() => generalisedAdvantages(core, steps, 1.1, 0.9)).toThrow(/discount must be in \[0, 1\], got 1.1/)
  })
})

describe('monteCarloReturns', () => {
  it('sums the discounted rewards of each episode and nothing beyond', () => {
    const { advantages, returns } = monteCarloReturns(core, steps, 0.9)
    const ends = [3, 7, T - 1]
    for (let t = 0; t < T; t++) {
      const end = ends.find((last) => last >= t)!
      let sum = 0
      for (let k = t; k <= end; k++) sum += 0.9 ** (k - t) * steps.rewards[k]!
      expect(returns[t]).toBeCloseTo(sum, 12)
      expect(advantages[t]).toBeCloseTo(sum - steps.values[t]!, 12)
    }
  })
})
