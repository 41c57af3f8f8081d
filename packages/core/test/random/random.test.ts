import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Random } from '../../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const draw = (n: number, next: () => number): number[] => Array.from({ length: n }, next)
const mean = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0) / x.length
const variance = (x: readonly number[]): number => {
  const centre = mean(x)
  return mean(x.map((v) => (v - centre) ** 2))
}

describe('Random', () => {
  it('gives the same numbers for the same seed and stream, others otherwise', () => {
    const a = draw(20, () => 0)
    const of = (seed: number, stream: number) => {
      const random = new Random(core, seed, stream)
      return a.map(() => random.uniform())
    }
    expect(of(7, 1)).toEqual(of(7, 1))
    expect(of(7, 1)).not.toEqual(of(7, 2))
    expect(of(7, 1)).not.toEqual(of(7 + 2 ** 33, 1))
    expect(of(7, 0)).not.toEqual(of(8, 0))
    expect(of(7, 0)).not.toEqual(of(7, 1))
  })

  it('continues exactly from a saved state, the spare normal included', () => {
    const random = new Random(core, 3)
    random.normal()
    const state = random.save()
    const first = draw(9, () => random.normal())
    random.load(state)
    expect(draw(9, () => random.normal())).toEqual(first)
  })

  // Moments of 40,000 draws: bounds are five standard errors.
  const n = 40_000
  it.each([
    ['uniform', (r: Random) => r.uniform(), 0.5, 1 / 12],
    ['normal', (r: Random) => r.normal(), 0, 1],
    ['exponential', (r: Random) => r.exponential(), 1, 1],
    ['gamma 0.5', (r: Random) => r.gamma(0.5), 0.5, 0.5],
    ['gamma 3', (r: Random) => r.gamma(3), 3, 3],
    ['beta 2 5', (r: Random) => r.beta(2, 5), 2 / 7, 10 / (49 * 8)],
    ['poisson 0.4', (r: Random) => r.poisson(0.4), 0.4, 0.4],
    ['poisson 12', (r: Random) => r.poisson(12), 12, 12],
    ['poisson 4000', (r: Random) => r.poisson(4000), 4000, 4000],
    ['integer 6', (r: Random) => r.integer(6), 2.5, 35 / 12],
  ] as const)('%s has the right mean and variance', (_, next, expectedMean, expectedVariance) => {
    const random = new Random(core, 11)
    const x = draw(n, () => next(random))
    expect(Math.abs(mean(x) - expectedMean)).toBeLessThan(5 * Math.sqrt(expectedVariance / n))
    expect(Math.abs(variance(x) / expectedVariance - 1)).toBeLessThan(0.1)
  })
})
