import { type Clock, ConfigError, type Space } from '@trimtab/core'

/** Why an observation cannot be used. */
export type TelemetryFault =
  /** It has not as many numbers as the space has names. */
  | 'shape'
  /** A NaN: a metric that could not be read. */
  | 'missing'
  /** ±∞: a division by something that was not there. */
  | 'infinite'
  /** Below zero where the space starts at zero or above: a counter that was reset, a broken sensor. */
  | 'negative'
  /** Measured longer ago than the limit, or at a time that is no number. */
  | 'stale'
  /** Measured before an observation that has been seen already. */
  | 'out_of_order'
  /** Measured later than now by more than clocks differ: one of them is wrong, or the unit is. */
  | 'future'

export interface TelemetryCheckOptions {
  /** Oldest usable observation; needs a `clock` and an environment that reports `info.observedAtMs`. Default: any age. */
  readonly maxAgeMs?: number
  /** The clock `observedAtMs` is compared with, in the same epoch. */
  readonly clock?: Clock
}

/** How far ahead of ours a sensor's clock may be where no age limit says it: clocks of one cluster differ by milliseconds. */
const MAX_AHEAD_MS = 60_000

/** Refused samples in a row, each newer than the one before, that prove another time line: a clock was set back. */
const NEW_TIME_LINE = 3

/**
 * Tells usable observations from unusable ones. Allocates nothing after construction.
 *
 * Timestamps are believed inside a window around now only, and no wrong one holds the system for long: what lies ahead of now is
 * never remembered as the newest, what is remembered and comes to lie ahead of now (our clock was set back) is forgotten, and
 * samples that come in order on an older time line (the sensor's clock was set back; there is no clock of ours to compare with)
 * are believed again from the third on.
 */
export class TelemetryCheck {
  /** What may be handed to a rule when the last observation was unusable [S]: NaN wherever a number must not be believed. */
  readonly believable: Float32Array
  readonly #low: Float64Array
  readonly #maxAgeMs: number
  readonly #clock: Clock | undefined
  #newestMs = Number.NEGATIVE_INFINITY
  #refusedMs = Number.NEGATIVE_INFINITY // the last one out of order
  #refusals = 0 // out of order in a row, in order among themselves
  #observedAtMs: number | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(space: Space, options: TelemetryCheckOptions = {}) {
    const { maxAgeMs = Number.POSITIVE_INFINITY, clock } = options
    if (!(maxAgeMs > 0)) throw new ConfigError('config_invalid', `guard: maxAgeMs must be > 0, got ${maxAgeMs}`)
    if (maxAgeMs !== Number.POSITIVE_INFINITY && clock === undefined)
      throw new ConfigError('config_invalid', 'guard: maxAgeMs needs a clock to measure age with (set clock)')
    this.believable = new Float32Array(space.names.length)
    this.#low = space.low
    this.#maxAgeMs = maxAgeMs
    this.#clock = clock
  }

  /** Forgets earlier timestamps: a new world begins. */
  reset(): void {
    this.#startTimeLine(Number.NEGATIVE_INFINITY)
    this.#observedAtMs = undefined
  }

  /** Nothing was observed: nothing is believable. */
  blank(): void {
    this.#observedAtMs = undefined
    this.believable.fill(Number.NaN)
  }

  /**
   * What is wrong with an observation that just arrived, if anything.
   *
   * @param observedAtMs  when it was measured; `undefined` when the environment does not say: age and order are not checked then
   */
  inspect(observation: Float32Array, observedAtMs: number | undefined): TelemetryFault | undefined {
    this.#observedAtMs = observedAtMs
    const fault = this.#faultOfTime(observedAtMs) ?? (observation.length === this.#low.length ? undefined : 'shape')
    if (fault !== undefined) {
      // A proportional rule that is fed the same old utilisation again and again runs away; it must see that nothing is known.
      this.believable.fill(Number.NaN)
      return fault
    }
    return this.#faultOfValues(observation)
  }

  /** `stale` when the last inspected observation has meanwhile become too old. */
  expired(): TelemetryFault | undefined {
    if (this.#clock === undefined || this.#observedAtMs === undefined) return undefined
    if (this.#clock.now() - this.#observedAtMs <= this.#maxAgeMs) return undefined
    this.believable.fill(Number.NaN)
    return 'stale'
  }

  #faultOfTime(observedAtMs: number | undefined): TelemetryFault | undefined {
    if (observedAtMs === undefined) return undefined
    if (!Number.isFinite(observedAtMs)) return observedAtMs > 0 ? 'future' : 'stale' // what is no number proves no age
    if (this.#clock !== undefined) {
      const nowMs = this.#clock.now()
      const latestMs = nowMs + Math.min(this.#maxAgeMs, MAX_AHEAD_MS)
      if (!(nowMs - observedAtMs <= this.#maxAgeMs)) return 'stale'
      if (observedAtMs > latestMs) return 'future'
      if (this.#newestMs > latestMs) this.#startTimeLine(Number.NEGATIVE_INFINITY)
    }
    if (observedAtMs < this.#newestMs) {
      if (observedAtMs > this.#refusedMs) this.#refusals++
      else if (observedAtMs < this.#refusedMs) this.#refusals = 1 // the same sample again proves nothing
      this.#refusedMs = observedAtMs
      if (this.#refusals < NEW_TIME_LINE) return 'out_of_order'
    }
    this.#startTimeLine(observedAtMs)
    return undefined
  }

  #startTimeLine(newestMs: number): void {
    this.#newestMs = newestMs
    this.#refusedMs = Number.NEGATIVE_INFINITY
    this.#refusals = 0
  }

  #faultOfValues(observation: Float32Array): TelemetryFault | undefined {
    let first: TelemetryFault | undefined
    for (let i = 0; i < observation.length; i++) {
      const value = observation[i]!
      const fault = this.#faultOf(value, this.#low[i]!)
      this.believable[i] = fault === undefined ? value : Number.NaN
      first ??= fault
    }
    return first
  }

  #faultOf(value: number, low: number): TelemetryFault | undefined {
    if (Number.isNaN(value)) return 'missing'
    if (!Number.isFinite(value)) return 'infinite'
    return value < 0 && low >= 0 ? 'negative' : undefined
  }
}
