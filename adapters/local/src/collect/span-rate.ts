import type { Clock } from '@trimtab/core'
import { Refusal } from './refusal.js'

/** Lets so many spans a second through, a second's worth at once. How many a batch holds shows when it was read, so it may run into debt. */
export class SpanRate {
  readonly #perSecond: number
  readonly #clock: Clock
  #left: number
  #at: number

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#left = perSecond
    this.#at = clock.now()
  }

  /** @throws {Refusal} 429 while there is a debt */
  check(): void {
    const now = this.#clock.now()
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    if (this.#left > 0) return
    const seconds = Math.max(1, Math.ceil(-this.#left / this.#perSecond))
    throw new Refusal(429, `more than ${this.#perSecond} spans a second came: come again`, seconds)
  }

  count(spans: number): void {
    this.#left -= spans
  }
}
