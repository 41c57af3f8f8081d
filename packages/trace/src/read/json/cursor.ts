import { ByteCursor } from '../byte-cursor.js'
import { Keys } from './keys.js'
import { decodeJsonString, decodeUtf8 } from './text.js'

const LINE_FEED = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
export const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Kinds of value, as `scalar()` tells them. */
export const STRING = 1
export const NUMBER = 2
/** true, false or null */
export const WORD = 3
/** An object or array, stepped over. */
export const COMPOUND = 4

/** What `key()` answers at the end of an object. */
export const END = -2
/** What `key()` answers for a key that is not in its set. */
export const OTHER = -1

export const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09
/** Of a number, or of true, false and null. */
const isWordByte = (c: number): boolean =>
  (c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x7a) || c === 0x2d || c === 0x2e || c === 0x2b || c === 0x45

const WORDS = new Keys(['true', 'false', 'null'])

/**
 * Walks JSON byte by byte without building values: what nobody asks for is stepped over, so that a document costs less
 * than `JSON.parse` of it. What is asked for is checked; what is skipped is only matched bracket by bracket.
 */
export class JsonCursor extends ByteCursor {
  /** The last string (without its quotes), number or word read: `bytes[from, to)`. */
  from = 0
  to = 0
  /** Whether that string holds a backslash. */
  isEscaped = false

  /** Whether the input is over but for white space. */
  isAtEnd(): boolean {
    const { bytes, end } = this
    while (this.at < end && isSpace(bytes[this.at]!)) this.at++
    return this.isOver()
  }

  /** Whether the next byte opens an object or array, and a line. */
  isAtOpeningLine(): boolean {
    if (this.isOver() || this.before !== LINE_FEED) return false
    const next = this.bytes[this.at]
    return next === OPEN_OBJECT || next === OPEN_ARRAY
  }

  /** The next byte that is not white space; the cursor stands on it. */
  peek(): number {
    const { bytes, end } = this
    for (let i = this.at; i < end; i++) {
      const c = bytes[i]!
      if (c > 0x20 || !isSpace(c)) {
        this.at = i
        return c
      }
    }
    return this.starve()
  }

  /** Steps over `byte`, with white space before it. */
  expect(byte: number): void {
    if (this.peek() !== byte) this.fail(`${JSON.stringify(String.fromCharCode(byte))} expected`)
    this.at++
  }

  /** Steps over `byte` and says yes, or stays and says no. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false
    this.at++
    return true
  }

  /** Steps into the array or object that `bracket` opens. @returns false if the value is another; it was stepped over */
  enter(bracket: number): boolean {
    if (this.take(bracket)) return true
    this.skip()
    return false
  }

  /**
   * Inside an array, right behind its bracket or an element: whether another element comes. The cursor stands on it, or
   * behind the closing bracket.
   */
  element(): boolean {
    const isFirst = this.before === OPEN_ARRAY
    if (!isFirst && !this.take(COMMA)) {
      this.expect(CLOSE_ARRAY)
      return false
    }
    return !this.take(CLOSE_ARRAY)
  }

  /** Inside an object: steps over the next key and its colon. Its place in `keys`, `OTHER` or `END`. */
  key(keys: Keys): number {
    if (!this.#isBeforeKey()) return END
    let key = keys.expect(this.bytes, this.at, this.end)
    if (key >= 0) this.at += keys.widths[key]!
    else {
      this.string()
      key = this.isEscaped ? keys.findText(this.text()) : keys.follow(this.bytes, this.from, this.to)
    }
    this.expect(COLON)
    return key
  }

  /** The same for an object whose keys are data: the key is the last string. @returns false at the end of the object */
  anyKey(): boolean {
    if (!this.#isBeforeKey()) return false
    this.string()
    this.expect(COLON)
    return true
  }

  #isBeforeKey(): boolean {
    let c = this.peek()
    while (c === COMMA) {
      this.at++
      c = this.peek()
    }
    if (c !== CLOSE_OBJECT) return true
    this.at++
    return false
  }

  /** The place of the last string in `keys`, or `OTHER`. */
  findIn(keys: Keys): number {
    return this.isEscaped ? keys.findText(this.text()) : keys.find(this.bytes, this.from, this.to)
  }

  /** Reads a string: where it lies, not what it says. */
  string(): void {
    if (this.peek() !== QUOTE) this.fail('a string expected')
    const { bytes, end } = this
    const from = this.at + 1
    let isEscaped = false
    for (let i = from; i < end; i++) {
      const c = bytes[i]!
      if (c === QUOTE) {
        this.from = from
        this.to = i
        this.isEscaped = isEscaped
        this.at = i + 1
        return
      }
      if (c === BACKSLASH) {
        isEscaped = true
        i++
      } else if (c < 0x20) {
        this.at = i
        this.fail('a control character in a string')
      }
    }
    this.starve()
  }

  /** Steps over a value of any kind; where a string, number or word lies is in `from` and `to`. */
  scalar(): number {
    const c = this.peek()
    if (c === QUOTE) {
      this.string()
      return STRING
    }
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      this.#skipCompound()
      return COMPOUND
    }
    this.#word()
    return c >= 0x61 ? WORD : NUMBER
  }

  /** What the last string, number or word says. */
  text(): string {
    try {
      return this.isEscaped
        ? decodeJsonString(this.bytes, this.from - 1, this.to + 1)
        : decodeUtf8(this.bytes, this.from, this.to)
    } catch (cause) {
      return this.fail(`a string that cannot be decoded (${(cause as Error).message})`)
    }
  }

  /** Steps over a value of any kind. */
  skip(): void {
    const first = this.peek()
    if (first === QUOTE) this.string()
    else if (first === OPEN_ARRAY || first === OPEN_OBJECT) this.#skipCompound()
    else this.#word()
  }

  /** Steps over an object or array that may be broken: it does not reach into a line that opens another. */
  skipInLines(): void {
    if (this.peek() === OPEN_OBJECT || this.peek() === OPEN_ARRAY) this.#skipCompound(true)
    else this.skip()
  }

  #skipCompound(isInLines = false): void {
    const { bytes, end } = this
    let depth = 0
    let i = this.at
    while (i < end) {
      const c = bytes[i++]!
      if (c === QUOTE) {
        for (;;) {
          if (i >= end) this.starve()
          const s = bytes[i++]!
          if (s === QUOTE) break
          if (s === BACKSLASH) i++
          else if (s < 0x20) {
            this.at = i - 1
            this.fail('a control character in a string')
          }
        }
      } else if ((c | 0x20) === OPEN_OBJECT) depth++
      else if ((c | 0x20) === CLOSE_OBJECT && --depth === 0) {
        this.at = i
        return
      } else if (isInLines && c === LINE_FEED) {
        if (i === end) this.starve()
        if ((bytes[i]! | 0x20) !== OPEN_OBJECT) continue
        this.at = i
        this.fail('a value that breaks off at the end of a line')
      }
    }
    this.starve()
  }

  #word(): void {
    const { bytes, end } = this
    let i = this.at
    while (i < end && isWordByte(bytes[i]!)) i++
    if (i === end && !this.isClosed) this.starve()
    const isKnown = bytes[this.at]! < 0x61 || WORDS.find(bytes, this.at, i) >= 0
    if (i === this.at || !isKnown) this.fail('a value expected')
    this.from = this.at
    this.to = i
    this.at = i
    this.isEscaped = false
  }
}
