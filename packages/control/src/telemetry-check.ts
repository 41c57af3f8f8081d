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
  /** Measured longer ago than the limit. */
  | 'stale'
  /** Measured before an observation that has been seen already. */
  | 'out_of_order'
  /** Measured later than now by more than the age limit: one of the clocks is wrong. */
  | 'future'

export interface TelemetryCheckOptions {
  /** Oldest usable observation; needs a `clock` and an environment that reports `info.observedAtMs`. Default: any age. */
  readonly maxAgeMs?: number
  /** The clock `observedAtMs` is compared with, in the same epoch. */
  readonly clock?: Clock
}

/** Tells usable observations from unusable ones. Allocates nothing after construction. */
export class TelemetryCheck {
  /** What may be handed to a rule when the last observation was unusable [S]: NaN wherever a number must not be believed. */
  readonly believable: Float32Array
  readonly #low: Float64Array
  readonly #maxAgeMs: number
  readonly #clock: Clock | undefined
  #newestMs = Number.NEGATIVE_INFINITY
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
    this.#newestMs = Number.NEGATIVE_INFINITY
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
    if (this.#clock !== undefined) {
      const ageMs = this.#clock.now() - observedAtMs
      if (!(ageMs <= this.#maxAgeMs)) return 'stale' // a timestamp that is NaN proves no age
      if (ageMs < -this.#maxAgeMs) return 'future' // not remembered: it would make every later sample look out of order
    }
    if (observedAtMs < this.#newestMs) return 'out_of_order'
    this.#newestMs = observedAtMs
    return undefined
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
