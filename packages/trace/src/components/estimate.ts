import type { TraceCore } from '@trimtab/core/trace'
import type { Distribution, Interval } from '../profile/index.js'

/** A figure from samples: what they say, how many they are, and where the truth lies with 95 % confidence. */
export interface Estimate extends Interval {
  readonly value: number
  /** Requests behind it. */
  readonly count: number
}

/** CI of Algorithm 3.2: the 99th percentile of a component's time over its median, with its interval. */
export interface CongestionIntensity extends Estimate {
  /** Fewer than 100 requests: the "99th percentile" is the slowest one. */
  readonly isMaximum: boolean
}

const Z_95 = 1.959964
const Z_97 = 2.241403 // of each of two quantiles, so that their ratio has 95 % (Bonferroni)
const FEW = 100

/**
 * CI: the 99th percentile over the median, 3.2.3. Its interval holds those of both quantiles, from the order of the samples
 * alone; `high` is Infinity where there are too few to bound the tail.
 * @returns undefined where the median is 0 or there are no samples: nothing to compare the tail with
 */
export function congestionIntensity(times: Distribution): CongestionIntensity | undefined {
  const { count } = times
  const median = count > 0 ? times.quantile(0.5) : 0
  if (!(median > 0)) return undefined
  const middle = times.quantileInterval(0.5, Z_97)
  const tail = times.quantileInterval(0.99, Z_97)
  return {
    value: times.quantile(0.99) / median,
    low: Math.max(1, tail.low / middle.high),
    high: middle.low > 0 ? tail.high / middle.low : Number.POSITIVE_INFINITY,
    count,
    isMaximum: count < FEW,
  }
}

/** A correlation with Fisher's interval; −1 … 1 for fewer than four samples. */
export function correlationEstimate(core: TraceCore, value: number, count: number): Estimate {
  if (count < 4) return { value, low: -1, high: 1, count }
  const spread = Z_95 / Math.sqrt(count - 3)
  return { value, low: shifted(core, value, -spread), high: shifted(core, value, spread), count }
}

/** tanh(atanh(r) + by); ±1 stay: no sample of a population with another correlation is without scatter. */
function shifted({ math }: TraceCore, r: number, by: number): number {
  if (Math.abs(r) >= 1) return r
  return math.tanh(math.log((1 + r) / (1 - r)) / 2 + by)
}
