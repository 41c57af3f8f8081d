import type { TraceBuilder } from '../../trace-builder.js'
import type { Trace } from '../../types.js'
import { Unreadable } from '../byte-cursor.js'
import { ByteNames } from '../byte-names.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, WORD } from '../json/cursor.js'
import { readDocuments } from '../json/documents.js'
import { Keys } from '../json/keys.js'
import { JaegerProcesses } from './processes.js'
import { JaegerSpan } from './span.js'

const DOCUMENT = new Keys(['data', 'spans', 'processes', 'traceID'])
const DATA = 0
const SPANS = 1
const PROCESSES = 2
const TRACE_ID = 3

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
  /** Whether the cursor stands inside a list of spans or processes. */
  #isInside = false

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
    if (first === OPEN_OBJECT) {
      cursor.at++
      yield* this.#object(depth)
    } else if (first === OPEN_ARRAY) {
      cursor.at++
      while (yield* cursor.whole(() => cursor.element())) yield* this.value(depth + 1)
    } else {
      const at = cursor.position
      if ((yield* cursor.whole(() => cursor.scalar())) === WORD) return // null: nothing found
      this.#builder.repairs.add('unreadable_input', () => `byte ${at}: a trace expected`)
    }
  }

  /** Gives out the trace at hand. */
  *finish(): Generator<Trace, void> {
    const { columns, traceIds } = this.#builder
    if (columns.size === 0) return
    const trace = traceIds.ofText(this.#traceId || this.#traceIdOfSpans)
    columns.trace.fill(trace, 0, columns.size)
    this.#processes.resolve(trace)
    this.#traceId = ''
    this.#traceIdOfSpans = ''
    this.#isInside = false
    yield* this.#builder.finish()
  }

  *#object(depth: number): Generator<Trace | undefined, void> {
    const cursor = this.#cursor
    for (;;) {
      const key = yield* cursor.whole(() => cursor.key(DOCUMENT))
      if (key === END) break
      if (key === DATA) yield* this.value(depth + 1)
      else if (key === SPANS) yield* cursor.whole(this.#readSpans)
      else if (key === PROCESSES) yield* cursor.whole(this.#readProcesses)
      else if (key === TRACE_ID) this.#traceId = yield* cursor.whole(this.#readTraceId)
      else yield* cursor.whole(() => cursor.skip())
    }
    yield* this.finish()
  }

  readonly #readSpans = (): void => {
    const cursor = this.#cursor
    if (!this.#isInside && !this.#enter(OPEN_ARRAY)) return
    while (cursor.element()) {
      this.#readSpan()
      cursor.commit()
    }
    this.#isInside = false
  }

  /** A span that cannot be read is stepped over, bracket by bracket. */
  #readSpan(): void {
    const cursor = this.#cursor
    const { at, position } = cursor
    let what = 'a span without an id'
    try {
      if (this.#span.read()) {
        if (this.#builder.size === 1) this.#traceIdOfSpans = this.#span.trace.text(cursor)
        return
      }
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason
      what = reason.what
      cursor.at = at
      cursor.skip()
    }
    this.#builder.repairs.add('unreadable_span', () => `byte ${position}: ${what}`)
  }

  readonly #readProcesses = (): void => {
    const cursor = this.#cursor
    if (!this.#isInside && !this.#enter(OPEN_OBJECT)) return
    while (this.#processes.readEntry()) cursor.commit()
    this.#isInside = false
  }

  /** Steps into a list that is read in several goes. @returns false if there is none; it was stepped over */
  #enter(bracket: number): boolean {
    const cursor = this.#cursor
    if (!cursor.enter(bracket)) return false
    cursor.commit()
    this.#isInside = true
    return true
  }

  readonly #readTraceId = (): string => {
    const place = this.#span.trace
    place.read(this.#cursor)
    return place.text(this.#cursor)
  }
}
