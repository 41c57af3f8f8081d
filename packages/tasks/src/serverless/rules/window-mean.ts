/** Mean of the last n values; of those that there are while they are fewer. */
export class WindowMean {
  readonly #ring: Float64Array
  #count = 0

  constructor(n: number) {
    this.#ring = new Float64Array(n)
  }

  push(value: number): void {
    this.#ring[this.#count++ % this.#ring.length] = value
  }

  /** 0 before the first. */
  get mean(): number {
    const n = Math.min(this.#count, this.#ring.length)
    let sum = 0
    for (let i = 0; i < n; i++) sum += this.#ring[i]!
    return n > 0 ? sum / n : 0
  }

  clear(): void {
    this.#count = 0
  }
}
