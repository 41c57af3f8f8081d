import type { TraceBuilder } from '../../trace-builder.js'
import type { Trace } from '../../types.js'
import { ByteNames } from '../byte-names.js'
import { type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, WORD } from '../json/cursor.js'
import { readDocuments } from '../json/documents.js'
import { Keys } from '../json/keys.js'
import { readElements, readFields, readSpans } from '../json/walk.js'
import { ResourceRows } from '../resource-rows.js'
import { readResource } from './resource.js'
import { OtlpJsonSpan } from './span.js'

const DOCUMENT = new Keys(['resourceSpans', 'resource_spans', 'batches', 'data', 'result', 'trace'])
const LAST_LIST = 2 // those after it wrap a document

const RESOURCE_SPANS = new Keys([
  'resource',
  'scopeSpans',
  'scope_spans',
  'instrumentationLibrarySpans',
  'instrumentation_library_spans',
])
const RESOURCE = 0

const SCOPE_SPANS = new Keys(['spans'])

const MAX_DEPTH = 4 // of wrappers around a document; APIs nest two

/**
 * Reads OTLP's JSON: `{ resourceSpans }` (or `batches`, as Tempo says), one document or one a line, as the collector's
 * file exporter writes it. Spans of a trace may stand anywhere, so traces are given out at the end.
 *
 * @returns yields traces, and nothing when the cursor needs more bytes
 */
export function* readOtlpJson(cursor: JsonCursor, builder: TraceBuilder): Generator<Trace | undefined, void> {
  const reader = new OtlpJsonReader(cursor, builder)
  yield* readDocuments<never>(
    cursor,
    builder.repairs,
    () => reader.document(0),
    () => reader.salvage(),
  )
  yield* builder.traces()
}

class OtlpJsonReader {
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #names: ByteNames
  readonly #span: OtlpJsonSpan
  readonly #rows: ResourceRows

  constructor(cursor: JsonCursor, builder: TraceBuilder) {
    this.#cursor = cursor
    this.#builder = builder
    this.#names = new ByteNames(builder.names)
    this.#span = new OtlpJsonSpan(cursor, builder, this.#names)
    this.#rows = new ResourceRows(builder)
  }

  /** Reads a document, an array of them, or what wraps one. */
  *document(depth: number): Generator<undefined, void> {
    const cursor = this.#cursor
    const first = depth > MAX_DEPTH ? 0 : yield* cursor.whole(() => cursor.peek())
    if (first === OPEN_ARRAY) yield* readElements(cursor, () => this.document(depth + 1))
    else if (first === OPEN_OBJECT) {
      yield* readFields(cursor, DOCUMENT, (key) =>
        key > LAST_LIST ? this.document(depth + 1) : readElements(cursor, () => this.#resourceSpans()),
      )
    } else {
      const at = cursor.position
      if ((yield* cursor.whole(() => cursor.scalar())) === WORD) return // null: nothing found
      this.#builder.repairs.add('unreadable_input', () => `byte ${at}: resourceSpans expected`)
    }
  }

  /** Keeps the spans of a resource whose end is missing. */
  salvage(): [] {
    this.#rows.close()
    return []
  }

  *#resourceSpans(): Generator<undefined, void> {
    const cursor = this.#cursor
    this.#rows.open()
    yield* readFields(cursor, RESOURCE_SPANS, (key) =>
      key === RESOURCE ? this.#resource() : readElements(cursor, () => this.#scopeSpans()),
    )
    this.#rows.close()
  }

  *#resource(): Generator<undefined, void> {
    this.#rows.describe(yield* this.#cursor.whole(() => readResource(this.#cursor, this.#names)))
  }

  #scopeSpans(): Generator<undefined, void> {
    const cursor = this.#cursor
    return readFields(cursor, SCOPE_SPANS, () => readSpans(cursor, this.#builder.repairs, () => this.#span.read()))
  }
}
