import type { IdColumn } from '../ids.js'
import type { ByteCursor } from './byte-cursor.js'
import type { ByteNames } from './byte-names.js'
import type { ExactTime } from './exact-time.js'
import { decodeUtf8 } from './json/text.js'

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** One row of a comma-separated table (RFC 4180): where its fields lie in the cursor's bytes, until the next one is read. */
export class CsvRow {
  /** Fields in this row. */
  size = 0
  /** Whether the table ended inside this row's last quoted field. */
  isBroken = false
  readonly #cursor: ByteCursor
  readonly #from: number[] = []
  readonly #to: number[] = []
  /** Whether the field holds doubled quotes. */
  readonly #isDoubled: boolean[] = []

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor
  }

  /** Reads the next row; empty lines are no rows. @returns false at the end of the table */
  read(): boolean {
    const cursor = this.#cursor
    for (;;) {
      if (cursor.isOver()) return false
      const byte = cursor.bytes[cursor.at]
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) break
      cursor.at++
    }
    this.size = 0
    this.isBroken = false
    while (cursor.bytes[cursor.at] === QUOTE ? this.#readQuoted() : this.#readPlain()) {
      // one field after the other
    }
    return true
  }

  isEmpty(field: number): boolean {
    return this.#from[field] === this.#to[field]
  }

  text(field: number): string {
    const text = decodeUtf8(this.#cursor.bytes, this.#from[field]!, this.#to[field]!)
    return this.#isDoubled[field] ? text.replaceAll('""', '"') : text
  }

  /** The field's number in `names`. */
  name(field: number, names: ByteNames): number {
    return names.number(this.#cursor.bytes, this.#from[field]!, this.#to[field]!, () => this.text(field))
  }

  readTime(field: number, time: ExactTime, unit: number): void {
    time.read(this.#cursor.bytes, this.#from[field]!, this.#to[field]!, unit)
  }

  writeId(field: number, column: IdColumn, row: number): void {
    if (this.#isDoubled[field]) column.setText(row, this.text(field))
    else column.setBytes(row, this.#cursor.bytes, this.#from[field]!, this.#to[field]!)
  }

  /** @returns whether another field follows in this row */
  #readPlain(): boolean {
    const cursor = this.#cursor
    const { bytes, end } = cursor
    const from = cursor.at
    for (let i = from; i < end; i++) {
      const byte = bytes[i]!
      if (byte === COMMA) return this.#add(from, i, false, i + 1, true)
      if (byte !== LINE_FEED) continue
      const to = i > from && bytes[i - 1] === CARRIAGE_RETURN ? i - 1 : i
      return this.#add(from, to, false, i + 1, false)
    }
    if (!cursor.isClosed) cursor.starve()
    return this.#add(from, end, false, end, false)
  }

  #readQuoted(): boolean {
    const cursor = this.#cursor
    const { bytes, end } = cursor
    const from = cursor.at + 1
    let isDoubled = false
    for (let i = from; i < end; i++) {
      if (bytes[i] !== QUOTE) continue
      if (i + 1 === end && !cursor.isClosed) break
      if (bytes[i + 1] === QUOTE) {
        isDoubled = true
        i++
        continue
      }
      let next = i + 1
      while (next < end && bytes[next] !== COMMA && bytes[next] !== LINE_FEED) next++
      if (next === end && !cursor.isClosed) break
      return this.#add(from, i, isDoubled, next + 1, bytes[next] === COMMA)
    }
    if (!cursor.isClosed) cursor.starve()
    this.isBroken = true
    return this.#add(from, end, isDoubled, end, false)
  }

  #add(from: number, to: number, isDoubled: boolean, next: number, isMore: boolean): boolean {
    this.#from[this.size] = from
    this.#to[this.size] = to
    this.#isDoubled[this.size] = isDoubled
    this.size++
    this.#cursor.at = Math.min(next, this.#cursor.end)
    return isMore
  }
}
