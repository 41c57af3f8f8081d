// The two encodings of OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp
import type { BatchFormat } from '@trimtab/trace'

/** What a request is written in, and its answer. */
export interface Encoding {
  readonly format: BatchFormat
  readonly contentType: string
  /** ExportTraceServiceResponse; `rejected` > 0: a partial success, and `message` says why. */
  encodeAnswer(rejected: number, message: string): string | Uint8Array
  /** google.rpc.Status. */
  encodeStatus(code: number, message: string): string | Uint8Array
}

export const JSON_ENCODING: Encoding = {
  format: 'otlp-json',
  contentType: 'application/json',
  encodeAnswer: (rejected, message) =>
    JSON.stringify(rejected > 0 ? { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } } : {}),
  encodeStatus: (code, message) => JSON.stringify({ code, message }),
}

export const PROTOBUF_ENCODING: Encoding = {
  format: 'otlp-protobuf',
  contentType: 'application/x-protobuf',
  encodeAnswer: (rejected, message) =>
    rejected > 0 ? bytesField(1, Buffer.concat([integerField(1, rejected), textField(2, message)])) : Buffer.alloc(0),
  encodeStatus: (code, message) => Buffer.concat([integerField(1, code), textField(2, message)]),
}

/** The encoding that a `Content-Type` names; undefined: neither. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const [name] = (contentType ?? '').split(';')
  return [JSON_ENCODING, PROTOBUF_ENCODING].find((encoding) => encoding.contentType === name!.trim().toLowerCase())
}

const VARINT = 0
const LENGTH = 2

const integerField = (field: number, value: number): Buffer => Buffer.from([field * 8 + VARINT, ...varint(value)])
const textField = (field: number, text: string): Buffer => bytesField(field, Buffer.from(text))
const bytesField = (field: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([field * 8 + LENGTH, ...varint(bytes.length)]), bytes])

function varint(value: number): number[] {
  const bytes: number[] = []
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80)
  return [...bytes, value]
}
