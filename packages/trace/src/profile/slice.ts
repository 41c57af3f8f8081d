import { ConfigError } from '@trimtab/core'
import type { NameOrder } from './name-order.js'
import type { ProfileTables } from './profile-tables.js'
import type { CallPathProfile } from './profile-views.js'

/** Which requests of a profile are looked at, by latency. */
export interface SliceOptions {
  /** Quantiles of latency, 0 … 1: the tail is `{ from: 0.95, to: 0.99 }`, the middle `{ from: 0.4, to: 0.6 }`. */
  readonly from: number
  readonly to: number
}

/** What the path looks like in requests of some band of latencies, each endpoint having its own band. */
export interface Slice {
  readonly from: number
  readonly to: number
  /** Requests in it. A bucket of latencies that reaches across an end of the band counts in part. */
  readonly requests: number
  /** ns, of the requests in it. */
  readonly meanLatencyNs: number
  /** Call paths on the path of at least one request in it, most time first. */
  readonly callPaths: readonly SliceCell[]
}

/** What one call path costs the requests of a slice. */
export interface SliceCell {
  readonly callPath: CallPathProfile
  /** Time on the path per request of the slice; over all call paths this sums to `meanLatencyNs`. */
  readonly meanNs: number
  /** Its part of the slice's latency, 0 … 1. */
  readonly share: number
  /** Requests on whose path it was, part of all of the slice. */
  readonly onPath01: number
}

/**
 * @param view  the view of a call path
 * @throws {ConfigError} `config_invalid`
 */
export function sliceTables(
  { endpoints, bands, paths }: ProfileTables,
  order: NameOrder,
  view: (path: number) => CallPathProfile,
  { from, to }: SliceOptions,
): Slice {
  if (!(from >= 0 && to <= 1 && from < to)) {
    throw new ConfigError('config_invalid', `a slice must have 0 <= from < to <= 1, got from ${from} to ${to}`)
  }
  let requests = 0
  // by endpoint's path: bucket → part of its requests that is in the band
  const weights = new Map<number, ReadonlyMap<number, number>>()
  for (let row = 0; row < endpoints.size; row++) {
    const { buckets, counts, count } = endpoints.latencies.read([row])
    requests += (to - from) * count
    const inBand = new Map<number, number>()
    let below = 0
    for (let i = 0; i < buckets.length; i++) {
      const part = Math.min(to * count, below + counts[i]!) - Math.max(from * count, below)
      if (part > 0) inBand.set(buckets[i]!, part / counts[i]!)
      below += counts[i]!
    }
    weights.set(endpoints.paths.first(row), inBand)
  }
  const selfNs = new Float64Array(paths.size)
  const onPath = new Float64Array(paths.size)
  let latencyNs = 0
  bands.each(order.pathRank, (path, bucket, times, sumNs) => {
    const weight = weights.get(paths.root(path))?.get(bucket) ?? 0
    onPath[path]! += weight * times
    selfNs[path]! += weight * sumNs
    latencyNs += weight * sumNs
  })
  const callPaths: SliceCell[] = []
  for (const path of order.paths) {
    if (onPath[path] === 0) continue
    callPaths.push({
      callPath: view(path),
      meanNs: selfNs[path]! / requests,
      share: selfNs[path]! / latencyNs,
      onPath01: onPath[path]! / requests,
    })
  }
  callPaths.sort((a, b) => b.meanNs - a.meanNs)
  return { from, to, requests, meanLatencyNs: latencyNs / requests, callPaths }
}
