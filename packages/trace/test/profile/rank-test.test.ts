import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Histogram } from '../../src/profile/histogram.js'
import { rankTest } from '../../src/profile/rank-test.js'

/** Bucket numbers as samples: whole numbers stand for times. */
function histogram(samples: readonly number[]): Histogram {
  const buckets = Int32Array.from(new Set(samples)).sort()
  return new Histogram(
    buckets,
    Float64Array.from(buckets, (bucket) => samples.filter((sample) => sample === bucket).length),
  )
}
const sample = fc.array(fc.nat(9), { minLength: 1, maxLength: 12 })

test('is Wilcoxon’s: ranks summed by hand, variance corrected for ties', () => {
  fc.assert(
    fc.property(sample, sample, (before, after) => {
      const all = [...before, ...after]
      const rankOf = (value: number) =>
        all.filter((other) => other < value).length + (all.filter((other) => other === value).length + 1) / 2
      const [n, m, total] = [before.length, after.length, all.length]
      const rankSum = after.reduce((sum, value) => sum + rankOf(value), 0)
      const ranks = all.map(rankOf)
      const mean = (total + 1) / 2
      // the variance of a sum of m ranks drawn without replacement
      const spread = ranks.reduce((sum, rank) => sum + (rank - mean) ** 2, 0) / total
      const variance = total > 1 ? (n * m * spread) / (total - 1) : 0
      const { z, larger01 } = rankTest([{ before: histogram(before), after: histogram(after) }])
      expect(z).toBeCloseTo(variance > 0 ? (rankSum - m * mean) / Math.sqrt(variance) : 0, 9)
      const wins = after.flatMap((a) => before.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)))
      expect(larger01).toBeCloseTo(wins.reduce<number>((sum, win) => sum + win, 0) / (n * m), 9)
    }),
  )
})

test('compares within strata: more of the slow kind is no shift', () => {
  const slow = [90, 91, 92, 93]
  const fast = [10, 11, 12, 13]
  const many = (list: readonly number[]) => Array.from({ length: 20 }, () => list).flat()
  const strata = [
    { before: histogram(many(slow)), after: histogram(slow) },
    { before: histogram(fast), after: histogram(many(fast)) },
  ]
  expect(rankTest(strata)).toEqual({ z: 0, larger01: 0.5 })
  expect(rankTest([])).toEqual({ z: 0, larger01: 0.5 })
})

test('is not led by a few: one request a thousand times as long moves the mean and not this', () => {
  const before = Array.from({ length: 100 }, (_, i) => i)
  const after = [...before.slice(0, -1), 100_000]
  expect(Math.abs(rankTest([{ before: histogram(before), after: histogram(after) }]).z)).toBeLessThan(0.1)
})
