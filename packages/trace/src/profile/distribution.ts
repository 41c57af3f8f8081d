import type { Histogram, Interval } from './histogram.js'

/** A time per request, over some requests. Of none, everything but `count` and `sumNs` is NaN. */
export class Distribution {
  /** Requests. */
  readonly count: number
  readonly sumNs: number
  readonly meanNs: number
  /** Unbiased, in ns²; NaN for fewer than two requests. */
  readonly varianceNs2: number
  readonly #histogram: () => Histogram
  #read: Histogram | undefined

  /** @param sum, squares  Σ x and Σ x², exact */
  constructor(count: number, sum: bigint, squares: bigint, histogram: () => Histogram) {
    this.count = count
    this.sumNs = Number(sum)
    this.meanNs = this.sumNs / count
    this.varianceNs2 = count > 1 ? Number(scatter(count, sum, sum, squares)) / (count * (count - 1)) : Number.NaN
    this.#histogram = histogram
  }

  /** Of the mean. */
  get standardErrorNs(): number {
    return Math.sqrt(this.varianceNs2 / this.count)
  }

  get histogram(): Histogram {
    this.#read ??= this.#histogram()
    return this.#read
  }

  /** ns, within 0.8 % (`RELATIVE_ERROR`). */
  quantile(q: number): number {
    return this.histogram.quantile(q)
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
