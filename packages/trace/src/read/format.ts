import { TraceError } from '@trimtab/core'
import { NEEDED_COLUMNS } from './csv.js'
import { isSpace, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from './json/cursor.js'
import { sniffJson } from './json/sniff.js'
import { decodeUtf8 } from './json/text.js'
import { framingOf } from './otlp-protobuf/framing.js'

/** The formats that are read; compressed input (gzip) is unpacked first. */
export type TraceFormat = 'jaeger' | 'otlp-json' | 'otlp-protobuf' | 'zipkin' | 'csv'

const ACCEPTED =
  'accepted are Jaeger JSON ({ "data": [{ "traceID", "spans", "processes" }] }), OTLP JSON ({ "resourceSpans" }), OTLP ' +
  `protobuf, Zipkin JSON ([{ "traceId", "id" }]) and CSV with the columns ${NEEDED_COLUMNS.join(', ')}; each also as gzip`

const LINE_FEED = 0x0a
const FIRST_BYTES = 64 // enough to tell binary from text and to show what was seen
const LONGEST_HEADER = 4096

/**
 * Tells the format by the input's first bytes, as many as it takes; the cursor stays where it is. `none` for an input
 * that holds nothing: an empty answer is an answer.
 *
 * @throws {TraceError} `trace_format_unknown`
 */
export function detectFormat(cursor: JsonCursor): TraceFormat | 'none' {
  const start = cursor.at
  try {
    return detect(cursor)
  } finally {
    cursor.at = start
  }
}

function detect(cursor: JsonCursor): TraceFormat | 'none' {
  cursor.want(FIRST_BYTES)
  if (isProtobuf(cursor.bytes.subarray(cursor.at, Math.min(cursor.end, cursor.at + FIRST_BYTES))))
    return 'otlp-protobuf'
  cursor.skipByteOrderMark()
  if (cursor.isAtEnd()) return 'none'
  const first = cursor.peek()
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return detectJson(cursor)
  const line = firstLine(cursor)
  const columns = line.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'))
  if (columns.includes('trace') && columns.includes('span')) return 'csv'
  throw unknownFormat(`text that starts with ${JSON.stringify(line.slice(0, FIRST_BYTES))}`)
}

function detectJson(cursor: JsonCursor): TraceFormat | 'none' {
  const { format, isEmpty, keys } = sniffJson(cursor)
  if (format) return format
  if (isEmpty) return 'none'
  throw unknownFormat(
    `JSON with ${keys.length > 0 ? `the keys ${keys.map((key) => JSON.stringify(key)).join(', ')}` : 'no keys'}`,
  )
}

/** What comes before the line's end, if that is near. */
function firstLine(cursor: JsonCursor): string {
  const { bytes, at } = cursor
  const end = Math.min(cursor.end, at + LONGEST_HEADER)
  const length = bytes.subarray(at, end).indexOf(LINE_FEED)
  if (length < 0) cursor.want(LONGEST_HEADER)
  return decodeUtf8(bytes, at, length < 0 ? end : at + length)
}

/** Whether this opens OTLP's messages; text has no control characters but white space. */
function isProtobuf(bytes: Uint8Array): boolean {
  return framingOf(bytes) !== undefined && bytes.some((byte) => byte < 0x20 && !isSpace(byte))
}

/** The error for input that is no traces. */
export function unknownFormat(seen: string, options?: ErrorOptions): TraceError {
  return new TraceError('trace_format_unknown', `the input is no traces: ${seen}; ${ACCEPTED}`, options)
}
