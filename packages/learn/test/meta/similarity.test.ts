import { createCore, Random } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { CostForecast, distanceFrom, spearman } from '../../src/meta/similarity.js'

describe('forecast of what adaptation costs', () => {
  it('is the least-squares line, by hand', () => {
    const forecast = new CostForecast([
      { similarity: 0, cost: 1 },
      { similarity: 1, cost: 3 },
      { similarity: 2, cost: 4 },
      { similarity: 3, cost: 8 },
    ])
    expect(forecast.slope).toBeCloseTo(2.2, 12)
    expect(forecast.intercept).toBeCloseTo(0.7, 12)
    expect(forecast.at(1).expected).toBeCloseTo(2.9, 12)
  })

  it('its errors are those of lines fitted without the sample', () => {
    const samples = [0, 1, 2, 4, 7].map((similarity, i) => ({ similarity, cost: [3, 1, 4, 1, 5][i]! }))
    const wanted = samples.map((left) => {
      const others = new CostForecast(samples.filter((sample) => sample !== left))
      return left.cost - others.at(left.similarity).expected
    })
    const { errors } = new CostForecast(samples)
    for (const [i, error] of wanted.sort((a, b) => a - b).entries()) expect(errors[i]).toBeCloseTo(error, 10)
  })

  it('holds new samples as often as it says', async () => {
    using random = new Random(await createCore(), 3)
    const draw = (): { similarity: number; cost: number } => {
      const similarity = random.uniform()
      return { similarity, cost: 0.5 - 0.4 * similarity + random.normal(0, 0.05) }
    }
    const forecast = new CostForecast(Array.from({ length: 200 }, draw))
    const inside = Array.from({ length: 1000 }, draw).filter(({ similarity, cost }) => {
      const { low, high } = forecast.at(similarity, 0.8)
      return cost >= low && cost <= high
    }).length
    expect(inside).toBeGreaterThan(750)
    expect(inside).toBeLessThan(850)
  })

  it('refuses what no line goes through', () => {
    const one = { similarity: 0.5, cost: 1 }
    expect(() => new CostForecast([one, one, one, one, one])).toThrow(/different similarity/)
    expect(() => new CostForecast([one, { similarity: 0.6, cost: 2 }])).toThrow(/got 2/)
  })
})

describe('out of distribution', () => {
  const pool = Array.from({ length: 100 }, (_, i) => Float32Array.of((i % 10) / 10, Math.floor(i / 10) / 10))

  it('an embedding between those of the pool is at home, one far from all of them is not', () => {
    expect(distanceFrom(pool, Float32Array.of(0.45, 0.5)).isOutOfDistribution).toBe(false)
    const far = distanceFrom(pool, Float32Array.of(2, 0.5))
    expect(far).toMatchObject({ isOutOfDistribution: true, nearest: expect.closeTo(1.1, 6) })
    expect(far.limit).toBeCloseTo(0.1, 6)
  })

  it('a pool of one says nothing', () => {
    expect(() => distanceFrom(pool.slice(0, 1), pool[0]!)).toThrow(/at least 2/)
  })
})

it('rank correlation gives equals their mean rank', () => {
  expect(spearman([1, 2, 3, 4], [10, 100, 1000, 10000])).toBeCloseTo(1, 12)
  expect(spearman([1, 2, 3, 4], [9, 7, 5, 1])).toBeCloseTo(-1, 12)
  expect(spearman([1, 2, 2, 3], [1, 3, 2, 4])).toBeCloseTo(0.9486833, 6) // SciPy's spearmanr
  expect(spearman([1, 1, 1], [1, 2, 3])).toBe(0)
})
