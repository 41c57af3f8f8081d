import { ConfigError, FormatError } from '@trimtab/core'
import type { Buckets } from './buckets.js'

/** The heaviest bucket of a checkpoint weighs this much; what rounds to 0 beside it is dropped. */
const MAX_CHECKPOINT_WEIGHT = 10000

/** A histogram as Kubernetes keeps it across restarts: whole weights, in proportion. */
export interface HistogramCheckpoint {
  readonly totalWeight: number
  /** By bucket index. */
  readonly bucketWeights: Readonly<Record<string, number>>
}

/** Weights of samples by bucket; percentiles are exact to the width of a bucket. */
export class UsageHistogram {
  readonly buckets: Buckets
  readonly #weights: Float64Array
  #totalWeight = 0
  // First and last bucket that are not empty; the other way round when all are.
  #first: number
  #last = 0

  constructor(buckets: Buckets) {
    this.buckets = buckets
    this.#weights = new Float64Array(buckets.starts.length)
    this.#first = this.#weights.length - 1
  }

  /** Σ of all weights, those of buckets that count as empty included. */
  get totalWeight(): number {
    return this.#totalWeight
  }

  /** No bucket holds as much as epsilon. */
  get isEmpty(): boolean {
    return this.#weights[this.#first]! < this.buckets.epsilon
  }

  /** The weight of a bucket; 0 outside. */
  weightOf(bucket: number): number {
    return this.#weights[bucket] ?? 0
  }

  /** @throws {ConfigError} `sample_weight_negative` */
  add(value: number, weight: number): void {
    requireWeight(weight)
    const bucket = this.buckets.find(value)
    const sum = this.#weights[bucket]! + weight
    this.#weights[bucket] = sum
    this.#totalWeight += weight
    if (sum < this.buckets.epsilon) return
    if (bucket < this.#first) this.#first = bucket
    if (bucket > this.#last) this.#last = bucket
  }

  /**
   * Takes back a sample that was added. What would be left below epsilon goes with it.
   * @throws {ConfigError} `sample_weight_negative`
   */
  subtract(value: number, weight: number): void {
    requireWeight(weight)
    const bucket = this.buckets.find(value)
    const held = this.#weights[bucket]!
    const taken = weight > held - this.buckets.epsilon ? held : weight
    this.#weights[bucket] = held - taken
    this.#totalWeight -= taken
    this.#tighten()
  }

  /**
   * Adds every weight of `other`, times `factor`.
   * @throws {ConfigError} `buckets_differ`
   */
  merge(other: UsageHistogram, factor = 1): void {
    if (other.buckets !== this.buckets) {
      throw new ConfigError('buckets_differ', 'only histograms made with the same buckets object can be merged')
    }
    for (let i = 0; i < this.#weights.length; i += 1) this.#weights[i]! += factor * other.#weights[i]!
    this.#totalWeight += factor * other.#totalWeight
    this.#widen()
  }

  /** Multiplies every weight. Percentiles stay, but light buckets may become empty. */
  scale(factor: number): void {
    for (let i = 0; i < this.#weights.length; i += 1) this.#weights[i]! *= factor
    this.#totalWeight *= factor
    this.#widen()
  }

  /**
   * The end of the bucket below which `share01` of the weight lies (the start of the last bucket, which has no end).
   * 0 when empty.
   */
  percentile(share01: number): number {
    if (this.isEmpty) return 0
    const { starts } = this.buckets
    const threshold = share01 * this.#totalWeight
    let bucket = this.#first
    for (let sum = 0; bucket < this.#last; bucket += 1) {
      sum += this.#weights[bucket]!
      if (sum >= threshold) break
    }
    return starts[Math.min(bucket + 1, starts.length - 1)]!
  }

  /** Whole weights in proportion, the heaviest 10,000; what rounds to 0 beside it is dropped. */
  save(): HistogramCheckpoint {
    let heaviest = 0
    for (let i = this.#first; i <= this.#last; i += 1) heaviest = Math.max(heaviest, this.#weights[i]!)
    const bucketWeights: Record<string, number> = {}
    for (let i = this.#first; i <= this.#last; i += 1) {
      const weight = Math.floor((this.#weights[i]! * MAX_CHECKPOINT_WEIGHT) / heaviest + 0.5)
      if (weight > 0) bucketWeights[i] = weight
    }
    return { totalWeight: this.#totalWeight, bucketWeights }
  }

  /**
   * Adds the weights of a checkpoint.
   * @throws {FormatError} `checkpoint_invalid`; nothing was added
   */
  load(checkpoint: HistogramCheckpoint): void {
    requireFormat(typeof checkpoint === 'object' && checkpoint !== null, String(checkpoint))
    const { totalWeight, bucketWeights } = checkpoint
    requireFormat(totalWeight >= 0 && totalWeight < Number.POSITIVE_INFINITY, `total weight ${totalWeight}`)
    let sum = 0
    for (const [bucket, weight] of Object.entries(bucketWeights)) {
      const index = Number(bucket)
      requireFormat(Number.isInteger(index) && index >= 0 && index < this.#weights.length, `bucket ${bucket}`)
      requireFormat(weight >= 0 && weight < Number.POSITIVE_INFINITY, `weight ${weight} of bucket ${bucket}`)
      sum += weight
    }
    if (sum === 0) return
    for (const [bucket, weight] of Object.entries(bucketWeights)) {
      this.#weights[Number(bucket)]! += (weight * totalWeight) / sum
    }
    this.#totalWeight += totalWeight
    this.#widen()
  }

  /** Forgets all samples. */
  clear(): void {
    this.#weights.fill(0)
    this.#totalWeight = 0
    this.#first = this.#weights.length - 1
    this.#last = 0
  }

  #widen(): void {
    this.#first = 0
    this.#last = this.#weights.length - 1
    this.#tighten()
  }

  #tighten(): void {
    const { epsilon } = this.buckets
    const end = this.#weights.length - 1
    while (this.#weights[this.#first]! < epsilon && this.#first < end) this.#first += 1
    while (this.#weights[this.#last]! < epsilon && this.#last > 0) this.#last -= 1
  }
}

function requireWeight(weight: number): void {
  if (!(weight >= 0)) throw new ConfigError('sample_weight_negative', `a sample's weight must be >= 0, got ${weight}`)
}

function requireFormat(holds: boolean, what: string): void {
  if (!holds) throw new FormatError('checkpoint_invalid', `histogram checkpoint: ${what} cannot be (start without it)`)
}
