import { Truncated, Unreadable } from '../byte-cursor.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, WORD } from './cursor.js'
import { Keys } from './keys.js'

export type JsonFormat = 'jaeger' | 'otlp-json' | 'zipkin'

/** Keys that tell a format, and those that wrap one. */
const TELLING: readonly (readonly [JsonFormat | 'wrapper', readonly string[]])[] = [
  ['jaeger', ['traceID', 'spanID', 'processes', 'spans', 'operationName']],
  ['otlp-json', ['resourceSpans', 'resource_spans', 'batches', 'scopeSpans', 'scope_spans']],
  ['zipkin', ['traceId', 'localEndpoint', 'binaryAnnotations', 'parentId']],
  ['wrapper', ['data', 'result', 'trace']],
]
const KEYS = new Keys(TELLING.flatMap(([, keys]) => keys))
const MEANINGS = TELLING.flatMap(([meaning, keys]) => keys.map(() => meaning))

const MAX_DEPTH = 4
const MAX_KEYS = 8
const LONGEST_KEY = 40

/** What `sniffJson` saw: the format, or an empty answer, or the first keys that meant nothing to it. */
export interface Sniffed {
  readonly format: JsonFormat | undefined
  readonly isEmpty: boolean
  readonly keys: readonly string[]
}

/**
 * Tells the format of JSON by the first key that only one format has. Consumes what it reads: go back to where the
 * cursor stood. Documents that tell nothing (empty answers, broken lines) are passed over.
 */
export function sniffJson(cursor: JsonCursor): Sniffed {
  const sniffer = new Sniffer(cursor)
  while (!cursor.isAtEnd()) {
    try {
      const format = sniffer.look(0)
      if (format) return { format, isEmpty: false, keys: sniffer.keys }
    } catch (reason) {
      if (!(reason instanceof Unreadable || reason instanceof Truncated)) throw reason
      sniffer.strangers++
      if (reason instanceof Truncated) break
      do if (!cursor.skipLine()) break
      while (!cursor.isAtOpeningLine())
    }
  }
  return { format: undefined, isEmpty: sniffer.strangers === 0 || sniffer.isEmptyAnswer, keys: sniffer.keys }
}

class Sniffer {
  readonly #cursor: JsonCursor
  /** The first keys of no format. */
  readonly keys: string[] = []
  /** Values that no format has. */
  strangers = 0
  /** Whether there was a wrapper with nothing in it. */
  isEmptyAnswer = false

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor
  }

  look(depth: number): JsonFormat | undefined {
    const cursor = this.#cursor
    const first = depth > MAX_DEPTH ? 0 : cursor.peek()
    if (first === OPEN_OBJECT) return this.#lookAtKeys(depth)
    if (first !== OPEN_ARRAY) {
      if (cursor.scalar() !== WORD) this.strangers++
      return undefined
    }
    cursor.at++
    while (cursor.element()) {
      const format = this.look(depth + 1)
      if (format) return format
    }
    return undefined
  }

  #lookAtKeys(depth: number): JsonFormat | undefined {
    const cursor = this.#cursor
    cursor.at++
    for (let key = cursor.key(KEYS); key !== END; key = cursor.key(KEYS)) {
      const meaning = MEANINGS[key]
      if (meaning === undefined) {
        this.strangers++
        if (this.keys.length < MAX_KEYS) this.keys.push(cursor.text().slice(0, LONGEST_KEY))
        cursor.skip()
        continue
      }
      if (meaning !== 'wrapper') return meaning
      const strangers = this.strangers
      const format = this.look(depth + 1)
      if (format) return format
      if (this.strangers === strangers) this.isEmptyAnswer = true
    }
    return undefined
  }
}
