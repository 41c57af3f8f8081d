/**
 * How messages lie in the input: one after the other (which protobuf reads as one), or each behind its length, as a
 * varint (protobuf's own delimited streams) or in four bytes, most significant first (the collector's file exporter).
 */
export type Framing = 'none' | 'varint' | 'fixed32'

/** A framing needs no more bytes than this to be seen. */
export const FRAMING_BYTES = 32

const RESOURCE_SPANS = 0x0a // field 1 of TracesData
/** First bytes of what ResourceSpans may open with: resource, scope spans, schema URL, spans as before 2022. */
const FIRST_FIELDS = [0x0a, 0x12, 0x1a, 0xc2]
const LEGACY_SECOND_BYTE = 0x3e

/** Tells the framing of OTLP by the input's first bytes; nothing if they are not OTLP. */
export function framingOf(bytes: Uint8Array): Framing | undefined {
  if (isTraces(bytes, 0, Number.POSITIVE_INFINITY)) return 'none'
  const [length, at] = varintAt(bytes, 0)
  if (isTraces(bytes, at, length)) return 'varint'
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  return isTraces(bytes, 4, ((a * 256 + b) * 256 + c) * 256 + d) ? 'fixed32' : undefined
}

/** Whether a message of `room` bytes at `at` opens with a ResourceSpans whose first field fits into it. */
function isTraces(bytes: Uint8Array, at: number, room: number): boolean {
  if (bytes[at] !== RESOURCE_SPANS) return false
  const [length, first] = varintAt(bytes, at + 1)
  if (first >= bytes.length) return length === 0
  if (length === 0 || first - at + length > room || !FIRST_FIELDS.includes(bytes[first]!)) return false
  const isLegacy = bytes[first] === FIRST_FIELDS[3]
  if (isLegacy && bytes[first + 1] !== LEGACY_SECOND_BYTE) return false
  const [inner, content] = varintAt(bytes, first + (isLegacy ? 2 : 1))
  return content - first + inner <= length
}

/** The varint at `at`, and where it ends; infinite if it does not end among `bytes`. */
function varintAt(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0
  let scale = 1
  for (let i = at; i < Math.min(bytes.length, at + 10); i++) {
    value += (bytes[i]! & 0x7f) * scale
    if (bytes[i]! < 0x80) return [value, i + 1]
    scale *= 0x80
  }
  return [Number.POSITIVE_INFINITY, bytes.length]
}
