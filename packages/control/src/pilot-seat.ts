import type { Logger } from '@trimtab/core'
import { type Pilot, rulePilot, type Seat } from '@trimtab/learn'

const MAX_BACKOFF = 10 // 2^10 steps between two attempts to restore a pilot

/**
 * Holds the pilot that decides now. One that threw is replaced by its rule at once, and by `restore`'s answer later: asked in the
 * second step after the failure, then after 1, 2, 4, … further steps, so that a pilot which fails again and again costs little.
 */
export class PilotSeat implements Seat {
  readonly #restore: (() => Pilot | undefined) | undefined
  readonly #logger: Logger | undefined
  #pilot: Pilot
  #steps = 0
  #attempts = 0
  #restoreAtStep = Number.POSITIVE_INFINITY

  constructor(pilot: Pilot, restore: (() => Pilot | undefined) | undefined, logger: Logger | undefined) {
    this.#pilot = pilot
    this.#restore = restore
    this.#logger = logger
  }

  get pilot(): Pilot {
    return this.#pilot
  }

  /** Steps begun in the loop's life. */
  get steps(): number {
    return this.#steps
  }

  get #hasFailed(): boolean {
    return this.#restoreAtStep !== Number.POSITIVE_INFINITY
  }

  /** The pilot threw; its rule takes the seat. What a rule in the seat throws is the guard's business. */
  fail(failure: unknown): void {
    if (this.#hasFailed) return
    this.#pilot = rulePilot(this.#pilot.rule)
    this.#postpone()
    this.#logger?.error('the pilot failed; the rule goes on', { failure })
  }

  /** A step begins: a failed pilot is restored when its time has come. */
  beginStep(): void {
    if (this.#steps >= this.#restoreAtStep) this.#refill()
    this.#steps++
  }

  /** An episode ended well: earlier failures no longer count. */
  settle(): void {
    if (!this.#hasFailed) this.#attempts = 0
  }

  #refill(): void {
    try {
      const pilot = this.#restore?.()
      if (pilot === undefined) {
        this.#postpone()
        return
      }
      this.#pilot = pilot
      this.#restoreAtStep = Number.POSITIVE_INFINITY
      this.#logger?.info('the pilot was restored')
    } catch (failure) {
      this.#postpone()
      this.#logger?.warn('the pilot could not be restored', { failure })
    }
  }

  #postpone(): void {
    this.#restoreAtStep = this.#steps + 2 ** Math.min(this.#attempts++, MAX_BACKOFF)
  }
}
