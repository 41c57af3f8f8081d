import { type Bytes, FormatError } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'

const HOUR_SECONDS = 3600
const COLUMNS = 4 // steps, broken steps, dollars an hour requested and recommended, summed over steps

/** What the last days came to. */
export interface TrackSummary {
  /** Of history, in hours of steps. */
  readonly hours: number
  /** Steps that broke the SLO, as a share of those that were measured; NaN: none was. */
  readonly broken01: number
  /** What is left of the error budget, as a share of it; below 0: overspent. */
  readonly budgetLeft01: number
  /** Means, an hour: what was requested cost, what was recommended would have. */
  readonly requestedDollars: number
  readonly recommendedDollars: number
}

/** What a track record covers. */
export interface TrackOptions {
  readonly days: number
  readonly stepSeconds: number
  /** Steps that may break the SLO, as a share of all days. */
  readonly budget01: number
}

/** What was and what would have been, by the hour, over the days of the error budget: before anybody trusts, this is what they look at. */
export class TrackRecord {
  readonly #options: TrackOptions
  readonly #hours: Float32Array // [H, COLUMNS], hour h in row h mod H
  #lastHour = -1

  constructor(options: TrackOptions) {
    this.#options = options
    this.#hours = new Float32Array(options.days * 24 * COLUMNS)
  }

  /** Takes a step in; `isBroken` undefined: not measured. */
  add(timeSeconds: number, isBroken: boolean | undefined, requestedDollars: number, recommendedDollars: number): void {
    if (isBroken === undefined) return
    const row = COLUMNS * (this.#turnTo(Math.floor(timeSeconds / HOUR_SECONDS)) % this.#rows)
    this.#hours[row]! += 1
    this.#hours[row + 1]! += isBroken ? 1 : 0
    this.#hours[row + 2]! += requestedDollars
    this.#hours[row + 3]! += recommendedDollars
  }

  get #rows(): number {
    return this.#hours.length / COLUMNS
  }

  /** Clears the hours in between; a clock that is set back goes on in the last hour. */
  #turnTo(hour: number): number {
    const from = this.#lastHour < 0 ? hour - this.#rows : this.#lastHour
    for (let each = Math.max(from + 1, hour - this.#rows + 1); each <= hour; each++) {
      const row = COLUMNS * (each % this.#rows)
      this.#hours.fill(0, row, row + COLUMNS)
    }
    this.#lastHour = Math.max(this.#lastHour, hour)
    return this.#lastHour
  }

  summary(): TrackSummary {
    const { stepSeconds, days, budget01 } = this.#options
    let [steps, broken, requested, recommended] = [0, 0, 0, 0]
    for (let row = 0; row < this.#hours.length; row += COLUMNS) {
      steps += this.#hours[row]!
      broken += this.#hours[row + 1]!
      requested += this.#hours[row + 2]!
      recommended += this.#hours[row + 3]!
    }
    return {
      hours: (steps * stepSeconds) / HOUR_SECONDS,
      broken01: broken / steps,
      budgetLeft01: 1 - broken / (budget01 * ((days * 24 * HOUR_SECONDS) / stepSeconds)),
      requestedDollars: requested / steps,
      recommendedDollars: recommended / steps,
    }
  }

  /** Its numbers as bytes; how many depends on `days`. */
  save(): Uint8Array {
    return new Uint8Array(Float64Array.of(this.#lastHour, ...this.#hours).buffer)
  }

  /** Goes on from what `save` gave. @throws {FormatError} `track_record_invalid`, changing nothing */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a track record')
    const size = 8 * (1 + this.#hours.length)
    const [lastHour, ...hours] = bytes.byteLength === size ? new Float64Array(bytes.buffer) : []
    if (!Number.isInteger(lastHour) || !hours.every((value) => value >= 0))
      throw new FormatError(
        'track_record_invalid',
        `${state.byteLength} bytes are no record of ${this.#options.days} days`,
      )
    this.#hours.set(hours)
    this.#lastHour = lastHour!
  }
}
