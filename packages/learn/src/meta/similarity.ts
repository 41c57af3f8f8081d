import { ConfigError, embeddingSimilarity, pearson } from '@trimtab/core'

/** An estimate with the range in which the pool's own pairs came out when each was left out in turn. */
export interface Forecast {
  readonly expected: number
  readonly low: number
  readonly high: number
}

/** What moving the shared policy from one pair to another was seen to cost. */
export interface CostSample {
  /** Similarity S of the two embeddings. */
  readonly similarity: number
  /** Reward drop (a share of the reward) or episodes to adapt. */
  readonly cost: number
}

/**
 * Predicts from the similarity of two embeddings what adaptation will cost (5.6.3): a straight line through the pool's own
 * pairs by least squares, and an interval from its leave-one-out errors, which are those of pairs the line has not seen.
 */
export class CostForecast {
  readonly intercept: number
  readonly slope: number
  /** Leave-one-out errors (seen − predicted), ascending. */
  readonly errors: readonly number[]

  /** @throws {ConfigError} `config_invalid` (fewer than four samples, or all of one similarity) */
  constructor(samples: readonly CostSample[]) {
    const n = samples.length
    const x = samples.map(({ similarity }) => similarity)
    const y = samples.map(({ cost }) => cost)
    const meanX = x.reduce((a, b) => a + b, 0) / n
    const meanY = y.reduce((a, b) => a + b, 0) / n
    const spread = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0)
    if (n < 4 || !(spread > 0)) {
      throw new ConfigError(
        'config_invalid',
        `a forecast needs four or more samples of different similarity, got ${n}: measure more pairs of the pool`,
      )
    }
    this.slope = x.reduce((sum, value, i) => sum + (value - meanX) * (y[i]! - meanY), 0) / spread
    this.intercept = meanY - this.slope * meanX
    this.errors = x
      .map((value, i) => {
        const leverage = 1 / n + (value - meanX) ** 2 / spread
        const residual = y[i]! - this.intercept - this.slope * value
        return leverage < 1 ? residual / (1 - leverage) : 0 // alone at its end: the line without it says nothing there
      })
      .sort((a, b) => a - b)
  }

  /**
   * @param coverage  share of the pool's own pairs that fell into the interval, 0.8 unless told
   */
  at(similarity: number, coverage = 0.8): Forecast {
    const expected = this.intercept + this.slope * similarity
    const tail = (1 - coverage) / 2
    const error = (share: number): number =>
      this.errors[Math.min(this.errors.length - 1, Math.max(0, Math.floor(share * this.errors.length)))]!
    return { expected, low: expected + error(tail), high: expected + error(1 - tail) }
  }
}

/** How far an embedding lies from those of a pool, beside how far these lie from each other. */
export interface Distance {
  /** Euclidean distance to the nearest of the pool. */
  readonly nearest: number
  /** The distance that `coverage` of the pool's own embeddings keep to their nearest neighbour. */
  readonly limit: number
  readonly isOutOfDistribution: boolean
}

/**
 * Whether an embedding is unlike everything that was pretrained on: farther from its nearest neighbour in the pool than 99 % of
 * the pool's own are from theirs. Then adaptation still works, but what was learned promises nothing (5.8).
 * @throws {ConfigError} `config_invalid` (a pool of fewer than two)
 */
export function distanceFrom(pool: readonly Float32Array[], z: Float32Array, coverage = 0.99): Distance {
  if (pool.length < 2) {
    throw new ConfigError(
      'config_invalid',
      `a pool of ${pool.length} says nothing about distance: at least 2 embeddings`,
    )
  }
  const own = pool
    .map((one, i) =>
      nearest(
        pool.filter((_, j) => j !== i),
        one,
      ),
    )
    .sort((a, b) => a - b)
  const limit = own[Math.min(own.length - 1, Math.ceil(coverage * own.length) - 1)]!
  const distance = nearest(pool, z)
  return { nearest: distance, limit, isOutOfDistribution: distance > limit }
}

/** S of 5.6.3, see `embeddingSimilarity`. */
export const similarity = (a: Float32Array, b: Float32Array): number => embeddingSimilarity(a, b).similarity

function nearest(pool: readonly Float32Array[], z: Float32Array): number {
  return pool.reduce((least, one) => {
    let squared = 0
    for (let i = 0; i < z.length; i++) squared += (z[i]! - one[i]!) ** 2
    return Math.min(least, Math.sqrt(squared))
  }, Number.POSITIVE_INFINITY)
}

/** Spearman's rank correlation with mean ranks for equals; 0 when either is constant. */
export const spearman = (a: readonly number[], b: readonly number[]): number => pearson(ranks(a), ranks(b))

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((i, j) => values[i]! - values[j]!)
  const out = new Array<number>(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let i = from; i < to; i++) out[order[i]!] = (from + to - 1) / 2
    from = to
  }
  return out
}
