/** A number that changes at moments, such as of containers that are there, summed over time: container·milliseconds. */
export class TimeIntegral {
  #value = 0
  #sum = 0
  #changedMs: number

  constructor(nowMs: number) {
    this.#changedMs = nowMs
  }

  /** From now on it is `value`. */
  set(value: number, nowMs: number): void {
    this.#sum = this.upTo(nowMs)
    this.#changedMs = nowMs
    this.#value = value
  }

  /** The sum since its beginning. */
  upTo(nowMs: number): number {
    return this.#sum + this.#value * (nowMs - this.#changedMs)
  }
}
