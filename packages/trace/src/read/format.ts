import { TraceError } from '@trimtab/core'
import { NEEDED_COLUMNS } from './csv.js'
import { isSpace, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from './json/cursor.js'
import { sniffJson } from './json/sniff.js'
import { decodeUtf8 } from './json/text.js'
import { framingOf } from './otlp-protobuf/framing.js'

/** The formats that are read; compressed input (gzip, zstd) is unpacked first. */
export type TraceFormat = 'jaeger' | 'otlp-json' | 'otlp-protobuf' | 'zipkin' | 'csv'

const ACCEPTED =
  'accepted are Jaeger JSON ({ "data": [{ "traceID", "spans", "processes" }] }), OTLP JSON ({ "resourceSpans" }), OTLP ' +
  `protobuf, Zipkin JSON ([{ "traceId", "id" }]) and CSV with the columns ${NEEDED_COLUMNS.join(', ')}; each also as gzip or zstd`

const LINE_FEED = 0x0a
const LESS_THAN = 0x3c
const FIRST_BYTES = 64 // enough to tell binary from text and to show what was seen
const LONGEST_HEADER = 4096
const LONGEST_CUT = 2 ** 22 // bytes of a first line that is cut at its front

/** Files that hold others, by what they begin with. */
const PACKED: readonly (readonly [name: string, start: readonly number[]])[] = [
  ['a zip archive', [0x50, 0x4b, 3, 4]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['a Parquet file', [0x50, 0x41, 0x52, 0x31]],
]

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
  const head = cursor.bytes.subarray(cursor.at, Math.min(cursor.end, cursor.at + FIRST_BYTES))
  if (isProtobuf(head)) return 'otlp-protobuf'
  const packed = PACKED.find(([, start]) => start.every((byte, i) => head[i] === byte))
  if (packed) throw unknownFormat(`${packed[0]}, which must be unpacked first`)
  cursor.skipByteOrderMark()
  if (cursor.isAtEnd()) return 'none'
  const first = cursor.peek()
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return detectJson(cursor)
  const line = firstLine(cursor)
  const columns = line.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'))
  if (columns.includes('trace') && columns.includes('span')) return 'csv'
  if (isBinary(head)) {
    throw unknownFormat('binary data that does not begin as OTLP protobuf does (cut at its front that cannot be read)')
  }
  const seen = JSON.stringify(line.slice(0, FIRST_BYTES))
  if (first === LESS_THAN) {
    const wayOut = 'a login or error page comes where an API was meant: ask the API, as in /api/traces?service=NAME'
    throw unknownFormat(`an HTML or XML page, text that starts with ${seen}; ${wayOut}`)
  }
  return detectBehindCut(cursor) ?? refuse(`text that starts with ${seen}`)
}

/** Of a file that begins in the middle of a line: what the lines behind it are. */
function detectBehindCut(cursor: JsonCursor): TraceFormat | undefined {
  const from = cursor.at
  do if (cursor.at - from > LONGEST_CUT || !skipLine(cursor, LONGEST_CUT)) return undefined
  while (!cursor.isAtOpeningLine())
  const { format, foreign } = sniffJson(cursor)
  if (foreign) refuseForeign(foreign)
  return format
}

function detectJson(cursor: JsonCursor): TraceFormat | 'none' {
  const { format, foreign, isEmpty, keys } = sniffJson(cursor)
  if (format) return format
  if (foreign) refuseForeign(foreign)
  if (isEmpty) return 'none'
  throw unknownFormat(
    `JSON with ${keys.length > 0 ? `the keys ${keys.map((key) => JSON.stringify(key)).join(', ')}` : 'no keys'}`,
  )
}

/** Steps over the rest of the line, if its end is within `most` bytes. */
function skipLine(cursor: JsonCursor, most: number): boolean {
  const { bytes, at } = cursor
  const end = Math.min(cursor.end, at + most)
  const length = bytes.subarray(at, end).indexOf(LINE_FEED)
  if (length < 0) cursor.want(most)
  cursor.at = length < 0 ? end : at + length + 1
  return length >= 0
}

/** What comes before the line's end, if that is near. */
function firstLine(cursor: JsonCursor): string {
  const { bytes, at } = cursor
  const end = Math.min(cursor.end, at + LONGEST_HEADER)
  const length = bytes.subarray(at, end).indexOf(LINE_FEED)
  if (length < 0) cursor.want(LONGEST_HEADER)
  return decodeUtf8(bytes, at, length < 0 ? end : at + length)
}

/** Whether this opens OTLP's messages. */
const isProtobuf = (bytes: Uint8Array): boolean => framingOf(bytes) !== undefined && isBinary(bytes)

/** Text has no control characters but white space. */
const isBinary = (bytes: Uint8Array): boolean => bytes.some((byte) => byte < 0x20 && !isSpace(byte))

const refuseForeign = ({ name, wayOut }: { readonly name: string; readonly wayOut: string }): never =>
  refuse(`${name}; ${wayOut}`)

function refuse(seen: string): never {
  throw unknownFormat(seen)
}

/** The error for input that is no traces. */
export function unknownFormat(seen: string, options?: ErrorOptions): TraceError {
  return new TraceError('trace_format_unknown', `the input cannot be read as traces: ${seen}; ${ACCEPTED}`, options)
}
