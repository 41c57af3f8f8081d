import type { BlockResult } from './block.js'

/** What the rounds of a trial say of an arm beside the first one. */
export interface ArmVerdict {
  readonly arm: string
  readonly beside: string
  /** p99 of the arm over that of the other: geometric mean over the rounds, and each round's. */
  readonly p99Ratio: number
  readonly p99Ratios: readonly number[]
  readonly says: 'lower' | 'higher' | 'no difference'
}

/** Smaller differences are within what blocks of the same arm differ by on a machine with two CPUs. */
const LEAST_CLAIM = 1.2

const MOST_LAG_MS = 15

/** Each arm beside the first, by rounds: a difference is one that all rounds agree in and that is a fifth at least. */
export function verdictsOf(results: readonly BlockResult[]): ArmVerdict[] {
  const [first, ...others] = [...new Set(results.map(({ arm }) => arm))]
  const p99Of = (name: string | undefined) =>
    results
      .filter(({ arm }) => arm === name)
      .toSorted((a, b) => a.round - b.round)
      .map(({ p99Ms }) => p99Ms)
  const reference = p99Of(first)
  return others.map((arm) => {
    const p99Ratios = p99Of(arm).map((p99, round) => p99 / reference[round]!)
    const p99Ratio = Math.exp(p99Ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / p99Ratios.length)
    const isLower = p99Ratio <= 1 / LEAST_CLAIM && p99Ratios.every((ratio) => ratio < 1)
    const isHigher = p99Ratio >= LEAST_CLAIM && p99Ratios.every((ratio) => ratio > 1)
    return { arm, beside: first!, p99Ratio, p99Ratios, says: isLower ? 'lower' : isHigher ? 'higher' : 'no difference' }
  })
}

/** What forbids a verdict; empty: nothing. */
export function doubtsOf(results: readonly BlockResult[]): string[] {
  return results.flatMap(({ arm, round, failures, lagP99Ms }) => [
    ...(failures > 0 ? [`${arm}, round ${round + 1}: ${failures} requests failed`] : []),
    ...(lagP99Ms > MOST_LAG_MS ? [`${arm}, round ${round + 1}: requests went out ${lagP99Ms.toFixed(0)} ms late`] : []),
  ])
}
