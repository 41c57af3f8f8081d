import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classesOf, classOf, LengthDistribution } from '../../src/predict/length-distribution.js'

const filled = (lengths: readonly number[]): LengthDistribution => {
  const distribution = new LengthDistribution()
  for (const length of lengths) distribution.add(length)
  return distribution
}

/** numpy's default percentile. */
function percentile(lengths: readonly number[], share: number): number {
  const sorted = [...lengths].sort((a, b) => a - b)
  const rank = share * (sorted.length - 1)
  const below = Math.floor(rank)
  return sorted[below]! + (rank - below) * ((sorted[below + 1] ?? sorted[below]!) - sorted[below]!)
}

describe('the borders of classes', () => {
  it('are the percentiles 25, 50, 75 and 99, exact below 256 tokens and within 0.4 % above', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 32, maxLength: 300 }), (lengths) => {
        const { borders } = classesOf(filled(lengths), new LengthDistribution())!
        for (const [i, share] of [0.25, 0.5, 0.75, 0.99].entries()) {
          const true_ = percentile(lengths, share)
          expect(Math.abs(borders[i]! - true_)).toBeLessThanOrEqual(true_ < 256 ? 1 : 0.004 * true_ + 1)
        }
      }),
    )
    const short = Array.from({ length: 101 }, (_, i) => i)
    expect([...classesOf(filled(short), new LengthDistribution())!.borders]).toEqual([25, 50, 75, 99])
  })

  it('come from all models while a model has few answers of its own', () => {
    const all = filled(Array.from({ length: 1000 }, (_, i) => i))
    const none = classesOf(undefined, all)!
    expect(none.borders[1]).toBeCloseTo(499.5, -1)
    const some = classesOf(filled([5, 5, 5, 5]), all)!
    expect(some.borders[1]!).toBeLessThan(none.borders[1]!)
    const many = classesOf(filled(new Array(32).fill(5)), all)!
    expect([...many.borders]).toEqual([5, 5, 5, 5])
  })

  it('are unknown where nothing was seen', () => {
    expect(classesOf(undefined, new LengthDistribution())).toBeUndefined()
  })

  it('divide lengths into 0 … 4, a border belonging to the class above', () => {
    const borders = Float64Array.of(10, 20, 30, 40)
    expect([0, 9, 10, 19.5, 20, 30, 39, 40, 1e9].map((tokens) => classOf(borders, tokens))).toEqual([
      0, 0, 1, 1, 2, 3, 3, 4, 4,
    ])
  })
})

it('means of classes, weighed by their shares, give the mean of all', () => {
  const lengths = Array.from({ length: 400 }, (_, i) => (i * 37) % 211)
  const { means, borders } = classesOf(filled(lengths), new LengthDistribution())!
  const shares = new Array<number>(5).fill(0)
  for (const length of lengths) shares[classOf(borders, length)]! += 1 / lengths.length
  const mean = lengths.reduce((a, b) => a + b, 0) / lengths.length
  expect(shares.reduce((sum, share, i) => sum + share * means[i]!, 0)).toBeCloseTo(mean, 6)
})

it('forgets old answers once it has seen many', () => {
  const distribution = new LengthDistribution(undefined, 1000)
  for (let i = 0; i < 2000; i++) distribution.add(10)
  for (let i = 0; i < 2000; i++) distribution.add(200)
  expect(distribution.total).toBeLessThan(1000)
  expect(classesOf(distribution, new LengthDistribution())!.borders[0]).toBe(200)
})
