import type { TraceBuilder } from '../../trace-builder.js'
import type { Trace } from '../../types.js'
import { type ByteCursor, Truncated, Unreadable } from '../byte-cursor.js'
import { ByteNames } from '../byte-names.js'
import { Identity } from '../identity.js'
import { ResourceRows } from '../resource-rows.js'
import { FRAMING_BYTES, type Framing, framingOf } from './framing.js'
import { readResource } from './resource.js'
import { OtlpProtobufSpan } from './span.js'
import { isLengthTag, lengthTag, Wire } from './wire.js'

// Where the cursor is: between the fields of which message.
const TRACES = 0
const RESOURCE_SPANS = 1
const SCOPE_SPANS = 2

/** Tags of the fields that matter there; 1000 were the spans of instrumentation libraries, before there were scopes. */
const FIELDS = [[lengthTag(1)], [lengthTag(1), lengthTag(2), lengthTag(1000)], [lengthTag(2)]]
const RESOURCE = 0

/**
 * Reads OTLP's protobuf: TracesData or ExportTraceServiceRequest (they are the same bytes), one or a delimited stream.
 *
 * Messages are entered, not waited for, so memory goes to spans alone and a length is never believed: only what has
 * arrived is read. What cannot be read costs the message around it, and a bad span only itself. Spans of a trace may
 * stand anywhere, so traces are given out at the end.
 *
 * @param framing  default: what the first bytes say
 * @returns yields traces, and nothing when the cursor needs more bytes
 */
export function* readOtlpProtobuf(
  cursor: ByteCursor,
  builder: TraceBuilder,
  framing?: Framing,
): Generator<Trace | undefined, void> {
  const reader = new OtlpProtobufReader(cursor, builder, framing)
  for (let isOver = false; !isOver; ) {
    try {
      yield* cursor.whole(reader.read)
      isOver = true
    } catch (reason) {
      if (reason instanceof Unreadable) {
        builder.repairs.add('unreadable_input', () => `byte ${reason.position}: ${reason.what}`)
        isOver = !reader.leaveMessage()
      } else if (reason instanceof Truncated) {
        builder.repairs.add('truncated_input', () => `byte ${cursor.position}`)
        isOver = true
      } else throw reason
    }
  }
  reader.close()
  yield* builder.traces()
}

class OtlpProtobufReader {
  readonly #cursor: ByteCursor
  readonly #builder: TraceBuilder
  readonly #names: ByteNames
  readonly #wire: Wire
  readonly #span: OtlpProtobufSpan
  readonly #rows: ResourceRows
  #identity = new Identity()
  #framing: Framing | undefined
  #level = TRACES
  /** Where the message of each level ends, as positions in the input. */
  readonly #ends = [Number.POSITIVE_INFINITY, 0, 0]
  /** The position to go on at; what lies before it is passed over. */
  #resumeAt = 0

  constructor(cursor: ByteCursor, builder: TraceBuilder, framing: Framing | undefined) {
    this.#cursor = cursor
    this.#framing = framing
    this.#builder = builder
    this.#names = new ByteNames(builder.names)
    this.#wire = new Wire(cursor)
    this.#span = new OtlpProtobufSpan(cursor, this.#wire, builder, this.#names)
    this.#rows = new ResourceRows(builder)
  }

  /** Reads to the end of the input. */
  readonly read = (): void => {
    if (!this.#framing) this.#findFraming()
    while (this.#findField()) this.#readField()
  }

  /** Goes on behind the message at hand. @returns false if nothing says where it ends, or if that is past: a bad frame */
  leaveMessage(): boolean {
    this.#resumeAt = this.#ends[this.#level]!
    return Number.isFinite(this.#resumeAt) && this.#resumeAt >= this.#cursor.position
  }

  /** Keeps the spans of a resource that breaks off. */
  close(): void {
    this.#rows.close()
  }

  #findFraming(): void {
    const cursor = this.#cursor
    cursor.want(FRAMING_BYTES)
    this.#framing =
      framingOf(cursor.bytes.subarray(cursor.at, Math.min(cursor.end, cursor.at + FRAMING_BYTES))) ?? 'none'
    if (this.#framing !== 'none') this.#ends[TRACES] = cursor.position
  }

  /** Leaves messages that are over and enters the next frame. @returns false at the end of the input */
  #findField(): boolean {
    const cursor = this.#cursor
    for (;;) {
      if (cursor.position < this.#resumeAt) {
        cursor.at = Math.min(cursor.end, cursor.at + this.#resumeAt - cursor.position)
        cursor.commit()
        if (cursor.position < this.#resumeAt) cursor.starve()
      }
      cursor.commit()
      if (cursor.position < this.#ends[this.#level]!)
        return this.#ends[this.#level]! < Number.POSITIVE_INFINITY || !cursor.isOver()
      if (this.#level === RESOURCE_SPANS) this.#rows.close()
      if (this.#level > TRACES) this.#level--
      else if (cursor.isOver()) return false
      else this.#openFrame()
    }
  }

  #openFrame(): void {
    const cursor = this.#cursor
    this.#wire.limit = Number.POSITIVE_INFINITY
    let length = 0
    if (this.#framing === 'varint') length = this.#wire.varint()
    else {
      this.#wire.need(4)
      for (let i = 0; i < 4; i++) length = length * 256 + cursor.bytes[cursor.at++]!
    }
    this.#ends[TRACES] = cursor.position + length
  }

  #readField(): void {
    const cursor = this.#cursor
    const wire = this.#wire
    wire.limit = cursor.at + this.#ends[this.#level]! - cursor.position
    const tag = wire.tag()
    const field = FIELDS[this.#level]!.indexOf(tag)
    if (!isLengthTag(tag)) wire.skip(tag)
    else if (field < 0) this.#resumeAt = wire.length() + cursor.position
    else if (this.#level === SCOPE_SPANS) this.#readSpan(wire.length())
    else if (this.#level === TRACES) this.#enterResource(wire.length())
    else if (field === RESOURCE) this.#readResource(wire.length())
    else this.#enter(SCOPE_SPANS, wire.length())
  }

  #enterResource(length: number): void {
    this.#identity = new Identity()
    this.#rows.close()
    this.#enter(RESOURCE_SPANS, length)
  }

  #enter(level: number, length: number): void {
    this.#ends[level] = this.#cursor.position + length
    this.#level = level
  }

  #readResource(length: number): void {
    const wire = this.#wire
    wire.need(length)
    wire.limit = this.#cursor.at + length
    readResource(this.#cursor, wire, this.#names, this.#identity)
    this.#rows.describe(this.#identity.process)
  }

  /** A span that cannot be read is stepped over. */
  #readSpan(length: number): void {
    const cursor = this.#cursor
    const wire = this.#wire
    const { size } = this.#builder
    const { position } = cursor
    let what = 'a span without an id'
    wire.need(length)
    const end = cursor.at + length
    wire.limit = end
    try {
      if (this.#span.read()) return
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason
      what = reason.what
    }
    cursor.at = end
    while (this.#builder.size > size) this.#builder.columns.pop()
    this.#builder.repairs.add('unreadable_span', () => `byte ${position}: ${what}`)
  }
}
