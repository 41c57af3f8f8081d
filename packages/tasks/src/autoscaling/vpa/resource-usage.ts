import type { CoreMath } from '@trimtab/core'
import type { Buckets } from './buckets.js'
import { DecayingHistogram, type DecayingHistogramCheckpoint } from './decaying-histogram.js'
import { withMargin } from './estimators.js'
import type { SampleSink } from './memory-peaks.js'
import type { Percentiles } from './recommender-options.js'

/** How the percentiles of one resource become amounts. */
export interface EstimateRule {
  readonly percentiles: Percentiles
  readonly marginFraction: number
  /** From the histogram's unit to a whole amount. */
  readonly toAmount: (value: number) => number
}

/**
 * The usage of one resource with its percentiles and margins, computed when something was added since: memory peaks
 * change a few times a day, and recommendations are asked for every few seconds.
 */
export class ResourceUsage implements SampleSink {
  target = 0
  lowerBound = 0
  upperBound = 0
  readonly #rule: EstimateRule
  readonly #histogram: DecayingHistogram
  #isStale = false

  constructor(math: CoreMath, buckets: Buckets, halfLifeSeconds: number, rule: EstimateRule) {
    this.#histogram = new DecayingHistogram(math, buckets, halfLifeSeconds)
    this.#rule = rule
  }

  get isEmpty(): boolean {
    return this.#histogram.isEmpty
  }

  add(value: number, weight: number, atSeconds: number): void {
    this.#histogram.add(value, weight, atSeconds)
    this.#isStale = true
  }

  subtract(value: number, weight: number, atSeconds: number): void {
    this.#histogram.subtract(value, weight, atSeconds)
    this.#isStale = true
  }

  /** Brings target and bounds up to date. */
  refresh(): void {
    if (!this.#isStale) return
    this.#isStale = false
    const { percentiles } = this.#rule
    this.target = this.#estimate(percentiles.target)
    this.lowerBound = this.#estimate(percentiles.lowerBound)
    this.upperBound = this.#estimate(percentiles.upperBound)
  }

  save(): DecayingHistogramCheckpoint {
    return this.#histogram.save()
  }

  load(checkpoint: DecayingHistogramCheckpoint): void {
    this.#histogram.load(checkpoint)
    this.#isStale = true
  }

  clear(): void {
    this.#histogram.clear()
    this.#isStale = true
  }

  #estimate(share01: number): number {
    return withMargin(this.#rule.toAmount(this.#histogram.percentile(share01)), this.#rule.marginFraction)
  }
}
