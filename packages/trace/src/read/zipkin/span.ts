import { SHARED_ID, type SpanColumns } from '../../span-columns.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { ERROR, KINDS } from '../../types.js'
import type { ByteNames } from '../byte-names.js'
import { ExactTime, MICROSECONDS } from '../exact-time.js'
import { END, type JsonCursor, OPEN_OBJECT, STRING, WORD } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'
import {
  CLIENT_RECEIVE,
  CLIENT_SEND,
  MESSAGE_RECEIVE,
  MESSAGE_SEND,
  type Moment,
  SERVER_RECEIVE,
  SERVER_SEND,
  ZipkinAnnotations,
} from './annotations.js'
import { ZipkinEndpoint } from './endpoint.js'

const SPAN = new Keys([
  'traceId',
  'id',
  'parentId',
  'name',
  'kind',
  'timestamp',
  'duration',
  'localEndpoint',
  'tags',
  'shared',
  'annotations',
  'binaryAnnotations',
])
const TRACE_ID = 0
const ID = 1
const PARENT_ID = 2
const NAME = 3
const KIND = 4
const TIMESTAMP = 5
const DURATION = 6
const LOCAL_ENDPOINT = 7
const TAGS = 8
const SHARED = 9
const ANNOTATIONS = 10
const BINARY_ANNOTATIONS = 11

const KIND_NAMES = new Keys(KINDS.map((kind) => kind.toUpperCase()))
const TAG_KEYS = new Keys(['error'])

const SERVER = KINDS.indexOf('server')
const CLIENT = KINDS.indexOf('client')
const PRODUCER = KINDS.indexOf('producer')
const CONSUMER = KINDS.indexOf('consumer')

const T = 0x74 // of true

/** Reads one span of Zipkin's JSON, v2 or v1, into a row, or into two: v1 tells both halves of a call in one span. */
export class ZipkinSpan {
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #columns: SpanColumns
  readonly #names: ByteNames
  readonly #text: () => string
  readonly #trace = new Place()
  readonly #id = new Place()
  readonly #parent = new Place()
  readonly #start = new ExactTime()
  readonly #duration = new ExactTime()
  readonly #endpoint = new ZipkinEndpoint()
  readonly #annotations = new ZipkinAnnotations()
  #name = 0
  #kind = 0
  #isShared = false
  #isError = false

  constructor(cursor: JsonCursor, builder: TraceBuilder, names: ByteNames) {
    this.#cursor = cursor
    this.#builder = builder
    this.#columns = builder.columns
    this.#names = names
    this.#text = () => cursor.text()
  }

  /** Reads the span the cursor stands on. @returns false if it has no id; there is no row then */
  read(): boolean {
    this.#readFields()
    if (this.#id.isEmpty) return false
    const { moments } = this.#annotations
    const isClient = moments[CLIENT_SEND]!.isGiven || moments[CLIENT_RECEIVE]!.isGiven
    const isServer = moments[SERVER_RECEIVE]!.isGiven || moments[SERVER_SEND]!.isGiven
    if (this.#kind === 0 && isClient) {
      this.#writeMoments(CLIENT, moments[CLIENT_SEND]!, moments[CLIENT_RECEIVE]!, true)
      if (isServer) {
        const row = this.#writeMoments(SERVER, moments[SERVER_RECEIVE]!, moments[SERVER_SEND]!, false)
        this.#columns.flags[row]! |= SHARED_ID
      }
    } else if (this.#kind === 0 && isServer) {
      this.#writeMoments(SERVER, moments[SERVER_RECEIVE]!, moments[SERVER_SEND]!, true)
    } else {
      if (this.#kind === 0 && moments[MESSAGE_SEND]!.isGiven) this.#kind = PRODUCER
      else if (this.#kind === 0 && moments[MESSAGE_RECEIVE]!.isGiven) this.#kind = CONSUMER
      const row = this.#writeRow(this.#kind, this.#endpoint)
      if (this.#isShared) this.#columns.flags[row]! |= SHARED_ID
      this.#start.writeStart(this.#columns, row)
      this.#duration.writeLength(this.#columns, row)
    }
    return true
  }

  #readFields(): void {
    const cursor = this.#cursor
    this.#clear()
    cursor.expect(OPEN_OBJECT)
    for (let key = cursor.key(SPAN); key !== END; key = cursor.key(SPAN)) {
      switch (key) {
        case TRACE_ID:
          this.#trace.read(cursor)
          break
        case ID:
          this.#id.read(cursor)
          break
        case PARENT_ID:
          this.#parent.read(cursor)
          break
        case NAME:
          this.#name =
            cursor.scalar() === STRING ? this.#names.number(cursor.bytes, cursor.from, cursor.to, this.#text) : 0
          break
        case KIND:
          this.#kind = cursor.scalar() === STRING ? Math.max(0, cursor.findIn(KIND_NAMES)) : 0
          break
        case TIMESTAMP:
          this.#start.readJson(cursor, MICROSECONDS)
          break
        case DURATION:
          this.#duration.readJson(cursor, MICROSECONDS)
          break
        case LOCAL_ENDPOINT:
          this.#endpoint.read(cursor, this.#names)
          break
        case TAGS:
          this.#isError = this.#readTags()
          break
        case SHARED:
          this.#isShared = cursor.scalar() === WORD && cursor.bytes[cursor.from] === T
          break
        case ANNOTATIONS:
          this.#annotations.read(cursor, this.#names)
          break
        case BINARY_ANNOTATIONS:
          this.#annotations.readBinary(cursor, this.#names)
          break
        default:
          cursor.skip()
      }
    }
  }

  #clear(): void {
    this.#trace.clear()
    this.#id.clear()
    this.#parent.clear()
    this.#start.clear()
    this.#duration.clear()
    this.#endpoint.clear()
    this.#annotations.clear()
    this.#name = 0
    this.#kind = 0
    this.#isShared = false
    this.#isError = false
  }

  /** A span with an `error` tag failed, whatever the tag says, unless that is "false". */
  #readTags(): boolean {
    const cursor = this.#cursor
    let isError = false
    if (!cursor.enter(OPEN_OBJECT)) return false
    for (let key = cursor.key(TAG_KEYS); key !== END; key = cursor.key(TAG_KEYS)) {
      if (key === 0) {
        cursor.scalar()
        isError = cursor.text() !== 'false'
      } else cursor.skip()
    }
    return isError
  }

  /**
   * One half of a v1 call, from one annotation to the other.
   *
   * @param isOwn  whether the span's own timestamp and duration are this half's
   */
  #writeMoments(kind: number, first: Moment, last: Moment, isOwn: boolean): number {
    const columns = this.#columns
    const row = this.#writeRow(kind, first.isGiven ? first.endpoint : last.endpoint)
    const start = isOwn && this.#start.isGiven ? this.#start : first.time
    start.writeStart(columns, row)
    if (isOwn && this.#start.isGiven && this.#duration.isGiven) this.#duration.writeLength(columns, row)
    else last.time.writeEnd(columns, row)
    return row
  }

  #writeRow(kind: number, { service, address }: ZipkinEndpoint): number {
    const columns = this.#columns
    const cursor = this.#cursor
    const { traceIds, names } = this.#builder
    const own = this.#annotations.endpoint
    const row = columns.push()
    const trace = this.#trace.isEscaped
      ? traceIds.ofText(this.#trace.text(cursor))
      : traceIds.ofBytes(cursor.bytes, this.#trace.from, this.#trace.to)
    columns.trace[row] = trace
    this.#id.write(cursor, columns.id, row)
    this.#parent.write(cursor, columns.parent, row)
    columns.service[row] = service || own.service || names.number('unknown')
    columns.instance[row] = service ? address : own.address
    columns.host[row] = columns.instance[row]!
    columns.operation[row] = this.#name
    columns.kind[row] = kind
    columns.flags[row] = this.#isError || this.#annotations.isError ? ERROR : 0
    if (service === 0 && own.service === 0) {
      this.#builder.repair('unknown_process', trace, () => `${traceIds.text(trace)}/${columns.id.text(row)}`)
    }
    return row
  }
}
