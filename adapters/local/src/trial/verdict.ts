import type { BlockResult } from './block.js'

/** What the rounds of a trial say of an arm beside the first one. */
export interface ArmVerdict {
  readonly arm: string
  readonly beside: string
  /** p99 of the arm over that of the other: geometric mean over the rounds, and each round's. */
  readonly p99Ratio: number
  readonly p99Ratios: readonly number[]
  /** Where the mean lies with 95 %, by Student's distribution of the logarithms; NaN of one round. */
  readonly interval: readonly [low: number, high: number]
  readonly says: 'lower' | 'higher' | 'no difference'
}

/** Smaller differences are within what blocks of the same arm differ by on a machine with two CPUs. */
const LEAST_CLAIM = 1.2

const MOST_LAG_MS = 15

/** Each arm beside the first, by rounds: a difference is one that all rounds agree in and that is a fifth at least. */
export function verdictsOf(results: readonly Pick<BlockResult, 'arm' | 'round' | 'p99Ms'>[]): ArmVerdict[] {
  const [first, ...others] = [...new Set(results.map(({ arm }) => arm))]
  const p99Of = (name: string | undefined) =>
    results
      .filter(({ arm }) => arm === name)
      .toSorted((a, b) => a.round - b.round)
      .map(({ p99Ms }) => p99Ms)
  const reference = p99Of(first)
  return others.map((arm) => {
    const p99Ratios = p99Of(arm).map((p99, round) => p99 / reference[round]!)
    const { mean: p99Ratio, interval } = meanRatio(p99Ratios)
    const isLower = p99Ratio <= 1 / LEAST_CLAIM && p99Ratios.every((ratio) => ratio < 1)
    const isHigher = p99Ratio >= LEAST_CLAIM && p99Ratios.every((ratio) => ratio > 1)
    const says = isLower ? 'lower' : isHigher ? 'higher' : 'no difference'
    return { arm, beside: first!, p99Ratio, p99Ratios, interval, says }
  })
}

/** Student's t beyond which 2.5 % lie, by degrees of freedom from 1 on; about that of the normal distribution after these. */
const STUDENT_T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
]
const NORMAL_T = 2

function meanRatio(ratios: readonly number[]): { readonly mean: number; readonly interval: readonly [number, number] } {
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const freedom = logs.length - 1
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom
  const width = (STUDENT_T[freedom - 1] ?? NORMAL_T) * Math.sqrt(variance / logs.length)
  return { mean: Math.exp(mean), interval: [Math.exp(mean - width), Math.exp(mean + width)] }
}

/** What forbids a verdict; empty: nothing. */
export function doubtsOf(results: readonly BlockResult[]): string[] {
  return results.flatMap(({ arm, round, failures, lagP99Ms }) => [
    ...(failures > 0 ? [`${arm}, round ${round + 1}: ${failures} requests failed`] : []),
    ...(lagP99Ms > MOST_LAG_MS ? [`${arm}, round ${round + 1}: requests went out ${lagP99Ms.toFixed(0)} ms late`] : []),
  ])
}
