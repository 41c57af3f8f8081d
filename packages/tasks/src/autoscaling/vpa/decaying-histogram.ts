import type { CoreMath } from '@trimtab/core'
import type { Buckets } from './buckets.js'
import { type HistogramCheckpoint, UsageHistogram } from './histogram.js'

/** Half-lives after the reference at which weights are scaled down, before they overflow. */
const MAX_EXPONENT = 100

/** A histogram's weights and the time that they are relative to. */
export interface DecayingHistogramCheckpoint extends HistogramCheckpoint {
  /** `undefined`: nothing was added yet. */
  readonly referenceSeconds: number | undefined
}

/**
 * A histogram whose samples lose half of their weight with every half-life.
 *
 * Old weights stay as they are; a new one is multiplied by `2^((time − reference) / halfLife)`. The reference is always a
 * multiple of the half-life and moves when the exponent passes 100.
 */
export class DecayingHistogram {
  readonly halfLifeSeconds: number
  readonly #math: CoreMath
  readonly #histogram: UsageHistogram
  #referenceSeconds = Number.NEGATIVE_INFINITY

  constructor(math: CoreMath, buckets: Buckets, halfLifeSeconds: number) {
    this.#math = math
    this.#histogram = new UsageHistogram(buckets)
    this.halfLifeSeconds = halfLifeSeconds
  }

  /** No bucket holds as much as epsilon. */
  get isEmpty(): boolean {
    return this.#histogram.isEmpty
  }

  /** Σ of the weights as they count at the reference time. */
  get totalWeight(): number {
    return this.#histogram.totalWeight
  }

  /** The weight of a bucket as it counts at the reference time. */
  weightOf(bucket: number): number {
    return this.#histogram.weightOf(bucket)
  }

  /** Adds a sample, weighted up by how much later than the reference it is. */
  add(value: number, weight: number, atSeconds: number): void {
    this.#histogram.add(value, weight * this.#factorAt(atSeconds))
  }

  /** Takes back a sample that was added with this time. */
  subtract(value: number, weight: number, atSeconds: number): void {
    this.#histogram.subtract(value, weight * this.#factorAt(atSeconds))
  }

  /** Adds all samples of a histogram with the same buckets and half-life; `other` stays as it is. */
  merge(other: DecayingHistogram): void {
    if (other.#referenceSeconds === Number.NEGATIVE_INFINITY) return
    if (this.#referenceSeconds < other.#referenceSeconds) this.#shiftReference(other.#referenceSeconds)
    const exponent = this.#roundedHalfLives(other.#referenceSeconds - this.#referenceSeconds)
    this.#histogram.merge(other.#histogram, this.#math.pow(2, exponent))
  }

  /** As `UsageHistogram.percentile`: decay changes all weights alike. */
  percentile(share01: number): number {
    return this.#histogram.percentile(share01)
  }

  /** Whole weights in proportion, and the reference; what rounds to 0 is dropped. */
  save(): DecayingHistogramCheckpoint {
    const referenceSeconds = Number.isFinite(this.#referenceSeconds) ? this.#referenceSeconds : undefined
    return { ...this.#histogram.save(), referenceSeconds }
  }

  /** Adds the weights of a checkpoint. @throws {FormatError} `checkpoint_invalid` */
  load(checkpoint: DecayingHistogramCheckpoint): void {
    const loaded = new DecayingHistogram(this.#math, this.#histogram.buckets, this.halfLifeSeconds)
    loaded.#histogram.load(checkpoint)
    loaded.#referenceSeconds = checkpoint.referenceSeconds ?? Number.NEGATIVE_INFINITY
    this.merge(loaded)
  }

  /** Forgets all samples, and the reference. */
  clear(): void {
    this.#histogram.clear()
    this.#referenceSeconds = Number.NEGATIVE_INFINITY
  }

  #factorAt(atSeconds: number): number {
    if (atSeconds > this.#referenceSeconds + MAX_EXPONENT * this.halfLifeSeconds) this.#shiftReference(atSeconds)
    return this.#math.pow(2, (atSeconds - this.#referenceSeconds) / this.halfLifeSeconds)
  }

  #shiftReference(towardsSeconds: number): void {
    const reference = this.#roundedHalfLives(towardsSeconds) * this.halfLifeSeconds
    const exponent = this.#roundedHalfLives(this.#referenceSeconds - reference)
    if (!this.#histogram.isEmpty) this.#histogram.scale(this.#math.pow(2, exponent))
    this.#referenceSeconds = reference
  }

  #roundedHalfLives(seconds: number): number {
    return Math.floor(seconds / this.halfLifeSeconds + 0.5)
  }
}
