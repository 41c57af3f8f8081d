/** Time of threads that a process may still use: it fills by its share of the time that passes, and what is used too much is owed. */
export class TokenBucket {
  readonly #cores: number
  readonly #mostMs: number
  #leftMs = 0

  /** @param burstMs  the time whose share can be saved up while nothing is used */
  constructor(cores: number, burstMs: number) {
    this.#cores = cores
    this.#mostMs = cores * burstMs
  }

  /** @returns whether it may run now */
  advance(elapsedMs: number, usedMs: number): boolean {
    this.#leftMs = Math.min(this.#mostMs, this.#leftMs + this.#cores * elapsedMs - usedMs)
    return this.#leftMs > 0
  }
}
