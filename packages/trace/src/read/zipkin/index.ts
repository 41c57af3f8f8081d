import type { TraceBuilder } from '../../trace-builder.js'
import type { Trace } from '../../types.js'
import { ByteNames } from '../byte-names.js'
import { type JsonCursor, OPEN_ARRAY } from '../json/cursor.js'
import { readDocuments } from '../json/documents.js'
import { readSpan, readSpans } from '../json/walk.js'
import { ZipkinHalves } from './halves.js'
import { ZipkinSpan } from './span.js'

/**
 * Reads Zipkin's JSON, v2 or v1: an array of spans, an array of traces that are arrays of spans, or a span or array of
 * them a line. A trace that is an array is given out when it ends; spans that stand together anyhow, at the end.
 *
 * @returns yields traces, and nothing when the cursor needs more bytes
 */
export function* readZipkin(cursor: JsonCursor, builder: TraceBuilder): Generator<Trace | undefined, void> {
  const reader = new ZipkinReader(cursor, builder)
  yield* readDocuments<Trace>(
    cursor,
    builder.repairs,
    () => reader.document(),
    () => [],
  )
  yield* reader.finish()
}

class ZipkinReader {
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #span: ZipkinSpan
  readonly #halves: ZipkinHalves

  constructor(cursor: JsonCursor, builder: TraceBuilder) {
    this.#cursor = cursor
    this.#builder = builder
    this.#halves = new ZipkinHalves(builder)
    this.#span = new ZipkinSpan(cursor, builder, new ByteNames(builder.names))
  }

  *document(): Generator<Trace | undefined, void> {
    const cursor = this.#cursor
    if ((yield* cursor.whole(() => cursor.peek())) !== OPEN_ARRAY) {
      yield* cursor.whole(() => this.#readSpan())
      return
    }
    cursor.at++
    while (yield* cursor.whole(() => this.#readToTrace())) {
      const isAlone = this.#builder.size === 0
      yield* readSpans(cursor, this.#builder.repairs, this.#read)
      if (isAlone) yield* this.finish()
    }
  }

  /** Gives out the traces of the spans at hand. */
  *finish(): Generator<Trace, void> {
    this.#halves.separate()
    yield* this.#builder.traces()
  }

  /** Reads spans until an array of them comes; the cursor stands on it. @returns false if none comes */
  #readToTrace(): boolean {
    const cursor = this.#cursor
    while (cursor.element()) {
      if (cursor.peek() === OPEN_ARRAY) return true
      this.#readSpan()
      cursor.commit()
    }
    return false
  }

  #readSpan(): void {
    readSpan(this.#cursor, this.#builder.repairs, this.#read)
  }

  readonly #read = (): boolean => this.#span.read()
}
