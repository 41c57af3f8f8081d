// Reads a few values out of JSON without building the rest, in slices: a body of megabytes must not hold up everybody else.
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A scalar; of a long string its last 16 to 32 KiB. */
export type JsonScalar = string | number | boolean | null

/** Paths that are wanted. */
export class JsonPaths {
  readonly all: ReadonlySet<string>
  /** `a.b.c` → `a`, `a.b`, `a.b.c`. */
  readonly prefixes: ReadonlySet<string>

  constructor(paths: readonly string[]) {
    this.all = new Set(paths)
    this.prefixes = new Set(
      paths.flatMap((path) => path.split('.').map((_, i, keys) => keys.slice(0, i + 1).join('.'))),
    )
  }
}

/** What the bytes are. */
export type JsonKind = 'object' | 'other' | 'invalid'

const SLICE_BYTES = 64 * 1024
const TAIL_BYTES = 16 * 1024
const DEEPEST = 512
const LONGEST_SCALAR = 512
const LONGEST_KEY = 512
const [TAB, LF, CR, SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [9, 10, 13, 32, 0x22, 0x2c, 0x3a, 0x5c]
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const ESCAPE = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/

/**
 * Tells every scalar at the wanted paths, in order. A path is keys joined by dots; arrays add nothing: `messages.content`.
 *
 * @returns what `JSON.parse` would have made of the bytes; nested deeper than 512 levels they are no JSON either
 */
export async function skimJson(
  bytes: Buffer,
  wanted: JsonPaths,
  visit: (path: string, value: JsonScalar) => void,
): Promise<JsonKind> {
  if (!isUtf8(bytes)) return 'invalid'
  const skimmer = new Skimmer(bytes, wanted, visit)
  while (skimmer.goOn(SLICE_BYTES)) await nextTurn()
  return skimmer.kind
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** An object or an array that is open. */
interface Container {
  readonly isArray: boolean
  /** Of its values; undefined where nothing below is wanted. */
  path: string | undefined
  readonly base: string | undefined
}

class Skimmer {
  kind: JsonKind = 'other'
  readonly #bytes: Buffer
  readonly #wanted: JsonPaths
  readonly #visit: (path: string, value: JsonScalar) => void
  readonly #open: Container[] = []
  #expected: Expected = 'value'
  #at: number
  /** Inside a string: where it starts, and two places in it, the second at most 16 KiB back, at which no letter is cut. */
  #string: { readonly start: number; before: number; latest: number } | undefined

  constructor(bytes: Buffer, wanted: JsonPaths, visit: (path: string, value: JsonScalar) => void) {
    this.#bytes = bytes
    this.#wanted = wanted
    this.#visit = visit
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0 // a byte order mark
  }

  /** Reads about so many bytes; returns whether there is more to read. */
  goOn(bytes: number): boolean {
    const end = this.#at + bytes
    while (this.#at < end) {
      if (this.#at >= this.#bytes.length) {
        if (this.#expected !== 'nothing') this.kind = 'invalid'
        return false
      }
      if (this.#string ? this.#readString(end) : this.#step()) continue
      this.kind = 'invalid'
      return false
    }
    return true
  }

  /** One token, or the beginning of a string. False: it may not stand here. */
  #step(): boolean {
    const code = this.#bytes[this.#at]!
    if (code === SPACE || code === LF || code === CR || code === TAB) return this.#skip()
    const expected = this.#expected
    if (expected === 'colon') return code === COLON && this.#skip('value')
    if (expected === 'comma or end') {
      if (code === COMMA) return this.#skip(this.#open.at(-1)!.isArray ? 'value' : 'key')
      return this.#end(code)
    }
    if (expected.endsWith('or end') && (code === ARRAY_END || code === OBJECT_END)) return this.#end(code)
    if (code === QUOTE && expected !== 'nothing') {
      const start = this.#at + 1
      this.#string = { start, before: start, latest: start }
      return this.#skip()
    }
    if (!expected.startsWith('value')) return false
    return code === OBJECT || code === ARRAY ? this.#begin(code === ARRAY) : this.#readScalar()
  }

  #skip(expected: Expected = this.#expected): true {
    this.#at++
    this.#expected = expected
    return true
  }

  #begin(isArray: boolean): boolean {
    if (this.#open.length === 0 && !isArray) this.kind = 'object'
    if (this.#open.length === DEEPEST) return false
    const base = this.#open.length === 0 ? '' : this.#open.at(-1)!.path
    this.#open.push({ isArray, path: base, base })
    return this.#skip(isArray ? 'value or end' : 'key or end')
  }

  #end(code: number): boolean {
    if (this.#open.pop()?.isArray !== (code === ARRAY_END) || (code !== ARRAY_END && code !== OBJECT_END)) return false
    this.#at++
    return this.#afterValue()
  }

  #afterValue(): true {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma or end'
    return true
  }

  #readScalar(): boolean {
    const start = this.#at
    while (this.#at < this.#bytes.length && !isDelimiter(this.#bytes[this.#at]!)) {
      if (this.#at++ - start > LONGEST_SCALAR) return false
    }
    const text = this.#bytes.toString('latin1', start, this.#at)
    if (!SCALAR.test(text)) return false
    const path = this.#wantedPath()
    if (path !== undefined) this.#visit(path, JSON.parse(text))
    return this.#afterValue()
  }

  /** Goes on in a string, to its end or to that of the slice. */
  #readString(end: number): boolean {
    const bytes = this.#bytes
    const string = this.#string!
    while (this.#at < end && this.#at < bytes.length) {
      const code = bytes[this.#at]!
      if (code === QUOTE) return this.#endString()
      if (code < SPACE) return false
      if (code === BACKSLASH) {
        const escaped = ESCAPE.exec(bytes.toString('latin1', this.#at + 1, this.#at + 6))
        if (!escaped) return false
        this.#at += escaped[0].length
      }
      this.#at++
      if (this.#at - string.latest >= TAIL_BYTES && (bytes[this.#at]! & 0xc0) !== 0x80) {
        string.before = string.latest
        string.latest = this.#at
      }
    }
    return true
  }

  #endString(): boolean {
    const { start, before } = this.#string!
    const end = this.#at++
    this.#string = undefined
    if (this.#expected.startsWith('key')) {
      const object = this.#open.at(-1)!
      object.path = object.base === undefined ? undefined : this.#pathOf(object.base, start, end)
      this.#expected = 'colon'
      return true
    }
    const path = this.#wantedPath()
    if (path !== undefined) this.#visit(path, this.#text(before, end))
    return this.#afterValue()
  }

  #pathOf(base: string, start: number, end: number): string | undefined {
    if (end - start > LONGEST_KEY) return undefined
    const key = this.#text(start, end)
    if (key.includes('.')) return undefined
    const path = base === '' ? key : `${base}.${key}`
    return this.#wanted.prefixes.has(path) ? path : undefined
  }

  #wantedPath(): string | undefined {
    const path = this.#open.at(-1)?.path
    return path !== undefined && this.#wanted.all.has(path) ? path : undefined
  }

  #text(start: number, end: number): string {
    return JSON.parse(`"${this.#bytes.toString('utf8', start, end)}"`)
  }
}

const isDelimiter = (code: number): boolean =>
  code === COMMA || code === ARRAY_END || code === OBJECT_END || code === SPACE || (code >= TAB && code <= CR)
