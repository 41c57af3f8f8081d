import { SELF_REFERENCE, SEVERAL_PARENTS, type SpanColumns } from '../../span-columns.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { ERROR, FOLLOWS_FROM, KINDS, type SpanKind } from '../../types.js'
import type { ByteNames } from '../byte-names.js'
import { ExactTime, MICROSECONDS } from '../exact-time.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, STRING, WORD } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'
import type { JaegerProcesses } from './processes.js'
import { readTags } from './tags.js'

const SPAN = new Keys([
  'spanID',
  'operationName',
  'references',
  'startTime',
  'duration',
  'processID',
  'traceID',
  'tags',
  'parentSpanID',
  'process',
])
const ID = 0
const OPERATION = 1
const REFERENCES = 2
const START = 3
const DURATION = 4
const PROCESS_ID = 5
const TRACE_ID = 6
const TAGS = 7
const PARENT_ID = 8
const PROCESS = 9

const REFERENCE = new Keys(['spanID', 'traceID', 'refType'])
const REFERENCE_SPAN = 0
const REFERENCE_TRACE = 1
const REFERENCE_TYPE = 2

const REFERENCE_TYPES = new Keys(['CHILD_OF', 'FOLLOWS_FROM'])
const FOLLOWS = 1

const ZERO = 0x30

const SPAN_TAGS = new Keys(['span.kind', 'error', 'otel.status_code'])
const SPAN_KIND = 0
const ERROR_TAG = 1

const withoutZeros = (id: string): string => id.replace(/^0+/, '')

/** Where a span names another one. */
class Reference {
  readonly trace: Place = new Place()
  readonly span: Place = new Place()
  isFollowing = false
}

/**
 * Reads one span of Jaeger's JSON into a row; what is not needed is stepped over.
 *
 * Its parent is the first CHILD_OF reference into its own trace, else the first FOLLOWS_FROM one; references to itself are
 * skipped. References to spans of other traces are links, not parents.
 */
export class JaegerSpan {
  readonly #cursor: JsonCursor
  readonly #columns: SpanColumns
  readonly #names: ByteNames
  readonly #processes: JaegerProcesses
  readonly #text: () => string
  readonly #start = new ExactTime()
  readonly #duration = new ExactTime()
  readonly #id = new Place()
  readonly #parent = new Place()
  /** The id of the trace as the last span read wrote it. */
  readonly trace: Place = new Place()
  /** Reused from span to span; the first `#referenceCount` count. */
  readonly #references: Reference[] = []
  #referenceCount = 0
  #kind = 0
  #flags = 0

  constructor(cursor: JsonCursor, builder: TraceBuilder, names: ByteNames, processes: JaegerProcesses) {
    this.#cursor = cursor
    this.#columns = builder.columns
    this.#names = names
    this.#processes = processes
    this.#text = () => cursor.text()
  }

  /**
   * Reads the span the cursor stands on. Until its trace is over, the row's service is a number of the processes.
   *
   * @returns false if it has no id; there is no row then
   */
  read(): boolean {
    const cursor = this.#cursor
    let operation = 0
    let process = this.#processes.none
    this.#id.clear()
    this.trace.clear()
    this.#parent.clear()
    this.#start.clear()
    this.#duration.clear()
    this.#referenceCount = 0
    this.#kind = 0
    this.#flags = 0
    cursor.expect(OPEN_OBJECT)
    for (let key = cursor.key(SPAN); key !== END; key = cursor.key(SPAN)) {
      switch (key) {
        case ID:
          this.#id.read(cursor)
          break
        case TRACE_ID:
          this.trace.read(cursor)
          break
        case PARENT_ID:
          this.#parent.read(cursor)
          break
        case OPERATION:
          operation =
            cursor.scalar() === STRING ? this.#names.number(cursor.bytes, cursor.from, cursor.to, this.#text) : 0
          break
        case START:
          this.#start.readJson(cursor, MICROSECONDS)
          break
        case DURATION:
          this.#duration.readJson(cursor, MICROSECONDS)
          break
        case REFERENCES:
          this.#readReferences()
          break
        case TAGS:
          this.#kind = 0
          this.#flags = 0
          readTags(cursor, SPAN_TAGS, this.#takeTag)
          break
        case PROCESS_ID:
          process = this.#processes.readId()
          break
        case PROCESS:
          process = this.#processes.readOwn()
          break
        default:
          cursor.skip()
      }
    }
    if (this.#id.isEmpty) return false
    const columns = this.#columns
    const row = columns.push()
    this.#id.write(cursor, columns.id, row)
    columns.service[row] = process
    columns.operation[row] = operation
    this.#start.writeStart(columns, row)
    this.#duration.writeLength(columns, row)
    columns.kind[row] = this.#kind
    this.#writeParent(row)
    columns.flags[row] = this.#flags
    return true
  }

  #readReferences(): void {
    const cursor = this.#cursor
    this.#referenceCount = 0
    if (!cursor.enter(OPEN_ARRAY)) return
    while (cursor.element()) {
      if (cursor.peek() === OPEN_OBJECT) this.#readReference()
      else cursor.skip()
    }
  }

  #readReference(): void {
    const cursor = this.#cursor
    let reference = this.#references[this.#referenceCount++]
    if (!reference) {
      reference = new Reference()
      this.#references.push(reference)
    }
    reference.span.clear()
    reference.trace.clear()
    reference.isFollowing = false
    cursor.at++
    for (let key = cursor.key(REFERENCE); key !== END; key = cursor.key(REFERENCE)) {
      if (key === REFERENCE_SPAN) reference.span.read(cursor)
      else if (key === REFERENCE_TRACE) reference.trace.read(cursor)
      else if (key === REFERENCE_TYPE) {
        reference.isFollowing = cursor.scalar() === STRING && cursor.findIn(REFERENCE_TYPES) === FOLLOWS
      } else cursor.skip()
    }
  }

  #writeParent(row: number): void {
    const cursor = this.#cursor
    let first: Reference | undefined
    let isSeveral = false
    let isSelf = false
    for (let i = 0; i < this.#referenceCount; i++) {
      const reference = this.#references[i]!
      if (reference.span.isEmpty || !this.#isOfThisTrace(reference)) continue
      if (reference.span.isSame(cursor, this.#id)) isSelf = true
      else if (!first || (first.isFollowing && !reference.isFollowing)) {
        first = reference
        isSeveral = false
      } else if (first.isFollowing === reference.isFollowing && !reference.span.isSame(cursor, first.span)) {
        isSeveral = true
      }
    }
    let parent = first?.span ?? this.#parent
    if (isSelf && parent.isEmpty) parent = this.#id
    else if (isSelf) this.#flags |= SELF_REFERENCE
    if (parent.isEmpty) return
    parent.write(cursor, this.#columns.parent, row)
    if (isSeveral) this.#flags |= SEVERAL_PARENTS
    if (first?.isFollowing) this.#flags |= FOLLOWS_FROM
  }

  /** Ids of one trace may differ in leading zeros: 64 bits are also written as 128. */
  #isOfThisTrace({ trace }: Reference): boolean {
    if (trace.isEmpty || this.trace.isEmpty) return true
    const cursor = this.#cursor
    const { bytes } = cursor
    if (trace.isEscaped || this.trace.isEscaped) {
      return withoutZeros(trace.text(cursor)) === withoutZeros(this.trace.text(cursor))
    }
    let at = trace.from
    let own = this.trace.from
    while (at < trace.to && bytes[at] === ZERO) at++
    while (own < this.trace.to && bytes[own] === ZERO) own++
    if (trace.to - at !== this.trace.to - own) return false
    while (at < trace.to && bytes[at] === bytes[own]) {
      at++
      own++
    }
    return at === trace.to
  }

  readonly #takeTag = (tag: number, kind: number): void => {
    const cursor = this.#cursor
    const text = kind === STRING || kind === WORD ? cursor.text().toLowerCase() : ''
    if (tag === SPAN_KIND) this.#kind = Math.max(0, KINDS.indexOf(text as SpanKind))
    else if (text === (tag === ERROR_TAG ? 'true' : 'error')) this.#flags |= ERROR
  }
}
