import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallPaths, NO_PATH } from '../../src/profile/call-paths.js'
import {
  addProduct,
  addSum,
  addTime,
  exactSum,
  MAX_TIME_NS,
  roundedSum,
  SUM_WORDS,
} from '../../src/profile/exact-sum.js'
import { bucketMiddle, bucketOf, bucketStart, Histograms, RELATIVE_ERROR } from '../../src/profile/histogram.js'
import { PairTable } from '../../src/profile/pair-table.js'

const anyTime = fc.oneof(
  fc.nat({ max: 1000 }),
  fc.maxSafeNat().map((n) => n % (MAX_TIME_NS + 1)),
  fc.integer({ min: 0, max: 52 }).map((power) => Math.min(MAX_TIME_NS, 2 ** power)),
  fc.constant(MAX_TIME_NS),
)

test('exact sums of times and products are those of bigints, and equal sums are equal words', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyTime, anyTime), { maxLength: 40 }), fc.nat(), (pairs, cut) => {
      const words = new Float64Array(3 * SUM_WORDS)
      const [whole, left, right] = [0, SUM_WORDS, 2 * SUM_WORDS] as const
      let expected = 0n
      for (const [i, [x, y]] of pairs.entries()) {
        expected += BigInt(x) * BigInt(y) + BigInt(x)
        const part = i < cut % (pairs.length + 1) ? left : right
        for (const at of [whole, part]) {
          addProduct(words, at, x, y)
          addTime(words, at, x)
        }
      }
      addSum(words, right, words, left)
      expect(exactSum(words, whole)).toBe(expected)
      expect(roundedSum(words, whole)).toBe(Number(expected))
      expect(words.slice(right)).toEqual(words.slice(whole, left))
    }),
    { numRuns: 3000 },
  )
})

test('a hundred million of the largest products are still exact', () => {
  const words = new Float64Array(2 * SUM_WORDS)
  addProduct(words, 0, MAX_TIME_NS, MAX_TIME_NS)
  let times = 1n
  for (; times < 2n ** 27n; times *= 2n) addSum(words, 0, words.slice(), 0)
  expect(exactSum(words, 0)).toBe(times * BigInt(MAX_TIME_NS) ** 2n)
})

test('every time is in its bucket, and the middle of the bucket within the stated error of it', () => {
  fc.assert(
    fc.property(anyTime, (time) => {
      const bucket = bucketOf(time)
      expect(bucketStart(bucket)).toBeLessThanOrEqual(time)
      expect(bucketStart(bucket + 1)).toBeGreaterThan(time)
      expect(bucketOf(bucketStart(bucket))).toBe(bucket)
      expect(Math.abs(bucketMiddle(bucket) - time)).toBeLessThanOrEqual(RELATIVE_ERROR * time * (1 + 1e-12))
    }),
    { numRuns: 5000 },
  )
  expect(RELATIVE_ERROR).toBeLessThan(0.01)
})

test('quantiles are within the stated error of the sorted times, for one cell and for several', () => {
  const times = fc.array(fc.tuple(fc.nat({ max: 3 }), anyTime), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(times, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
      const histograms = new Histograms()
      for (const [cell, time] of all) histograms.add(cell, bucketOf(time), 1)
      for (const cells of [[0], [1, 3], [0, 1, 2, 3]]) {
        const sorted = all
          .filter(([cell]) => cells.includes(cell))
          .map(([, time]) => time)
          .sort((a, b) => a - b)
        const histogram = histograms.read(cells)
        expect(histogram.count).toBe(sorted.length)
        const exact = sorted[Math.round(q * (sorted.length - 1))]
        if (exact === undefined) expect(histogram.quantile(q)).toBeNaN()
        else expect(Math.abs(histogram.quantile(q) - exact)).toBeLessThanOrEqual(RELATIVE_ERROR * exact * (1 + 1e-12))
      }
    }),
    { numRuns: 1000 },
  )
})

test('counts are exact beyond 32 bits, and so are those beside them', () => {
  const histograms = new Histograms()
  const most = 2 ** 32 - 1
  for (const [cell, bucket, count] of [
    [0, 8, most],
    [0, 9, 3],
    [1, 8, most],
    [1, 8, 1],
    [0, 8, most],
    [2, 500, 7],
  ] as const)
    histograms.add(cell, bucket, count)
  const counted = (cell: number) => [...histograms.read([cell]).counts]
  expect([0, 1, 2].map(counted)).toEqual([[2 * most, 3], [most + 1], [7]])
  const other = new Histograms()
  other.merge(histograms, Int32Array.of(2, 1, 0))
  expect([2, 1, 0].map((cell) => [...other.read([cell]).counts])).toEqual([0, 1, 2].map(counted))
})

test('the interval of a quantile has ends only where the samples reach them', () => {
  const histograms = new Histograms()
  for (let time = 1; time <= 100; time++) histograms.add(0, bucketOf(time * 1000), 1)
  const histogram = histograms.read([0])
  expect(histogram.quantileInterval(0.99).high).toBe(Number.POSITIVE_INFINITY) // a p99 of a hundred is anybody's guess
  const { low, high } = histogram.quantileInterval(0.5)
  // ranks 39 … 60 of order statistics: Conover 1999, Practical nonparametric statistics, 3.2
  expect(Math.abs(low / 40_000 - 1)).toBeLessThan(RELATIVE_ERROR)
  expect(Math.abs(high / 61_000 - 1)).toBeLessThan(RELATIVE_ERROR)
})

test('pairs are numbered in the order they are first seen, however many there are', () => {
  const table = new PairTable()
  const twin = new Map<string, number>()
  for (let i = 0; i < 20_000; i++) {
    const [first, second] = [(i * 7919) % 301, ((i * 104_729) % 97) - 1]
    const key = `${first} ${second}`
    expect(table.find(first, second)).toBe(twin.get(key) ?? -1)
    if (!twin.has(key)) twin.set(key, twin.size)
    expect(table.number(first, second)).toBe(twin.get(key))
  }
  expect(table.size).toBe(twin.size)
})

test('call paths know their parents, roots and depths', () => {
  const paths = new CallPaths()
  const [web, get] = ['web', 'get'].map((name) => paths.names.number(name)) as [number, number]
  const root = paths.path(NO_PATH, web, get)
  const child = paths.path(root, web, get)
  expect(paths.path(NO_PATH, web, get)).toBe(root)
  expect(paths.path(root, web, get)).toBe(child)
  expect([paths.parent(child), paths.root(child), paths.depth(child), paths.size]).toEqual([root, root, 1, 2])
})
