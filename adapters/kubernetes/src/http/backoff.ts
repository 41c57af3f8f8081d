import { setTimeout as wait } from 'node:timers/promises'
import type { RandomSource } from '@trimtab/core'

/** How long to wait between tries, in ms. */
export interface BackoffOptions {
  /** Before the second try; default 250. */
  readonly firstMs?: number
  /** At most; default 30,000. */
  readonly mostMs?: number
}

/**
 * Waits twice as long after each failure, shortened by up to a half by chance: many clients that lost one server don't come back at once.
 */
export class Backoff {
  readonly #random: Pick<RandomSource, 'uniform'>
  readonly #firstMs: number
  readonly #mostMs: number
  #failures = 0

  constructor(random: Pick<RandomSource, 'uniform'>, options: BackoffOptions = {}) {
    this.#random = random
    this.#firstMs = options.firstMs ?? 250
    this.#mostMs = options.mostMs ?? 30_000
  }

  /** How long to wait after one more failure, in ms. */
  next(): number {
    const longest = Math.min(this.#mostMs, this.#firstMs * 2 ** this.#failures++)
    return longest * (1 - this.#random.uniform() / 2)
  }

  /** Something worked: the next failure is the first one again. */
  reset(): void {
    this.#failures = 0
  }

  /**
   * Waits after one more failure, at least `leastMs`.
   * @throws the reason of `signal` as soon as it is aborted
   */
  async wait(signal: AbortSignal | undefined, leastMs = 0): Promise<void> {
    await sleep(Math.max(this.next(), leastMs), signal)
  }
}

/** @throws the reason of `signal` as soon as it is aborted */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
