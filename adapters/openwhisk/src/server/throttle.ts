import type { NamespaceLimits } from '../protocol.js'
import { WhiskError } from './whisk-error.js'

const MINUTE_MS = 60_000

/** How much one namespace asked in the last minute, and how much of it still runs. */
export class Throttle {
  /** When each of the last minute's invocations came, oldest first. */
  readonly #times: number[] = []
  #running = 0

  /**
   * Takes one invocation in.
   * @throws {WhiskError} 429: more than its limits; nothing was taken
   */
  enter(limits: NamespaceLimits, nowMs: number): void {
    const { invocationsPerMinute: perMinute, concurrentInvocations: atOnce } = limits
    const expired = this.#times.findIndex((time) => time > nowMs - MINUTE_MS)
    this.#times.splice(0, expired < 0 ? this.#times.length : expired)
    const count = this.#times.length + 1
    if (perMinute !== undefined && count > perMinute)
      throw new WhiskError(429, `Too many requests in the last minute (count: ${count}, allowed: ${perMinute}).`)
    if (atOnce !== undefined && this.#running + 1 > atOnce) {
      const message = `Too many concurrent requests in flight (count: ${this.#running + 1}, allowed: ${atOnce}).`
      throw new WhiskError(429, message)
    }
    this.#times.push(nowMs)
    this.#running++
  }

  /** One has ended. */
  leave(): void {
    this.#running--
  }
}
