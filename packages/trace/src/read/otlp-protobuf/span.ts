import { SELF_REFERENCE, SEVERAL_PARENTS, type SpanColumns } from '../../span-columns.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { ERROR, FOLLOWS_FROM, KINDS } from '../../types.js'
import type { ByteCursor } from '../byte-cursor.js'
import type { ByteNames } from '../byte-names.js'
import { fixed64Tag, lengthTag, varintTag, type Wire } from './wire.js'

// Fields of Span
const TRACE_ID = lengthTag(1)
const SPAN_ID = lengthTag(2)
const PARENT_ID = lengthTag(4)
const NAME = lengthTag(5)
const KIND = varintTag(6)
const START = fixed64Tag(7)
const END = fixed64Tag(8)
const LINK = lengthTag(13)
const STATUS = lengthTag(15)
// Fields of Status
const CODE = varintTag(3)
const CODE_ERROR = 2
// Fields of Link are numbered like the span's: its trace and its span.

/** Reads Spans of OTLP's protobuf into rows; what is not needed is stepped over. */
export class OtlpProtobufSpan {
  readonly #cursor: ByteCursor
  readonly #wire: Wire
  readonly #builder: TraceBuilder
  readonly #columns: SpanColumns
  readonly #names: ByteNames

  constructor(cursor: ByteCursor, wire: Wire, builder: TraceBuilder, names: ByteNames) {
    this.#cursor = cursor
    this.#wire = wire
    this.#builder = builder
    this.#columns = builder.columns
    this.#names = names
  }

  /**
   * Reads the Span the cursor stands on, which ends at the limit. The row's service, instance and host are its
   * resource's business. A row that was begun when this throws is the caller's to take back.
   *
   * @returns false if it has no id
   */
  read(): boolean {
    const cursor = this.#cursor
    const wire = this.#wire
    const columns = this.#columns
    const { bytes } = cursor
    const from = cursor.at
    const end = wire.limit
    const row = columns.push()
    let links = 0
    columns.trace[row] = -1
    columns.operation[row] = 0
    columns.startUs[row] = 0
    columns.startNs[row] = 0
    while (cursor.at < end) {
      const tag = wire.tag()
      switch (tag) {
        case TRACE_ID: {
          const length = wire.length()
          columns.trace[row] = this.#builder.traceIds.ofBinary(bytes, cursor.at, cursor.at + length)
          cursor.at += length
          break
        }
        case SPAN_ID: {
          const length = wire.length()
          columns.id.setBinary(row, bytes, cursor.at, cursor.at + length)
          cursor.at += length
          break
        }
        case PARENT_ID: {
          const length = wire.length()
          columns.parent.setBinary(row, bytes, cursor.at, cursor.at + length)
          cursor.at += length
          break
        }
        case NAME:
          columns.operation[row] = wire.name(this.#names)
          break
        case KIND: {
          const kind = wire.varint()
          columns.kind[row] = kind >= 1 && kind <= KINDS.length ? kind - 1 : 0
          break
        }
        case START:
          wire.need(8)
          columns.setStartWords(row, wordAt(bytes, cursor.at + 4), wordAt(bytes, cursor.at))
          cursor.at += 8
          break
        case END: {
          wire.need(8)
          const low = wordAt(bytes, cursor.at)
          const high = wordAt(bytes, cursor.at + 4)
          if (low !== 0 || high !== 0)
            columns.setEndWords(row, high, low) // 0 is protobuf's "not given"
          else columns.endUs[row] = Number.NaN
          cursor.at += 8
          break
        }
        case STATUS:
          columns.flags[row] = this.#readStatus()
          break
        case LINK:
          links++
          wire.skip(tag)
          break
        default:
          wire.skip(tag)
      }
    }
    if (columns.trace[row]! < 0) columns.trace[row] = this.#builder.traceIds.ofText('')
    if (columns.id.isEmpty(row)) return false
    if (links > 0 && columns.parent.isEmpty(row)) this.#followLink(row, from)
    return true
  }

  #readStatus(): number {
    const wire = this.#wire
    const end = wire.limit
    let flags = 0
    wire.limit = wire.length() + this.#cursor.at
    while (this.#cursor.at < wire.limit) {
      const tag = wire.tag()
      if (tag === CODE) flags = wire.varint() === CODE_ERROR ? ERROR : 0
      else wire.skip(tag)
    }
    wire.limit = end
    return flags
  }

  /** A span without a parent follows from the first other span of its own trace that it links to, as in OTLP's JSON. */
  #followLink(row: number, from: number): void {
    const cursor = this.#cursor
    const wire = this.#wire
    const end = wire.limit
    cursor.at = from
    while (cursor.at < end) {
      const tag = wire.tag()
      if (tag !== LINK) {
        wire.skip(tag)
        continue
      }
      wire.limit = wire.length() + cursor.at
      this.#readLink(row)
      wire.limit = end
    }
  }

  #readLink(row: number): void {
    const cursor = this.#cursor
    const wire = this.#wire
    const { bytes } = cursor
    const { trace, id, parent, flags } = this.#columns
    let isOwnTrace = false
    let spanAt = 0
    let spanEnd = 0
    while (cursor.at < wire.limit) {
      const tag = wire.tag()
      if (tag !== TRACE_ID && tag !== SPAN_ID) {
        wire.skip(tag)
        continue
      }
      const next = wire.length() + cursor.at
      if (tag === TRACE_ID) isOwnTrace = this.#builder.traceIds.ofBinary(bytes, cursor.at, next) === trace[row]
      else {
        spanAt = cursor.at
        spanEnd = next
      }
      cursor.at = next
    }
    if (!isOwnTrace || spanAt === spanEnd) return
    if (id.isBinary(row, bytes, spanAt, spanEnd)) flags[row]! |= SELF_REFERENCE
    else if (parent.isEmpty(row)) {
      parent.setBinary(row, bytes, spanAt, spanEnd)
      flags[row]! |= FOLLOWS_FROM
    } else if (!parent.isBinary(row, bytes, spanAt, spanEnd)) flags[row]! |= SEVERAL_PARENTS
  }
}

/** The little-endian word at `at`. */
function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}
