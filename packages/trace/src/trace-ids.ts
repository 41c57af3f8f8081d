import { hexOf } from './ids.js'
import { bytesOf } from './names.js'

const SLOTS = 1024
const WORDS = 4

/**
 * Numbers traces as they are met. Ids that come as bytes pass through a small cache of what was seen last, so spans
 * of interleaved traces rarely need a string.
 */
export class TraceIds {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  #bytes = 0
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #lastText = ''
  #lastNumber = -1
  readonly #words = new Int32Array(SLOTS * WORDS)
  /** [SLOTS] digits of the id in each slot and its number; no number for an empty slot. */
  readonly #digits = new Uint8Array(SLOTS)
  readonly #cached = new Int32Array(SLOTS).fill(-1)

  get size(): number {
    return this.#texts.length
  }

  /** Memory that the ids take, at most. */
  get bytes(): number {
    return this.#bytes
  }

  ofText(text: string): number {
    if (text === this.#lastText && this.#lastNumber >= 0) return this.#lastNumber
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#texts.length
      this.#texts.push(text)
      this.#numbers.set(text, number)
      this.#bytes += bytesOf(text)
    }
    this.#lastText = text
    this.#lastNumber = number
    return number
  }

  /** The UTF-8 text `bytes[start, end)`. */
  ofBytes(bytes: Uint8Array, start: number, end: number): number {
    const digits = end - start
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    if (digits > 32) return this.ofText(this.#decoder.decode(bytes.subarray(start, end)))
    for (let at = start; at < end; at++) {
      const code = bytes[at]!
      const digit = code <= 57 ? code - 48 : code >= 97 ? code - 87 : 16
      if (digit < 0 || digit > 15) return this.ofText(this.#decoder.decode(bytes.subarray(start, end)))
      a = (a << 4) | (b >>> 28)
      b = (b << 4) | (c >>> 28)
      c = (c << 4) | (d >>> 28)
      d = (d << 4) | digit
    }
    const slot = this.#find(a, b, c, d, digits)
    return slot >= 0
      ? this.#cached[slot]!
      : this.#keep(~slot, this.ofText(this.#decoder.decode(bytes.subarray(start, end))))
  }

  /** A binary id, most significant byte first; its text is lower-case hex. */
  ofBinary(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length > 16) return this.ofText(hexOf(bytes, start, end))
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let at = start; at < end; at++) {
      a = (a << 8) | (b >>> 24)
      b = (b << 8) | (c >>> 24)
      c = (c << 8) | (d >>> 24)
      d = (d << 8) | bytes[at]!
    }
    const slot = this.#find(a, b, c, d, length * 2)
    return slot >= 0 ? this.#cached[slot]! : this.#keep(~slot, this.ofText(hexOf(bytes, start, end)))
  }

  text(number: number): string {
    return this.#texts[number] ?? ''
  }

  clear(): void {
    if (this.#texts.length === 0) return
    this.#numbers.clear()
    this.#texts.length = 0
    this.#bytes = 0
    this.#lastNumber = -1
    this.#cached.fill(-1)
  }

  /** The slot that holds this id, or ~slot of where it belongs (the id is written there already). */
  #find(a: number, b: number, c: number, d: number, digits: number): number {
    const slot = (Math.imul(a ^ b ^ c ^ d, 0x9e3779b1) >>> 22) & (SLOTS - 1)
    const words = this.#words
    const at = slot * WORDS
    if (
      this.#cached[slot]! >= 0 &&
      words[at] === a &&
      words[at + 1] === b &&
      words[at + 2] === c &&
      words[at + 3] === d &&
      this.#digits[slot] === digits
    ) {
      return slot
    }
    words[at] = a
    words[at + 1] = b
    words[at + 2] = c
    words[at + 3] = d
    this.#digits[slot] = digits
    return ~slot
  }

  #keep(slot: number, number: number): number {
    this.#cached[slot] = number
    return number
  }
}
