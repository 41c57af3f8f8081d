/** How far back a reading may lie without meaning that the clock was set: those of several sources are never quite in order. */
const JITTER_SECONDS = 60

/** What a steady clock keeps across a restart, in seconds. */
export interface SteadyClockState {
  /** The last reading of the clock. */
  readonly lastSeconds: number
  /** Steady time minus the clock's. */
  readonly offsetSeconds: number
}

/**
 * Time that only goes forward, made from a clock that may be set.
 *
 * Ages measured on it outlive a clock that is set back, runs ahead for one reading or speaks in another unit for one: a step
 * backwards counts as no time at all, a step forwards as at most one pause.
 */
export class SteadyClock {
  readonly #maxPauseSeconds: number
  #lastSeconds = Number.NaN
  #offsetSeconds = 0

  /** @param maxPauseSeconds  the longest time between two readings that is believed */
  constructor(maxPauseSeconds: number, state?: SteadyClockState) {
    this.#maxPauseSeconds = maxPauseSeconds
    if (state === undefined) return
    this.#lastSeconds = state.lastSeconds
    this.#offsetSeconds = state.offsetSeconds
  }

  /** Steady time at the last reading; the clock's own until it is first set. NaN before any reading. */
  get steadySeconds(): number {
    return this.#lastSeconds + this.#offsetSeconds
  }

  /**
   * Takes a reading of the clock, in seconds. What is no time at all is ignored.
   * @returns how far the clock was set since the last reading, in seconds (backwards: negative); 0: it went on
   */
  read(nowSeconds: number): number {
    if (!Number.isFinite(nowSeconds)) return 0
    const elapsed = nowSeconds - this.#lastSeconds
    if (elapsed <= 0 && elapsed >= -JITTER_SECONDS) return 0
    this.#lastSeconds = nowSeconds
    if (Number.isNaN(elapsed) || (elapsed > 0 && elapsed <= this.#maxPauseSeconds)) return 0
    const stepSeconds = elapsed > 0 ? elapsed - this.#maxPauseSeconds : elapsed
    this.#offsetSeconds -= stepSeconds
    return stepSeconds
  }

  /** A time of the clock, as steady time. */
  toSteady(atSeconds: number): number {
    return atSeconds + this.#offsetSeconds
  }

  /** What `new SteadyClock` goes on from; `undefined`: it was never read. */
  save(): SteadyClockState | undefined {
    if (Number.isNaN(this.#lastSeconds)) return undefined
    return { lastSeconds: this.#lastSeconds, offsetSeconds: this.#offsetSeconds }
  }
}
