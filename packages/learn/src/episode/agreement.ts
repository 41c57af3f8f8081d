import type { Space } from '@trimtab/core'

/**
 * How alike two controllers act: the share of choices that are the same, of a box 1 less the mean distance in shares of the range.
 */
export class Agreement {
  readonly #space: Space
  #sum = 0
  #count = 0

  constructor(space: Space) {
    this.#space = space
  }

  /** Between 0 and 1; NaN while nothing was compared. */
  get share(): number {
    return this.#sum / this.#count
  }

  /** Compares actions [N, A] with others. */
  add(actions: Float32Array, others: Float32Array): void {
    const { kind, low, high } = this.#space
    for (let i = 0; i < actions.length; i++) {
      const at = i % low.length
      const distance = Math.abs(actions[i]! - others[i]!)
      if (Number.isNaN(distance)) continue // one of the two had no answer
      this.#sum += kind === 'discrete' ? Number(distance === 0) : 1 - distance / (high[at]! - low[at]!)
      this.#count++
    }
  }
}
