import type { Logger } from '@trimtab/core'
import { type Pilot, rulePilot } from './pilot.js'

const MAX_BACKOFF = 10 // 2^10 steps between two attempts to restore a pilot

/**
 * Holds the pilot that decides now. One that threw is replaced by its rule at once, and by `restore`'s answer later: asked in the
 * second step after the failure, then after 1, 2, 4, … further steps, so that a pilot which fails again and again costs little.
 */
export class PilotSeat {
  readonly #restore: (() => Pilot | undefined) | undefined
  readonly #logger: Logger | undefined
  #pilot: Pilot
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

  get hasFailed(): boolean {
    return this.#restoreAtStep !== Number.POSITIVE_INFINITY
  }

  /** The pilot threw; its rule takes the seat. */
  fail(failure: unknown, step: number): void {
    this.#pilot = rulePilot(this.#pilot.rule)
    this.#postpone(step)
    this.#logger?.error('the pilot failed; the rule goes on', { failure })
  }

  /** Restores a failed pilot when its time has come. */
  refill(step: number): void {
    if (step < this.#restoreAtStep) return
    try {
      const pilot = this.#restore?.()
      if (pilot === undefined) {
        this.#postpone(step)
        return
      }
      this.#pilot = pilot
      this.#restoreAtStep = Number.POSITIVE_INFINITY
      this.#logger?.info('the pilot was restored')
    } catch (failure) {
      this.#postpone(step)
      this.#logger?.warn('the pilot could not be restored', { failure })
    }
  }

  /** An episode ended well: earlier failures no longer count. */
  settle(): void {
    if (!this.hasFailed) this.#attempts = 0
  }

  #postpone(step: number): void {
    this.#restoreAtStep = step + 2 ** Math.min(this.#attempts++, MAX_BACKOFF)
  }
}
