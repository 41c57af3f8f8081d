// A sum of times (ns) or of products of two times (ns²), exact whatever their number and order: three words of a
// Float64Array, the whole number low + middle · 2^52 + high · 2^104 with low and middle below 2^52. Equal sums are equal
// words, so merging two of them is the same as having added everything to one, which no sum of floating-point squares is.

const WORD = 2 ** 52 // a word and what is added to it stay below 2^53, where every integer is a double
const HALF = 2 ** 26
const LOW = 0
const MIDDLE = 1
const HIGH = 2

/** Words of a sum. */
export const SUM_WORDS = 3

/** The longest time that is summed exactly: 52 days in ns. Longer ones count as this. */
export const MAX_TIME_NS: number = WORD - 1

/** Adds a whole number in 0 … MAX_TIME_NS to the sum at words[at]. */
export function addTime(words: Float64Array, at: number, x: number): void {
  const low = words[at + LOW]! + x
  if (low < WORD) words[at + LOW] = low
  else {
    words[at + LOW] = low - WORD
    addMiddle(words, at, 1)
  }
}

/** Adds x · y, both whole numbers in 0 … MAX_TIME_NS, to the sum at words[at]. */
export function addProduct(words: Float64Array, at: number, x: number, y: number): void {
  if (x * y < WORD) {
    addTime(words, at, x * y) // exact as it is
    return
  }
  // x = a 2^26 + b, y = c 2^26 + d; all four below 2^26
  const a = Math.floor(x / HALF)
  const b = x - a * HALF
  const c = Math.floor(y / HALF)
  const d = y - c * HALF
  const cross = a * d + b * c // below 2^53
  const crossHigh = Math.floor(cross / HALF)
  let middle = a * c + crossHigh
  let low = words[at + LOW]! + (cross - crossHigh * HALF) * HALF
  if (low >= WORD) {
    low -= WORD
    middle += 1
  }
  low += b * d
  if (low >= WORD) {
    low -= WORD
    middle += 1
  }
  words[at + LOW] = low
  if (middle > 0) addMiddle(words, at, middle)
}

/** Adds the sum at other[from] to the one at words[at]. */
export function addSum(words: Float64Array, at: number, other: Float64Array, from: number): void {
  addTime(words, at, other[from + LOW]!)
  addMiddle(words, at, other[from + MIDDLE]!)
  words[at + HIGH]! += other[from + HIGH]!
}

/** The sum at words[at] to its last digit. */
export function exactSum(words: Float64Array, at: number): bigint {
  const low = BigInt(words[at + LOW]!)
  if (words[at + MIDDLE] === 0 && words[at + HIGH] === 0) return low
  return (BigInt(words[at + HIGH]!) << 104n) + (BigInt(words[at + MIDDLE]!) << 52n) + low
}

/** The sum at words[at], rounded to the nearest double. */
export function roundedSum(words: Float64Array, at: number): number {
  return words[at + MIDDLE] === 0 && words[at + HIGH] === 0 ? words[at + LOW]! : Number(exactSum(words, at))
}

/** Adds middle · 2^52, middle at most 2^52. */
function addMiddle(words: Float64Array, at: number, middle: number): void {
  const sum = words[at + MIDDLE]! + middle
  if (sum < WORD) words[at + MIDDLE] = sum
  else {
    words[at + MIDDLE] = sum - WORD
    words[at + HIGH]! += 1
  }
}
