import { ConfigError, type CoreMath } from '@trimtab/core'

/** How a histogram divides the line from 0 upwards. */
export interface Buckets {
  /** Start of each bucket, rising from 0. The last one has no end. */
  readonly starts: Float64Array
  /** A bucket with less weight than this counts as empty. */
  readonly epsilon: number
  /** Index of the bucket of a value; the first or last one outside the range. */
  find(value: number): number
}

/**
 * Buckets of one size; the last one starts at or above `maxValue`.
 * @throws {ConfigError} `buckets_invalid`
 */
export function linearBuckets(options: {
  readonly maxValue: number
  readonly bucketSize: number
  readonly epsilon: number
}): Buckets {
  const { maxValue, bucketSize, epsilon } = options
  requirePositive({ maxValue, bucketSize, epsilon })
  const starts = new Float64Array(Math.ceil(maxValue / bucketSize) + 1)
  for (let i = 0; i < starts.length; i += 1) starts[i] = i * bucketSize
  const last = starts.length - 1
  return {
    starts,
    epsilon,
    find: (value) => (value > 0 ? Math.min(Math.trunc(value / bucketSize), last) : 0),
  }
}

/**
 * Buckets that grow by a ratio: bucket n has the size `firstBucketSize · ratioⁿ` and starts at
 * `firstBucketSize · (ratioⁿ − 1) / (ratio − 1)`; the last one starts at or above `maxValue`.
 * @throws {ConfigError} `buckets_invalid`
 */
export function exponentialBuckets(
  math: CoreMath,
  options: {
    readonly maxValue: number
    readonly firstBucketSize: number
    readonly ratio: number
    readonly epsilon: number
  },
): Buckets {
  const { maxValue, firstBucketSize, ratio, epsilon } = options
  requirePositive({ maxValue, firstBucketSize, 'ratio - 1': ratio - 1, epsilon })
  const last = Math.ceil(math.log((maxValue * (ratio - 1)) / firstBucketSize + 1) / math.log(ratio))
  const starts = new Float64Array(last + 1)
  for (let i = 1; i <= last; i += 1) starts[i] = (firstBucketSize * (math.pow(ratio, i) - 1)) / (ratio - 1)
  return { starts, epsilon, find: (value) => findStart(starts, value) }
}

/** The last start at or below `value`, or 0. */
function findStart(starts: Float64Array, value: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= value) low = middle
    else high = middle
  }
  return low
}

function requirePositive(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!(value > 0)) throw new ConfigError('buckets_invalid', `histogram buckets need ${name} > 0, got ${value}`)
  }
}
