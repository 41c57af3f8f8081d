import type { Names } from './names.js'

/** Values of `IdColumn.form`. 1…16: lower-case hex of that many digits, held in 64 bits. */
export const NO_ID = 0
/** The id is text; `low` is its number among `IdColumn.texts`. */
export const TEXT_ID = 255

const MAX_DIGITS = 16

/** The value of one lower-case hex digit, −1 for anything else. Binary exporters write lower case, so others are text. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : -1
}

/** Eight hex digits of a word. */
function hexWord(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}

/** What an id is as text, from its three numbers. */
export function idText(high: number, low: number, form: number, texts: Names): string {
  if (form === NO_ID) return ''
  if (form === TEXT_ID) return texts.text(low)
  return (hexWord(high) + hexWord(low)).slice(-form)
}

/**
 * Ids, one a row, without a string for each: an id of up to 16 lower-case hex digits is a 64-bit number and its digit
 * count, any other text is a number in `texts`. Two ids are the same text exactly when their three numbers are equal.
 */
export class IdColumn {
  high: Int32Array
  low: Int32Array
  form: Uint8Array
  texts: Names
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(capacity: number, texts: Names) {
    this.high = new Int32Array(capacity)
    this.low = new Int32Array(capacity)
    this.form = new Uint8Array(capacity)
    this.texts = texts
  }

  grow(capacity: number): void {
    this.high = grown(this.high, new Int32Array(capacity))
    this.low = grown(this.low, new Int32Array(capacity))
    this.form = grown(this.form, new Uint8Array(capacity))
  }

  /** No id at all. */
  clear(row: number): void {
    this.form[row] = NO_ID
  }

  isEmpty(row: number): boolean {
    return this.form[row] === NO_ID
  }

  /** Any text; empty means no id. */
  setText(row: number, text: string): void {
    const digits = text.length
    let high = 0
    let low = 0
    let at = digits > MAX_DIGITS ? -1 : 0
    while (at >= 0 && at < digits) {
      const digit = digitOf(text.charCodeAt(at))
      high = (high << 4) | (low >>> 28)
      low = (low << 4) | digit
      at = digit < 0 ? -1 : at + 1
    }
    if (at < 0) this.#setOther(row, text)
    else this.#set(row, high, low, digits)
  }

  /** The UTF-8 text `bytes[start, end)`, with no string made of it when it is a usual hex id. */
  setBytes(row: number, bytes: Uint8Array, start: number, end: number): void {
    const digits = end - start
    let high = 0
    let low = 0
    let at = digits > MAX_DIGITS ? -1 : start
    while (at >= 0 && at < end) {
      const digit = digitOf(bytes[at]!)
      high = (high << 4) | (low >>> 28)
      low = (low << 4) | digit
      at = digit < 0 ? -1 : at + 1
    }
    if (at < 0) this.#setOther(row, this.#decoder.decode(bytes.subarray(start, end)))
    else this.#set(row, high, low, digits)
  }

  /** A binary id (OTLP's eight bytes, most significant first); its text is lower-case hex. */
  setBinary(row: number, bytes: Uint8Array, start: number, end: number): void {
    const digits = (end - start) * 2
    let high = 0
    let low = 0
    for (let at = start; at < end; at++) {
      high = (high << 8) | (low >>> 24)
      low = (low << 8) | bytes[at]!
    }
    if (digits > MAX_DIGITS) this.#setOther(row, hexOf(bytes, start, end))
    else this.#set(row, high, low, digits)
  }

  /** Whether the id is what `setBinary()` would make of these bytes. */
  isBinary(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    return this.text(row) === hexOf(bytes, start, end)
  }

  #set(row: number, high: number, low: number, form: number): void {
    this.high[row] = high
    this.low[row] = low
    this.form[row] = form
  }

  #setOther(row: number, text: string): void {
    this.#set(row, 0, this.texts.number(text), TEXT_ID)
  }

  /** @param source  the column of `from` */
  copyRow(from: number, to: number, source: IdColumn): void {
    if (source.form[from] === TEXT_ID) this.#setOther(to, source.text(from))
    else this.#set(to, source.high[from]!, source.low[from]!, source.form[from]!)
  }

  /** Whether the id is made of zeros, which exporters write for "no parent". */
  isZero(row: number): boolean {
    const form = this.form[row]!
    if (form === TEXT_ID) return /^0+$/.test(this.texts.text(this.low[row]!))
    return this.high[row] === 0 && this.low[row] === 0
  }

  text(row: number): string {
    return idText(this.high[row]!, this.low[row]!, this.form[row]!, this.texts)
  }
}

/** Lower-case hex of `bytes[start, end)`. */
export function hexOf(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += (bytes[at]! + 256).toString(16).slice(1)
  return text
}

/** `to`, filled from its start with what `from` holds. */
export function grown<T extends Int32Array | Uint8Array | Uint16Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}
