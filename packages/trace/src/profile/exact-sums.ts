import { grown } from './pair-table.js'

const WORD = 2 ** 52 // a word and what is added to it stay below 2^53, where every integer is a double
const HALF = 2 ** 26

/** The largest time that is summed exactly: 52 days in ns. Longer ones count as this. */
export const MAX_TIME_NS: number = WORD - 1

/**
 * A column of sums of times (ns) or of products of two times (ns²), exact whatever their number and order.
 *
 * A sum is the whole number high · 2^104 + middle · 2^52 + low, both lower words below 2^52, so equal sums are equal
 * bits: merging two columns is the same as having added everything to one, which no sum of floating-point squares is.
 */
export class ExactSums {
  #low = new Float64Array(16)
  #middle = new Float64Array(16)
  #high = new Float64Array(16)

  /** Makes room for the sums 0 … size − 1. */
  reserve(size: number): void {
    this.#low = grown(this.#low, size)
    this.#middle = grown(this.#middle, size)
    this.#high = grown(this.#high, size)
  }

  /** sum[at] += x; x a whole number in 0 … MAX_TIME_NS. */
  add(at: number, x: number): void {
    const low = this.#low[at]! + x
    if (low < WORD) this.#low[at] = low
    else {
      this.#low[at] = low - WORD
      this.#carry(at, 1)
    }
  }

  /** sum[at] += x · y; both whole numbers in 0 … MAX_TIME_NS. */
  addProduct(at: number, x: number, y: number): void {
    // x = a 2^26 + b, y = c 2^26 + d; all four below 2^26
    const a = Math.floor(x / HALF)
    const b = x - a * HALF
    const c = Math.floor(y / HALF)
    const d = y - c * HALF
    const cross = a * d + b * c // below 2^53
    const crossHigh = Math.floor(cross / HALF)
    let middle = a * c + crossHigh
    let low = this.#low[at]! + (cross - crossHigh * HALF) * HALF
    if (low >= WORD) {
      low -= WORD
      middle += 1
    }
    low += b * d
    if (low >= WORD) {
      low -= WORD
      middle += 1
    }
    this.#low[at] = low
    if (middle > 0) this.#carry(at, middle)
  }

  /** sum[at] += other.sum[from] */
  addFrom(other: ExactSums, from: number, at: number): void {
    this.add(at, other.#low[from]!)
    this.#carry(at, other.#middle[from]!)
    this.#high[at]! += other.#high[from]!
  }

  /** The sum, rounded to the nearest double. */
  value(at: number): number {
    return this.#high[at] === 0 && this.#middle[at] === 0 ? this.#low[at]! : Number(this.exact(at))
  }

  /** The sum to its last digit. */
  exact(at: number): bigint {
    return (BigInt(this.#high[at]!) << 104n) + (BigInt(this.#middle[at]!) << 52n) + BigInt(this.#low[at]!)
  }

  /** The three words of the sums `order` names, one word after the other, to be saved. */
  words(order: Int32Array): Float64Array {
    const words = new Float64Array(3 * order.length)
    for (const [i, column] of [this.#low, this.#middle, this.#high].entries()) {
      for (let k = 0; k < order.length; k++) words[i * order.length + k] = column[order[k]!]!
    }
    return words
  }

  /** Takes back what `words` gave: sums 0 … words.length / 3 − 1. */
  setWords(words: Float64Array): void {
    const size = words.length / 3
    this.reserve(size)
    this.#low.set(words.subarray(0, size))
    this.#middle.set(words.subarray(size, 2 * size))
    this.#high.set(words.subarray(2 * size))
  }

  /** sum[at] += middle · 2^52; middle at most 2^52. */
  #carry(at: number, middle: number): void {
    const sum = this.#middle[at]! + middle
    if (sum < WORD) this.#middle[at] = sum
    else {
      this.#middle[at] = sum - WORD
      this.#high[at]! += 1
    }
  }
}
