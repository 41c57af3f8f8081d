import type { IdColumn } from '../../ids.js'
import { SELF_REFERENCE, SEVERAL_PARENTS, type SpanColumns } from '../../span-columns.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { ERROR, FOLLOWS_FROM, KINDS } from '../../types.js'
import type { ByteNames } from '../byte-names.js'
import { ExactTime, NANOSECONDS } from '../exact-time.js'
import { END, type JsonCursor, NUMBER, OPEN_ARRAY, OPEN_OBJECT, STRING } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'
import { decodeBase64Id, hasCapitals } from './ids.js'

const SPAN = new Keys([
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'status',
  'links',
  'trace_id',
  'span_id',
  'parent_span_id',
  'start_time_unix_nano',
  'end_time_unix_nano',
])
const FIELDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 5, 6]
const TRACE_ID = 0
const SPAN_ID = 1
const PARENT_ID = 2
const NAME = 3
const KIND = 4
const START = 5
const END_TIME = 6
const STATUS = 7
const LINKS = 8

const LINK = new Keys(['traceId', 'spanId', 'trace_id', 'span_id'])
const LINK_FIELDS = [TRACE_ID, SPAN_ID, TRACE_ID, SPAN_ID]

const CODE = new Keys(['code'])
const ERROR_CODES = new Keys(['2', 'STATUS_CODE_ERROR'])
/** `KINDS` by number and by name; 0 is unspecified, which is internal. */
const KIND_NAMES = new Keys([
  ...KINDS.map((_, i) => String(i + 1)),
  ...KINDS.map((kind) => `SPAN_KIND_${kind.toUpperCase()}`),
])

/** Reads one span of OTLP's JSON, in either spelling of its keys, into a row; what is not needed is stepped over. */
export class OtlpJsonSpan {
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #columns: SpanColumns
  readonly #names: ByteNames
  readonly #text: () => string
  readonly #start = new ExactTime()
  readonly #end = new ExactTime()
  readonly #trace = new Place()
  readonly #id = new Place()
  readonly #parent = new Place()
  readonly #linkTrace = new Place()
  readonly #linkSpan = new Place()
  readonly #traceBytes = new Uint8Array(16)
  readonly #idBytes = new Uint8Array(8)

  constructor(cursor: JsonCursor, builder: TraceBuilder, names: ByteNames) {
    this.#cursor = cursor
    this.#builder = builder
    this.#columns = builder.columns
    this.#names = names
    this.#text = () => cursor.text()
  }

  /**
   * Reads the span the cursor stands on. The row's service, instance and host are its resource's business.
   *
   * @returns false if it has no id; there is no row then
   */
  read(): boolean {
    const cursor = this.#cursor
    const columns = this.#columns
    let name = 0
    let kind = 0
    let flags = 0
    let links = -1
    this.#trace.clear()
    this.#id.clear()
    this.#parent.clear()
    this.#start.clear()
    this.#end.clear()
    cursor.expect(OPEN_OBJECT)
    for (let key = cursor.key(SPAN); key !== END; key = cursor.key(SPAN)) {
      switch (FIELDS[key]) {
        case TRACE_ID:
          this.#trace.read(cursor)
          break
        case SPAN_ID:
          this.#id.read(cursor)
          break
        case PARENT_ID:
          this.#parent.read(cursor)
          break
        case NAME:
          name = cursor.scalar() === STRING ? this.#names.number(cursor.bytes, cursor.from, cursor.to, this.#text) : 0
          break
        case KIND:
          kind = this.#readEnum(KIND_NAMES) % KINDS.length
          break
        case START:
          this.#start.readJson(cursor, NANOSECONDS)
          break
        case END_TIME:
          this.#end.readJson(cursor, NANOSECONDS)
          break
        case STATUS:
          flags = this.#readStatus()
          break
        case LINKS:
          links = cursor.peek() === OPEN_ARRAY ? cursor.at : -1
          cursor.skip()
          break
        default:
          cursor.skip()
      }
    }
    if (this.#id.isEmpty) return false
    const row = columns.push()
    columns.trace[row] = this.#traceNumber(this.#trace)
    this.#writeId(columns.id, row, this.#id)
    columns.operation[row] = name
    columns.kind[row] = Math.max(0, kind)
    columns.flags[row] = flags
    this.#start.writeStart(columns, row)
    if (this.#end.us !== 0 || this.#end.ns !== 0) this.#end.writeEnd(columns, row)
    if (this.#parent.isEmpty && links >= 0) this.#followLink(row, links)
    this.#writeId(columns.parent, row, this.#parent)
    return true
  }

  /** The place of a number or name among `names`, −1 if it is none of them. */
  #readEnum(names: Keys): number {
    const type = this.#cursor.scalar()
    return type === NUMBER || type === STRING ? this.#cursor.findIn(names) : -1
  }

  #readStatus(): number {
    const cursor = this.#cursor
    let flags = 0
    if (!cursor.enter(OPEN_OBJECT)) return flags
    for (let key = cursor.key(CODE); key !== END; key = cursor.key(CODE)) {
      if (key === 0) flags = this.#readEnum(ERROR_CODES) >= 0 ? ERROR : 0
      else cursor.skip()
    }
    return flags
  }

  /**
   * A span without a parent follows from the first other span of its own trace that it links to; the same span in Jaeger's
   * JSON has a FOLLOWS_FROM reference.
   */
  #followLink(row: number, links: number): void {
    const cursor = this.#cursor
    const { flags } = this.#columns
    const { at } = cursor
    cursor.at = links + 1
    while (cursor.element()) {
      this.#linkTrace.clear()
      this.#linkSpan.clear()
      if (!cursor.enter(OPEN_OBJECT)) continue
      for (let key = cursor.key(LINK); key !== END; key = cursor.key(LINK)) {
        if (LINK_FIELDS[key] === TRACE_ID) this.#linkTrace.read(cursor)
        else if (LINK_FIELDS[key] === SPAN_ID) this.#linkSpan.read(cursor)
        else cursor.skip()
      }
      if (this.#linkSpan.isEmpty || this.#linkTrace.text(cursor) !== this.#trace.text(cursor)) continue
      if (this.#linkSpan.isSame(cursor, this.#id)) flags[row]! |= SELF_REFERENCE
      else if (this.#parent.isEmpty) {
        this.#parent.copy(this.#linkSpan)
        flags[row]! |= FOLLOWS_FROM
      } else if (!this.#linkSpan.isSame(cursor, this.#parent)) flags[row]! |= SEVERAL_PARENTS
    }
    cursor.at = at
  }

  #traceNumber(place: Place): number {
    const { bytes } = this.#cursor
    const { traceIds } = this.#builder
    if (decodeBase64Id(bytes, place.from, place.to, this.#traceBytes)) return traceIds.ofBinary(this.#traceBytes, 0, 16)
    if (place.isEscaped || hasCapitals(bytes, place.from, place.to)) {
      return traceIds.ofText(place.text(this.#cursor).toLowerCase())
    }
    return traceIds.ofBytes(bytes, place.from, place.to)
  }

  #writeId(column: IdColumn, row: number, place: Place): void {
    const { bytes } = this.#cursor
    if (decodeBase64Id(bytes, place.from, place.to, this.#idBytes)) column.setBinary(row, this.#idBytes, 0, 8)
    else if (place.isEscaped || hasCapitals(bytes, place.from, place.to)) {
      column.setText(row, place.text(this.#cursor).toLowerCase())
    } else column.setBytes(row, bytes, place.from, place.to)
  }
}
