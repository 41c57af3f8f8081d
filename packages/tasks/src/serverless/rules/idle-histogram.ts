const MINUTES = 240 // "Serverless in the Wild", 4.2: four hours, a bin a minute
const LEAST_VARIATION = 2 // of the bins' counts: below it the histogram is too flat to say anything
const MOST_OUT_OF_BOUNDS01 = 0.5

/** How long a function was idle between requests: a histogram of minutes (Shahrad et al., ATC 2020, 4.2). */
export class IdleHistogram {
  readonly #bins = new Float64Array(MINUTES)
  #within = 0
  #outOfBounds = 0
  #squares = 0 // Σ bin²

  /** Takes in times between requests of about so long. */
  add(idleSeconds: number, times = 1): void {
    const bin = Math.floor(idleSeconds / 60)
    if (bin >= MINUTES) {
      this.#outOfBounds += times
      return
    }
    const before = this.#bins[bin]!
    this.#bins[bin] = before + times
    this.#squares += times * (2 * before + times)
    this.#within += times
  }

  /** Whether it tells when the next request comes: idle times within its four hours that are not spread evenly over them. */
  get isRepresentative(): boolean {
    if (this.#within === 0 || this.#outOfBounds > MOST_OUT_OF_BOUNDS01 * (this.#within + this.#outOfBounds))
      return false
    const mean = this.#within / MINUTES
    return Math.sqrt(Math.max(0, this.#squares / MINUTES - mean * mean)) / mean >= LEAST_VARIATION
  }

  /** The idle time below which this share of all within bounds lies, s: the start of its minute, rounded down. */
  headSeconds(share01: number): number {
    return 60 * this.#binOf(share01)
  }

  /** The same, rounded up: the end of its minute. */
  tailSeconds(share01: number): number {
    return 60 * (this.#binOf(share01) + 1)
  }

  clear(): void {
    this.#bins.fill(0)
    this.#within = 0
    this.#outOfBounds = 0
    this.#squares = 0
  }

  #binOf(share01: number): number {
    let bin = 0
    for (let below = this.#bins[0]!; below < share01 * this.#within && bin < MINUTES - 1; below += this.#bins[bin]!)
      bin++
    return bin
  }
}
