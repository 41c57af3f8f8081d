import type { TraceBuilder } from '../../trace-builder.js'
import type { Trace } from '../../types.js'
import { ByteNames } from '../byte-names.js'
import { type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, WORD } from '../json/cursor.js'
import { readDocuments } from '../json/documents.js'
import { Keys } from '../json/keys.js'
import { decodeUtf8 } from '../json/text.js'
import { readElements, readFields, readSpans } from '../json/walk.js'
import { JaegerProcesses } from './processes.js'
import { JaegerSpan } from './span.js'

const DOCUMENT = new Keys(['data', 'spans', 'processes', 'traceID', 'errors'])
const DATA = 0
const SPANS = 1
const PROCESSES = 2
const TRACE_ID = 3
const ERRORS = 4

const LONGEST_ERROR = 200 // bytes of it worth showing
const MAX_DEPTH = 4 // of arrays and data around a trace; exporters nest two

/**
 * Reads Jaeger's JSON: `{ data: [trace, …] }`, an array of traces, one trace, or any of these one a line. A trace is
 * given out when it ends, so no more than one is held.
 *
 * @returns yields traces, and nothing when the cursor needs more bytes
 */
export function readJaeger(cursor: JsonCursor, builder: TraceBuilder): Generator<Trace | undefined, void> {
  const reader = new JaegerReader(cursor, builder)
  return readDocuments<Trace>(
    cursor,
    builder.repairs,
    () => reader.value(0),
    () => reader.finish(),
  )
}

class JaegerReader {
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #processes: JaegerProcesses
  readonly #span: JaegerSpan
  #traceId = ''
  /** What the spans say, for a trace that says nothing. */
  #traceIdOfSpans = ''

  constructor(cursor: JsonCursor, builder: TraceBuilder) {
    const names = new ByteNames(builder.names)
    this.#cursor = cursor
    this.#builder = builder
    this.#processes = new JaegerProcesses(cursor, builder, names)
    this.#span = new JaegerSpan(cursor, builder, names, this.#processes)
  }

  /** Reads a trace, or what holds traces. */
  *value(depth: number): Generator<Trace | undefined, void> {
    const cursor = this.#cursor
    const first = depth > MAX_DEPTH ? 0 : yield* cursor.whole(() => cursor.peek())
    const at = cursor.position
    if (first === OPEN_ARRAY) yield* readElements(cursor, () => this.value(depth + 1))
    else if (first === OPEN_OBJECT) {
      let isKnown = false
      yield* readFields(cursor, DOCUMENT, (key) => {
        isKnown ||= key === DATA || key === SPANS
        return this.#field(key, depth)
      })
      yield* this.finish()
      const isEmpty = cursor.position - at === '{}'.length
      if (!isKnown && !isEmpty) {
        this.#builder.repairs.add('unreadable_input', () => `byte ${at}: an object without data or spans`)
      }
    } else {
      if ((yield* cursor.whole(() => cursor.scalar())) === WORD) return // null: nothing found
      this.#builder.repairs.add('unreadable_input', () => `byte ${at}: a trace expected`)
    }
  }

  /** Gives out the trace at hand. */
  *finish(): Generator<Trace, void> {
    const { columns, traceIds } = this.#builder
    const trace = traceIds.ofText(this.#traceId || this.#traceIdOfSpans)
    columns.trace.fill(trace, 0, columns.size)
    this.#processes.resolve(trace)
    this.#traceId = ''
    this.#traceIdOfSpans = ''
    yield* this.#builder.finish()
  }

  *#field(key: number, depth: number): Generator<Trace | undefined, void> {
    const cursor = this.#cursor
    if (key === DATA) yield* this.value(depth + 1)
    else if (key === SPANS) yield* readSpans(cursor, this.#builder.repairs, this.#readSpan)
    else if (key === PROCESSES) yield* this.#readProcesses()
    else if (key === ERRORS) yield* cursor.whole(this.#readErrors)
    else if (key === TRACE_ID) this.#traceId = yield* cursor.whole(this.#readTraceId)
  }

  readonly #readSpan = (): boolean => {
    if (!this.#span.read()) return false
    if (this.#builder.size === 1) this.#traceIdOfSpans = this.#span.trace.text(this.#cursor)
    return true
  };

  *#readProcesses(): Generator<undefined, void> {
    const cursor = this.#cursor
    if (!(yield* cursor.whole(() => cursor.enter(OPEN_OBJECT)))) return
    yield* cursor.whole(() => {
      while (this.#processes.readEntry()) cursor.commit()
    })
  }

  /** What the server says it could not give. */
  readonly #readErrors = (): void => {
    const cursor = this.#cursor
    cursor.peek()
    const { at, position } = cursor
    cursor.skip()
    const text = decodeUtf8(cursor.bytes, at, Math.min(cursor.at, at + LONGEST_ERROR))
    if (text !== 'null' && text !== '[]') {
      this.#builder.repairs.add('unreadable_input', () => `byte ${position}: the server tells an error: ${text}`)
    }
  }

  readonly #readTraceId = (): string => {
    const place = this.#span.trace
    place.read(this.#cursor)
    return place.text(this.#cursor)
  }
}
