import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterOperators, type ModelOperator, partitionModel } from '../../src/index.js'

const scores = new Map([
  ['norm', 0.2],
  ['gelu', 0.3],
  ['dot', 1.9],
  ['conv', 2],
])
const op = (operator: string, latencyMs = 1): ModelOperator => ({ operator, latencyMs, memoryBytes: 10 })
const spans = (names: readonly string[], threshold = 0.5): [number, number][] =>
  clusterOperators(
    names.map((name) => op(name)),
    scores,
    threshold,
  ).map(({ begin, end }) => [begin, end])

describe('operator clustering (Algorithm 6.1)', () => {
  it('puts the head in once and keeps the last cluster, which the print loses', () => {
    expect(spans(['norm', 'gelu', 'dot', 'conv', 'norm'])).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
    ])
    expect(spans(['dot'])).toEqual([[0, 1]])
    expect(spans([])).toEqual([])
  })

  it('compares in both directions: |D(op) − score| < threshold', () => {
    expect(spans(['dot', 'norm'])).toHaveLength(2) // D(op) − score is −1.7: below any threshold without the absolute value
    expect(spans(['norm', 'dot'])).toHaveLength(2)
  })

  it('weighs the score of a cluster by latency', () => {
    const [cluster] = clusterOperators([op('norm', 3), op('gelu', 1)], scores, 1)
    expect(cluster).toEqual({ begin: 0, end: 2, score: expect.closeTo(0.225), latencyMs: 4, memoryBytes: 20 })
  })

  it('refuses operators that were not profiled, all by name', () => {
    expect(() => clusterOperators([op('dot'), op('sort'), op('fft')], scores, 1)).toThrow(/sort, fft/)
  })

  it('tiles any model, and neighbours of equal score are never parted', () => {
    const name = fc.constantFrom(...scores.keys())
    fc.assert(
      fc.property(fc.array(name), fc.double({ min: 0.01, max: 3, noNaN: true }), (names, threshold) => {
        const clusters = spans(names, threshold)
        expect(clusters.flatMap(([begin, end]) => names.slice(begin, end))).toEqual(names)
        for (const [begin] of clusters.slice(1)) expect(names[begin]).not.toBe(names[begin - 1])
      }),
    )
  })
})

/** Every way to cut n clusters into k runs. */
function slowestOfBestCut(sizes: readonly number[], stages: number): number {
  if (stages === 1) return sizes.reduce((a, b) => a + b, 0)
  let best = Infinity
  for (let cut = 1; cut <= sizes.length - stages + 1; cut++) {
    const head = sizes.slice(0, cut).reduce((a, b) => a + b, 0)
    best = Math.min(best, Math.max(head, slowestOfBestCut(sizes.slice(cut), stages - 1)))
  }
  return best
}

describe('partitioning between clusters', () => {
  it('makes the slowest stage as fast as the best of all cuts', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 5 }), (latencies, stages) => {
        const clusters = latencies.map((latencyMs, begin) => ({
          begin,
          end: begin + 1,
          score: begin % 3,
          latencyMs,
          memoryBytes: 1,
        }))
        const partitions = partitionModel('m', clusters, stages)
        const count = Math.min(stages, latencies.length)
        expect(partitions).toHaveLength(count)
        expect(Math.max(...partitions.map(({ latencyMs }) => latencyMs))).toBe(slowestOfBestCut(latencies, count))
        expect(partitions.flatMap(({ begin, end }) => latencies.slice(begin, end))).toEqual(latencies)
        expect(partitions.reduce((total, { memoryBytes }) => total + memoryBytes, 0)).toBe(latencies.length)
      }),
    )
  })

  it('refuses a model without clusters and a count that is none', () => {
    expect(() => partitionModel('bert', [], 2)).toThrow(/model bert: 0 operator clusters/)
    expect(() => partitionModel('bert', [], 1.5)).toThrow(/1.5 stages/)
  })
})
