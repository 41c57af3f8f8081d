// Generated traces as OTLP protobuf: opentelemetry.proto.trace.v1.TracesData, field numbers as in trace.proto.
// The parts are whole `resource_spans` fields, so their concatenation is one message.
import { batches, byInstance } from './write-json.mjs'

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const NS_PER_US = 1000n

/** Grows by doubling; `message()` writes its length after its content, which moves up to make room for it. */
class ProtobufWriter {
  #bytes = new Uint8Array(4096)
  #at = 0
  #text = new TextEncoder()

  #reserve(count) {
    if (this.#at + count <= this.#bytes.length) return
    const grown = new Uint8Array(2 * (this.#at + count))
    grown.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = grown
  }

  #varint(value) {
    this.#reserve(10)
    for (; value >= 0x80; value = Math.floor(value / 128)) this.#bytes[this.#at++] = (value % 128) | 0x80
    this.#bytes[this.#at++] = value
  }

  #tag(field, wireType) {
    this.#varint(field * 8 + wireType)
  }

  integer(field, value) {
    this.#tag(field, VARINT)
    this.#varint(value)
  }

  /** @param value  a bigint */
  fixed64(field, value) {
    this.#tag(field, FIXED64)
    this.#reserve(8)
    new DataView(this.#bytes.buffer).setBigUint64(this.#at, value, true)
    this.#at += 8
  }

  hex(field, digits) {
    this.#tag(field, LENGTH)
    this.#varint(digits.length / 2)
    this.#reserve(digits.length / 2)
    for (let i = 0; i < digits.length; i += 2) this.#bytes[this.#at++] = Number.parseInt(digits.slice(i, i + 2), 16)
  }

  string(field, text) {
    this.message(field, () => {
      this.#reserve(3 * text.length)
      this.#at += this.#text.encodeInto(text, this.#bytes.subarray(this.#at)).written
    })
  }

  message(field, writeContent) {
    this.#tag(field, LENGTH)
    const start = this.#at
    writeContent()
    const length = this.#at - start
    this.#varint(length)
    const prefix = this.#bytes.slice(start + length, this.#at)
    this.#bytes.copyWithin(start + prefix.length, start, start + length)
    this.#bytes.set(prefix, start)
  }

  /** What was written, and an empty writer again. */
  take() {
    const bytes = this.#bytes.slice(0, this.#at)
    this.#at = 0
    return bytes
  }
}

const KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

const writeAttribute = (out, field, key, value) =>
  out.message(field, () => {
    out.string(1, key) // KeyValue.key
    out.message(2, () => (typeof value === 'number' ? out.integer(3, value) : out.string(1, value))) // AnyValue
  })

function writeSpan(out, span) {
  const { traceId, id, parentId, operation, kind, startUs, durationUs, isError } = span
  out.message(2, () => {
    out.hex(1, traceId)
    out.hex(2, id)
    if (parentId) out.hex(4, parentId)
    out.string(5, operation)
    out.integer(6, KIND[kind])
    out.fixed64(7, BigInt(startUs) * NS_PER_US)
    out.fixed64(8, BigInt(startUs + durationUs) * NS_PER_US)
    out.message(15, () => isError && out.integer(3, 2))
  })
}

/** @yields Uint8Arrays */
export function* otlpProtobuf(traces) {
  const out = new ProtobufWriter()
  for (const batch of batches(traces)) {
    for (const [instance, spans] of byInstance(batch)) {
      out.message(1, () => {
        out.message(1, () => {
          writeAttribute(out, 1, 'service.name', spans[0].service)
          writeAttribute(out, 1, 'service.instance.id', instance)
        })
        out.message(2, () => {
          out.message(1, () => out.string(1, 'velo'))
          for (const span of spans) writeSpan(out, span)
        })
      })
    }
    yield out.take()
  }
}
