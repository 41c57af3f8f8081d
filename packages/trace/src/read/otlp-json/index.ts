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

const RESOURCE_KEYS = [
  'resource',
  'scopeSpans',
  'scope_spans',
  'instrumentationLibrarySpans',
  'instrumentation_library_spans',
]
const RESOURCE_SPANS = new Keys(RESOURCE_KEYS)
const RESOURCE = 0

/** A document is a list of ResourceSpans, or wraps a document, or is a ResourceSpans itself, as some exporters write it. */
const DOCUMENT = new Keys([...RESOURCE_KEYS, 'resourceSpans', 'resource_spans', 'batches', 'data', 'result', 'trace'])
const LAST_OF_RESOURCE = RESOURCE_KEYS.length - 1
const LAST_LIST = LAST_OF_RESOURCE + 3

const SCOPE_SPANS = new Keys(['spans'])

const MAX_DEPTH = 4 // of wrappers around a document; APIs nest two

/**
 * Reads OTLP's JSON: `{ resourceSpans }` (or `batches`, as Tempo says) or bare `{ resource, scopeSpans }`, one document or one
 * a line, as the collector's file exporter writes it. Spans of a trace may stand anywhere, so traces are given out at the end.
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
    const at = cursor.position
    if (first === OPEN_ARRAY) yield* readElements(cursor, () => this.document(depth + 1))
    else if (first === OPEN_OBJECT) {
      let isKnown = false
      yield* readFields(cursor, DOCUMENT, (key) => {
        isKnown ||= key !== RESOURCE
        if (key <= LAST_OF_RESOURCE) return this.#ofResource(key)
        return key > LAST_LIST ? this.document(depth + 1) : readElements(cursor, () => this.#resourceSpans())
      })
      this.#rows.close()
      const isEmpty = cursor.position - at === '{}'.length
      if (!isKnown && !isEmpty) {
        this.#builder.repairs.add('unreadable_input', () => `byte ${at}: an object without resourceSpans`)
      }
    } else {
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
    this.#rows.close()
    yield* readFields(this.#cursor, RESOURCE_SPANS, (key) => this.#ofResource(key))
    this.#rows.close()
  }

  #ofResource(key: number): Generator<undefined, void> {
    return key === RESOURCE ? this.#resource() : readElements(this.#cursor, () => this.#scopeSpans())
  }

  *#resource(): Generator<undefined, void> {
    this.#rows.describe(yield* this.#cursor.whole(() => readResource(this.#cursor, this.#names)))
  }

  #scopeSpans(): Generator<undefined, void> {
    const cursor = this.#cursor
    return readFields(cursor, SCOPE_SPANS, () => readSpans(cursor, this.#builder.repairs, () => this.#span.read()))
  }
}
