import { Truncated, Unreadable } from '../byte-cursor.js'
import { COMPOUND, END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, STRING, WORD } from './cursor.js'
import { ERROR_BODY, ERROR_KEYS, FOREIGN_JSON, type ForeignJson } from './foreign.js'
import { Keys } from './keys.js'
import { decodeUtf8 } from './text.js'

export type JsonFormat = 'jaeger' | 'otlp-json' | 'zipkin'

/** What a key tells: a format, or a format together with others of its object, or that traces are further in. */
type Meaning = JsonFormat | ForeignJson | 'trace id' | 'span id' | 'wrapper' | 'error'

const TELLING: readonly (readonly [Meaning, readonly string[]])[] = [
  ['jaeger', ['traceID', 'spanID', 'processes', 'operationName']],
  ['otlp-json', ['resourceSpans', 'resource_spans', 'batches', 'scopeSpans', 'scope_spans']],
  ['otlp-json', ['instrumentationLibrarySpans', 'instrumentation_library_spans']],
  ['zipkin', ['localEndpoint', 'binaryAnnotations', 'parentId']],
  ['trace id', ['traceId', 'trace_id']],
  ['span id', ['spanId', 'span_id']],
  ['wrapper', ['data', 'result', 'trace', 'spans']],
  ['error', ERROR_KEYS],
  ...FOREIGN_JSON.map((foreign) => [foreign, foreign.keys] as const),
]
const KEYS = new Keys(TELLING.flatMap(([, keys]) => keys))
const MEANINGS = TELLING.flatMap(([meaning, keys]) => keys.map(() => meaning))

const MAX_DEPTH = 4
const MAX_KEYS = 8
const LONGEST_KEY = 40
const LONGEST_ERROR = 200 // bytes of what an error says that are worth showing

/** What `sniffJson` saw: the format, or a foreign one, or an empty answer, or the first keys that meant nothing to it. */
export interface Sniffed {
  readonly format: JsonFormat | undefined
  readonly foreign: Pick<ForeignJson, 'name' | 'wayOut'> | undefined
  readonly isEmpty: boolean
  readonly keys: readonly string[]
}

/**
 * Tells the format of JSON by the first key that only one format has. Consumes what it reads: go back to where the
 * cursor stood. Documents that tell nothing (empty answers, broken lines, a first line that is cut at its front) are passed over.
 */
export function sniffJson(cursor: JsonCursor): Sniffed {
  const sniffer = new Sniffer(cursor)
  while (!cursor.isAtEnd()) {
    try {
      if (sniffer.look(0)) break
    } catch (reason) {
      if (!(reason instanceof Unreadable || reason instanceof Truncated)) throw reason
      sniffer.strangers++
      if (reason instanceof Truncated) break
      do if (!cursor.skipLine()) break
      while (!cursor.isAtOpeningLine())
    }
  }
  const { format, strangers, isEmptyAnswer, keys } = sniffer
  const error =
    sniffer.error === undefined ? undefined : { ...ERROR_BODY, name: `${ERROR_BODY.name} (${sniffer.error})` }
  const foreign = sniffer.foreign ?? error
  return { format, foreign: format ? undefined : foreign, isEmpty: strangers === 0 || isEmptyAnswer, keys }
}

class Sniffer {
  readonly #cursor: JsonCursor
  format: JsonFormat | undefined
  foreign: ForeignJson | undefined
  /** What the first error said. */
  error: string | undefined
  /** The first keys of no format. */
  readonly keys: string[] = []
  /** Values that no format has. */
  strangers = 0
  /** Whether there was a wrapper with nothing in it. */
  isEmptyAnswer = false

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor
  }

  /** @returns whether the format is known now, be it a foreign one */
  look(depth: number): boolean {
    const cursor = this.#cursor
    const first = depth > MAX_DEPTH ? 0 : cursor.peek()
    if (first === OPEN_OBJECT) return this.#lookAtKeys(depth)
    if (first !== OPEN_ARRAY) {
      if (cursor.scalar() !== WORD) this.strangers++
      return false
    }
    cursor.at++
    while (cursor.element()) if (this.look(depth + 1)) return true
    return false
  }

  #lookAtKeys(depth: number): boolean {
    const cursor = this.#cursor
    let hasTraceId = false
    let hasSpanId = false
    cursor.at++
    for (let key = cursor.key(KEYS); key !== END; key = cursor.key(KEYS)) {
      const meaning = MEANINGS[key]
      if (meaning === 'wrapper') {
        const { strangers } = this
        if (this.look(depth + 1)) return true
        if (this.strangers === strangers) this.isEmptyAnswer = true
      } else if (meaning === 'trace id' || meaning === 'span id') {
        if (meaning === 'trace id') hasTraceId = true
        else hasSpanId = true
        cursor.skip()
      } else if (meaning === 'error' && depth === 0) {
        this.#noteKey()
        this.#readError()
      } else if (meaning === undefined || meaning === 'error') {
        this.#noteKey()
        cursor.skip()
      } else {
        if (typeof meaning === 'string') this.format = meaning
        else this.foreign = meaning
        return true
      }
    }
    // Spans of OTLP and of Zipkin both name their trace alike.
    if (hasTraceId) this.format = hasSpanId ? 'otlp-json' : 'zipkin'
    return hasTraceId
  }

  #noteKey(): void {
    this.strangers++
    if (this.keys.length < MAX_KEYS) this.keys.push(this.#cursor.text().slice(0, LONGEST_KEY))
  }

  #readError(): void {
    const cursor = this.#cursor
    cursor.peek()
    const { position } = cursor
    const kind = cursor.scalar()
    const length = cursor.position - position
    const isSomething = kind === COMPOUND ? length > '[]'.length : kind === STRING && length > '""'.length
    if (!isSomething) return
    const from = cursor.at - length
    this.error ??= decodeUtf8(cursor.bytes, from, Math.min(cursor.at, from + LONGEST_ERROR))
  }
}
