import type { Distribution, Moments } from './distribution.js'
import { Histogram } from './histogram.js'
import { rankTest } from './rank-test.js'

/** How a mean time changed, and how sure that is. */
export interface Change {
  /** ns per request; requests without it count as 0. */
  readonly beforeNs: number
  readonly afterNs: number
  /** After less before. */
  readonly deltaNs: number
  /** Of `deltaNs`; NaN where a window has fewer than two requests. */
  readonly standardErrorNs: number
  /** `deltaNs` in standard errors. Beyond ±2 it is hardly chance; of a thousand call paths, beyond ±4. */
  readonly z: number
  /** `deltaNs` ± 1.96 standard errors. */
  readonly low: number
  readonly high: number
}

/** How a quantile changed; ns. */
export interface QuantileChange {
  readonly beforeNs: number
  readonly afterNs: number
  /** Whether the 95 % intervals of both sides do not meet. */
  readonly isSure: boolean
}

/** A change judged by all requests and not by their mean, which a few can move. */
export interface JudgedChange extends Change {
  /** Wilcoxon's rank-sum test within the endpoints, in standard errors; above 0: slower. See `rankTest`. */
  readonly rankZ: number
  /** How likely a request after waits longer than one before, 0 … 1; ½: neither. */
  readonly slower01: number
  readonly p50: QuantileChange
  readonly p99: QuantileChange
}

/** A difference of two means and what it counts in a sum of such. */
export interface MeanPart {
  readonly weight: number
  readonly before: Moments
  readonly after: Moments
}

/** The same of whole distributions. */
export interface Part extends MeanPart {
  readonly before: Distribution
  readonly after: Distribution
}

/** Of independent parts: weighted means add up, and so do squared weights times squared standard errors. */
export function changeOf(parts: readonly MeanPart[]): Change {
  let beforeNs = 0
  let afterNs = 0
  let variance = 0
  for (const { weight, before, after } of parts) {
    beforeNs += weight * before.meanNs
    afterNs += weight * after.meanNs
    variance += weight ** 2 * (before.varianceNs2 / before.count + after.varianceNs2 / after.count)
  }
  const deltaNs = afterNs - beforeNs
  const standardErrorNs = Math.sqrt(variance)
  return {
    beforeNs,
    afterNs,
    deltaNs,
    standardErrorNs,
    z: deltaNs === 0 ? 0 : deltaNs / standardErrorNs,
    low: deltaNs - 1.96 * standardErrorNs,
    high: deltaNs + 1.96 * standardErrorNs,
  }
}

/** @param parts  endpoints, whose weights sum to 1 */
export function judgedChangeOf(parts: readonly Part[]): JudgedChange {
  const { z, larger01 } = rankTest(
    parts.map(({ before, after }) => ({ before: before.histogram, after: after.histogram })),
  )
  const [was, is] = [mixOf(parts, 'before'), mixOf(parts, 'after')]
  const quantile = (q: number): QuantileChange => {
    const [low, high] = [was.quantileInterval(q), is.quantileInterval(q)]
    return {
      beforeNs: was.quantile(q),
      afterNs: is.quantile(q),
      isSure: high.low > low.high || high.high < low.low,
    }
  }
  return { ...changeOf(parts), rankZ: z, slower01: larger01, p50: quantile(0.5), p99: quantile(0.99) }
}

/** All requests of one side, its endpoints in the proportions of their weights. */
function mixOf(parts: readonly Part[], side: 'before' | 'after'): Histogram {
  const total = parts.reduce((sum, part) => sum + part[side].count, 0)
  const counts = new Map<number, number>()
  for (const { weight, [side]: times } of parts) {
    const { histogram } = times
    const scale = (weight * total) / times.count
    for (const [i, bucket] of histogram.buckets.entries())
      counts.set(bucket, (counts.get(bucket) ?? 0) + scale * histogram.counts[i]!)
  }
  const buckets = Int32Array.from(counts.keys()).sort()
  return new Histogram(
    buckets,
    Float64Array.from(buckets, (bucket) => counts.get(bucket)!),
  )
}
