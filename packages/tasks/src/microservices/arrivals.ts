import type { CoreMath, Random } from '@trimtab/core'
import { type Anomaly, levelAt } from './anomaly.js'
import type { Surge } from './surge.js'

const SURGE_STREAM = 1000 // the streams below it are those of the types of requests

/** Where requests of one plan come from: clients as usual, or a surge of a campaign. A Poisson process of its own chance. */
export class ArrivalSource {
  readonly plan: number
  readonly random: Random
  /** Present for a surge: its level over its intensity thins the arrivals. */
  readonly anomaly: Anomaly | undefined
  /** Place of the surge in its campaign, −1: none. */
  readonly index: number
  /** Replica that the entry goes to, −1: any. */
  readonly replica: number
  readonly #usualRate: number
  #ratePerSecond: number
  #nextUs = Number.POSITIVE_INFINITY

  constructor(source: Pick<ArrivalSource, 'plan' | 'random' | 'ratePerSecond'> & Partial<Surge>) {
    this.plan = source.plan
    this.random = source.random
    this.anomaly = source.anomaly
    this.index = source.index ?? -1
    this.replica = source.replica ?? -1
    this.#usualRate = source.ratePerSecond
    this.#ratePerSecond = source.ratePerSecond
  }

  /** As it was made, its chance from another seed. */
  reset(seed: number): void {
    this.random.reseed(seed, this.index < 0 ? this.plan : SURGE_STREAM + this.index)
    this.#ratePerSecond = this.#usualRate
    this.schedule(0)
  }

  get ratePerSecond(): number {
    return this.#ratePerSecond
  }

  /** µs of the next arrival; Infinity: none. */
  get nextUs(): number {
    return this.#nextUs
  }

  /** Draws the first arrival after a moment; a surge arrives while it lasts only. */
  schedule(nowUs: number): void {
    if (this.#ratePerSecond === 0) {
      this.#nextUs = Number.POSITIVE_INFINITY
      return
    }
    const startUs = Math.max(nowUs, 1e6 * (this.anomaly?.startSeconds ?? 0))
    this.#nextUs = startUs + this.random.exponential(1e6 / this.#ratePerSecond)
    if (this.anomaly && this.#nextUs >= 1e6 * (this.anomaly.startSeconds + this.anomaly.durationSeconds))
      this.#nextUs = Number.POSITIVE_INFINITY
  }

  /** Whether the arrival at this moment really comes. */
  isReal(math: CoreMath, nowUs: number): boolean {
    if (!this.anomaly) return true
    return this.random.uniform() * this.anomaly.intensity < levelAt(math, this.anomaly, nowUs / 1e6)
  }

  /** Another rate from a moment on; what was left of the time to the next arrival stretches with it. */
  setRate(ratePerSecond: number, nowUs: number): void {
    const left = this.#nextUs - nowUs
    const before = this.#ratePerSecond
    this.#ratePerSecond = ratePerSecond
    if (before > 0 && ratePerSecond > 0) this.#nextUs = nowUs + (left * before) / ratePerSecond
    else this.schedule(nowUs)
  }

  save(): number[] {
    return [this.#ratePerSecond, this.#nextUs, ...this.random.save()]
  }

  load(numbers: Float64Array): void {
    this.#ratePerSecond = numbers[0]!
    this.#nextUs = numbers[1]!
    this.random.load(Uint8Array.from(numbers.subarray(2)))
  }
}
