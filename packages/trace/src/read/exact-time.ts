import type { SpanColumns } from '../span-columns.js'
import { type JsonCursor, NUMBER, STRING, WORD } from './json/cursor.js'

/** How many digits of nanoseconds one unit of a time spans. */
export const NANOSECONDS = 0
export const MICROSECONDS = 3

const LIMIT = 2n ** 63n // ns; what every tracing system's own fields can hold
const LONGEST = 64 // characters of a number worth reading
const N = 0x6e // of null
const MOST_DIGITS = 16 // of µs; the largest safe integer has that many

/**
 * A time or a length exactly as the input wrote it, never through a lossy double: whole µs and the ns beyond them.
 *
 * One is made per reader and filled again and again.
 */
export class ExactTime {
  /** Whole µs, rounded down; NaN if what was written is not a time. */
  us = 0
  /** 0…999 */
  ns = 0
  isGiven = false

  clear(): void {
    this.isGiven = false
  }

  copy(other: ExactTime): void {
    this.us = other.us
    this.ns = other.ns
    this.isGiven = other.isGiven
  }

  /** Reads the value the cursor stands before: a number or a string of one; null counts as not given. */
  readJson(cursor: JsonCursor, unit: number): void {
    const kind = cursor.scalar()
    const isText = kind === STRING || kind === NUMBER
    this.isGiven = kind !== WORD || cursor.bytes[cursor.from] !== N
    if (isText && !cursor.isEscaped) this.read(cursor.bytes, cursor.from, cursor.to, unit)
    else if (isText) this.#readText(cursor.text(), unit)
    else this.us = Number.NaN
  }

  /** Reads the decimal number `bytes[from, to)`, which counts `unit`s. */
  read(bytes: Uint8Array, from: number, to: number, unit: number): void {
    this.isGiven = true
    if (!this.#readDigits(bytes, from, to, unit)) this.#readText(textOf(bytes, from, to), unit)
  }

  /** @returns false for what is not just digits, or too many of them */
  #readDigits(bytes: Uint8Array, from: number, to: number, unit: number): boolean {
    const split = to + unit - MICROSECONDS // the first digit below a µs
    if (to === from || split - from > MOST_DIGITS) return false
    let us = 0
    let ns = 0
    let i = from
    for (; i < split; i++) {
      const digit = bytes[i]! - 0x30
      if (digit < 0 || digit > 9) return false
      us = us * 10 + digit
    }
    for (; i < to; i++) {
      const digit = bytes[i]! - 0x30
      if (digit < 0 || digit > 9) return false
      ns = ns * 10 + digit
    }
    if (us > Number.MAX_SAFE_INTEGER) return false
    this.us = us
    this.ns = ns
    return true
  }

  /** Also signs, fractions, exponents, and numbers near the limit. Fractions of a nanosecond are rounded. */
  #readText(text: string, unit: number): void {
    this.isGiven = true
    const time = parseNanoseconds(text, unit)
    const below = time === undefined ? 0n : ((time % 1000n) + 1000n) % 1000n
    this.us = time === undefined ? Number.NaN : Number((time - below) / 1000n)
    this.ns = Number(below)
  }

  /** As the start of a row; without one the row has no valid time. */
  writeStart({ startUs, startNs }: SpanColumns, row: number): void {
    startUs[row] = this.isGiven ? this.us : Number.NaN
    startNs[row] = this.ns
  }

  /** As the end of a row, if given. An end that is no time spoils the row's start, which is written already. */
  writeEnd({ startUs, endUs, endNs }: SpanColumns, row: number): void {
    if (!this.isGiven) return
    if (Number.isNaN(this.us)) startUs[row] = Number.NaN
    endUs[row] = this.us
    endNs[row] = this.ns
  }

  /** The same for a length, counted from the row's start. */
  writeLength({ startUs, startNs, endUs, endNs }: SpanColumns, row: number): void {
    if (!this.isGiven) return
    if (Number.isNaN(this.us)) startUs[row] = Number.NaN
    const ns = startNs[row]! + this.ns
    endUs[row] = startUs[row]! + this.us + (ns >= 1000 ? 1 : 0)
    endNs[row] = ns % 1000
  }
}

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, Math.min(to, from + LONGEST + 1)))

/** Nothing for what is not a number, or not within ±2^63 ns. */
function parseNanoseconds(text: string, unit: number): bigint | undefined {
  const match = text.length <= LONGEST && /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d{1,4}))?$/.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const digits = whole + fraction
  if (digits === '') return undefined
  const shift = Number(power) - fraction.length + unit
  if (shift > LONGEST) return /^0+$/.test(digits) ? 0n : undefined
  let time = BigInt(digits)
  if (shift >= 0) time *= 10n ** BigInt(shift)
  else {
    const divisor = 10n ** BigInt(Math.min(-shift, 2 * LONGEST))
    time = (2n * time + divisor) / (2n * divisor)
  }
  if (sign === '-') time = -time
  return time < LIMIT && time >= -LIMIT ? time : undefined
}
