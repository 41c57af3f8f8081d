/** Counts of a histogram: at most `bound` each, cumulative, in the order of bounds; the last bound is ∞. */
export type Buckets = readonly (readonly [bound: number, count: number])[]

/**
 * What a share of the values stays below, linear within a bucket as Prometheus does it.
 * @returns NaN: there are no values, or the bound lies beyond the last finite one
 */
export function quantileOf(buckets: Buckets, share01: number): number {
  const total = buckets.at(-1)?.[1] ?? 0
  if (!(total > 0)) return Number.NaN
  const rank = share01 * total
  let low = 0
  let below = 0
  for (const [bound, count] of buckets) {
    if (count >= rank)
      return bound === Number.POSITIVE_INFINITY ? Number.NaN : low + ((bound - low) * (rank - below)) / (count - below)
    low = bound
    below = count
  }
  return Number.NaN
}
