// Reads a few values out of JSON. A short text is parsed; of a long one the rest is not built, and it is read in slices: a body of
// megabytes must not hold up everybody else.
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A scalar; of a long string its last 16 KiB at least. */
export type JsonScalar = string | number | boolean | null

/** Paths that are wanted, as a tree of keys. */
export interface JsonPaths {
  readonly path: string
  readonly isWanted: boolean
  readonly below: ReadonlyMap<string, JsonPaths>
}

/** @param paths  keys joined by dots */
export function jsonPaths(paths: readonly string[], path = '', isWanted = false): JsonPaths {
  const below = new Map<string, JsonPaths>()
  for (const key of new Set(paths.map((each) => each.split('.', 1)[0]!))) {
    const rests = paths.filter((each) => each.startsWith(`${key}.`)).map((each) => each.slice(key.length + 1))
    below.set(key, jsonPaths(rests, path === '' ? key : `${path}.${key}`, paths.includes(key)))
  }
  return { path, isWanted, below }
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
 * Tells every scalar at the wanted paths, in order. A path is keys joined by dots; arrays add nothing: `messages.content`. Of an object
 * that has a key twice, one or both may be told, the last one last.
 *
 * @returns what `JSON.parse` would have made of the bytes; nested deeper than 512 levels they may be no JSON either
 */
export async function skimJson(bytes: Buffer, wanted: JsonPaths, visit: Visit): Promise<JsonKind> {
  if (!isUtf8(bytes)) return 'invalid'
  if (bytes.length <= SLICE_BYTES) return parseWhole(bytes, wanted, visit)
  const skimmer = new Skimmer(bytes, wanted, visit)
  while (skimmer.goOn(SLICE_BYTES)) await nextTurn()
  return skimmer.kind
}

/** @param cutBytes  of a long string, how many are missing at its front */
type Visit = (path: string, value: JsonScalar, cutBytes: number) => void

/** A fifth of the skimmer's time, and no longer a turn than a slice of it. */
function parseWhole(bytes: Buffer, wanted: JsonPaths, visit: Visit): JsonKind {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8', startOf(bytes)))
  } catch {
    return 'invalid'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'other'
  return walk(value, wanted, DEEPEST, visit) ? 'object' : 'invalid'
}

/** False: it is nested deeper than so many levels. */
function walk(value: unknown, paths: JsonPaths, levels: number, visit: Visit): boolean {
  if (typeof value !== 'object' || value === null) {
    if (paths.isWanted) visit(paths.path, value as JsonScalar, 0)
    return true
  }
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((item) => walk(item, paths, levels - 1, visit))
  for (const key of Object.keys(value)) {
    const below = paths.below.get(key)
    if (below && !walk((value as Readonly<Record<string, unknown>>)[key], below, levels - 1, visit)) return false
  }
  return true
}

/** Behind a byte order mark. */
const startOf = (bytes: Buffer): number => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** An object or an array that is open. */
interface Container {
  readonly isArray: boolean
  /** Of its values; undefined where nothing below is wanted. */
  paths: JsonPaths | undefined
  readonly own: JsonPaths | undefined
}

class Skimmer {
  kind: JsonKind = 'other'
  readonly #bytes: Buffer
  readonly #wanted: JsonPaths
  readonly #visit: Visit
  readonly #open: Container[] = []
  #expected: Expected = 'value'
  #at: number
  /** Inside a string: where it starts, and two places in it, the second at most 16 KiB back, at which no letter is cut. */
  #string: { readonly start: number; before: number; latest: number } | undefined

  constructor(bytes: Buffer, wanted: JsonPaths, visit: Visit) {
    this.#bytes = bytes
    this.#wanted = wanted
    this.#visit = visit
    this.#at = startOf(bytes)
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
    const own = this.#paths
    this.#open.push({ isArray, paths: own, own })
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
    const paths = this.#paths
    if (paths?.isWanted) this.#visit(paths.path, JSON.parse(text), 0)
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
      object.paths = end - start > LONGEST_KEY ? undefined : object.own?.below.get(this.#text(start, end))
      this.#expected = 'colon'
      return true
    }
    const paths = this.#paths
    if (paths?.isWanted) this.#visit(paths.path, this.#text(before, end), before - start)
    return this.#afterValue()
  }

  /** Of the value that stands here. */
  get #paths(): JsonPaths | undefined {
    return this.#open.length === 0 ? this.#wanted : this.#open.at(-1)!.paths
  }

  #text(start: number, end: number): string {
    return JSON.parse(`"${this.#bytes.toString('utf8', start, end)}"`)
  }
}

const isDelimiter = (code: number): boolean =>
  code === COMMA || code === ARRAY_END || code === OBJECT_END || code === SPACE || (code >= TAB && code <= CR)
