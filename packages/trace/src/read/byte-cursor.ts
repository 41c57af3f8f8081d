/** The bytes at hand end inside a value; `ByteCursor.whole()` waits for more and tries again. */
class Starved {}
/** The input is over, in the middle of a value. */
export class Truncated {}
/** The bytes at `position` cannot be what their place asks for. */
export class Unreadable {
  readonly position: number
  readonly what: string

  constructor(position: number, what: string) {
    this.position = position
    this.what = what
  }
}

const STARVED = new Starved()
const TRUNCATED = new Truncated()
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const SMALLEST = 1 << 16

/**
 * Bytes that arrive in chunks, read as if they lay there whole.
 *
 * A reader does a unit of work (a span, a key) by plain calls; when the bytes end inside the unit, the call unwinds to
 * `whole()`, which goes back to the last `commit()` and asks for more. So reading is plain code at full speed, chunks may
 * be cut anywhere, and memory is bounded by the largest unit.
 */
export class ByteCursor {
  bytes: Uint8Array = new Uint8Array(0)
  /** The next byte. */
  at = 0
  /** Behind the last byte at hand. */
  end = 0
  #mark = 0 // the first byte that may be needed again
  #passed = 0 // bytes of the input before bytes[0]
  #before = LINE_FEED // the byte before bytes[0]
  #wanted = 0 // bytes from the mark on that make a new try worthwhile
  #isOwn = false
  #isClosed = false

  /** @param whole  the whole input, which is not copied; left out: it comes by `append()` and ends by `close()` */
  constructor(whole?: Uint8Array) {
    if (!whole) return
    this.bytes = whole
    this.end = whole.length
    this.#isClosed = true
  }

  /** Bytes of the input before the next one. */
  get position(): number {
    return this.#passed + this.at
  }

  /** Bytes that lie there because they may be needed again: of the unit that is being read, and what came behind it. */
  get held(): number {
    return this.end - this.#mark
  }

  /** Bytes of the input that came so far. */
  get received(): number {
    return this.#passed + this.end
  }

  /** Whether no more bytes will come. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether going on makes sense. A unit that did not fit is tried again at twice its size, so the work stays linear. */
  get isFed(): boolean {
    return this.#isClosed || this.end - this.#mark >= this.#wanted
  }

  /** Adds a copy of `chunk`. */
  append(chunk: Uint8Array): void {
    const rest = this.end - this.#mark
    const needed = rest + chunk.length
    if (!this.#isOwn || this.end + chunk.length > this.bytes.length) {
      const hasRoom = this.#isOwn && needed <= this.bytes.length / 2
      const target = hasRoom ? this.bytes : new Uint8Array(Math.max(needed * 2, SMALLEST))
      if (this.#mark > 0) this.#before = this.bytes[this.#mark - 1]!
      target.set(this.bytes.subarray(this.#mark, this.end))
      this.bytes = target
      this.#isOwn = true
      this.#passed += this.#mark
      this.at -= this.#mark
      this.#mark = 0
      this.end = rest
    }
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** No more bytes will come. */
  close(): void {
    this.#isClosed = true
  }

  /** What was read so far will not be needed again. */
  commit(): void {
    this.#mark = this.at
  }

  /** Runs `read` until it gets through; yields whenever it needs more bytes. `read` starts again at the last commit. */
  *whole<T>(read: () => T): Generator<undefined, T> {
    this.#mark = this.at
    for (;;) {
      try {
        const value = read()
        this.#mark = this.at
        return value
      } catch (reason) {
        if (reason !== STARVED) throw reason
        this.at = this.#mark
        this.#wanted = 2 * (this.end - this.#mark)
        yield undefined
      }
    }
  }

  /** Whether no byte is left. */
  isOver(): boolean {
    if (this.at < this.end) return false
    if (!this.#isClosed) throw STARVED
    return true
  }

  /** Waits until `bytes` are at hand, or the end. */
  want(bytes: number): void {
    if (this.end - this.at < bytes && !this.#isClosed) throw STARVED
  }

  /** The byte before the next one; a line feed at the start of the input. */
  get before(): number {
    return this.at > 0 ? this.bytes[this.at - 1]! : this.#before
  }

  /** Steps over the rest of the line. @returns false at the end of the input */
  skipLine(): boolean {
    const lineEnd = this.bytes.subarray(this.at, this.end).indexOf(LINE_FEED)
    if (lineEnd < 0 && !this.#isClosed) throw STARVED
    this.at = lineEnd < 0 ? this.end : this.at + lineEnd + 1
    return lineEnd >= 0
  }

  /** Steps over the byte order mark some editors put in front. */
  skipByteOrderMark(): void {
    this.want(BYTE_ORDER_MARK.length)
    if (BYTE_ORDER_MARK.every((byte, i) => this.bytes[this.at + i] === byte)) this.at += BYTE_ORDER_MARK.length
  }

  /** The bytes at hand are not enough. */
  starve(): never {
    throw this.#isClosed ? TRUNCATED : STARVED
  }

  fail(what: string): never {
    throw new Unreadable(this.position, what)
  }
}
