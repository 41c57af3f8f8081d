import type { Histogram, Interval } from './histogram.js'

/** Moments of a time per request, over some requests. Of none, all but `count` and `sumNs` are NaN. */
export class Moments {
  /** Requests. */
  readonly count: number
  readonly sumNs: number
  readonly meanNs: number
  /** Unbiased, in ns²; NaN for fewer than two requests. */
  readonly varianceNs2: number

  /**
   * @param sum  Σ x, exact
   * @param squares  Σ x², exact
   */
  constructor(count: number, sum: bigint, squares: bigint) {
    this.count = count
    this.sumNs = Number(sum)
    this.meanNs = this.sumNs / count
    this.varianceNs2 = count > 1 ? Number(scatter(count, sum, sum, squares)) / (count * (count - 1)) : Number.NaN
  }

  /** Of the mean. */
  get standardErrorNs(): number {
    return Math.sqrt(this.varianceNs2 / this.count)
  }
}

/** A time per request, over some requests: moments, which are exact, and quantiles. */
export class Distribution extends Moments {
  readonly #histogram: () => Histogram
  readonly #longestNs: number
  #read: Histogram | undefined

  /** @param longestNs  the longest time, where it is known: no quantile is beyond it */
  constructor(count: number, sum: bigint, squares: bigint, histogram: () => Histogram, longestNs: number = Infinity) {
    super(count, sum, squares)
    this.#histogram = histogram
    this.#longestNs = longestNs
  }

  /** The times as a histogram of ns; read out of the profile when first asked for. */
  get histogram(): Histogram {
    this.#read ??= this.#histogram()
    return this.#read
  }

  /** ns, within 0.8 % (`RELATIVE_ERROR`) and never above the longest time; NaN of no requests. */
  quantile(q: number): number {
    return Math.min(this.histogram.quantile(q), this.#longestNs)
  }

  /** Where the quantile of all such requests lies, as `Histogram.quantileInterval`. */
  quantileInterval(q: number, z?: number): Interval {
    return this.histogram.quantileInterval(q, z)
  }
}

/** n Σxy − Σx Σy, exact: n² times the covariance. */
export function scatter(n: number, sumX: bigint, sumY: bigint, sumXY: bigint): bigint {
  return BigInt(n) * sumXY - sumX * sumY
}
