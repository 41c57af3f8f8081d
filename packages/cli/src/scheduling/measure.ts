// What people feel of a schedule, from the times of its requests.
import { percentile } from '@trimtab/core'

/** When each request was admitted and done, s. */
export interface ServedTimes {
  readonly start: Float64Array
  readonly finish: Float64Array
}

/** What a schedule did to the requests, over one simulated run. */
export interface Measures {
  /** Job completion time: from arrival to the last token, s. */
  readonly meanJct: number
  readonly p50Jct: number
  readonly p99Jct: number
  /** From arrival to admission, s. */
  readonly meanWait: number
  readonly p99Wait: number
  readonly maxWait: number
  /** Requests a second from the first arrival to the last completion. */
  readonly throughput: number
  /** Share of requests that meet the SLO. */
  readonly attainment: number
}

/**
 * @param slo  of each request: the longest completion time that it accepts, s
 */
export function measure(arrival: Float64Array, { start, finish }: ServedTimes, slo: Float64Array): Measures {
  const count = arrival.length
  const jct = finish.map((time, i) => time - arrival[i]!)
  const wait = start.map((time, i) => time - arrival[i]!)
  let [sumJct, sumWait, met, last] = [0, 0, 0, 0]
  for (let i = 0; i < count; i++) {
    sumJct += jct[i]!
    sumWait += wait[i]!
    if (jct[i]! <= slo[i]!) met++
    last = Math.max(last, finish[i]!)
  }
  return {
    meanJct: sumJct / count,
    p50Jct: percentile(jct, 50),
    p99Jct: percentile(jct, 99),
    meanWait: sumWait / count,
    p99Wait: percentile(wait, 99),
    maxWait: percentile(wait, 100),
    throughput: count / (last - arrival[0]!),
    attainment: met / count,
  }
}
