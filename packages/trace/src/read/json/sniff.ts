import { Unreadable } from '../byte-cursor.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from './cursor.js'
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

/** What `sniffJson` saw: the format, or the first keys that meant nothing to it. */
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
  const keys: string[] = []
  let hasContent = false

  const look = (depth: number): JsonFormat | undefined => {
    const first = depth > MAX_DEPTH ? 0 : cursor.peek()
    if (first === OPEN_ARRAY) {
      cursor.at++
      while (cursor.element()) {
        const format = look(depth + 1)
        if (format) return format
      }
    } else if (first === OPEN_OBJECT) {
      cursor.at++
      return lookAtKeys(depth)
    } else {
      cursor.skip()
      hasContent = true
    }
    return undefined
  }

  const lookAtKeys = (depth: number): JsonFormat | undefined => {
    for (let key = cursor.key(KEYS); key !== END; key = cursor.key(KEYS)) {
      const meaning = MEANINGS[key]
      if (meaning === 'wrapper') {
        const format = look(depth + 1)
        if (format) return format
      } else if (meaning) return meaning
      else {
        hasContent = true
        if (keys.length < MAX_KEYS) keys.push(cursor.text())
        cursor.skip()
      }
    }
    return undefined
  }

  while (!cursor.isAtEnd()) {
    try {
      const format = look(0)
      if (format) return { format, isEmpty: false, keys }
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason
      hasContent = true
      do if (!cursor.skipLine()) break
      while (!cursor.isAtOpeningLine())
    }
  }
  return { format: undefined, isEmpty: !hasContent, keys }
}
