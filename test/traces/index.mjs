// Generated traces for benchmarks, runtime probes and tests: deterministic by seed, in every format that is read.
import { jaegerJson, otlpJson, zipkinJson } from './write-json.mjs'
import { otlpProtobuf } from './write-protobuf.mjs'

export { requestTraces } from './requests.mjs'
export { SHAPES, shapedTrace } from './shapes.mjs'

/** format → writer: (traces, options) → parts, texts or bytes. */
export const WRITERS = { jaeger: jaegerJson, 'otlp-json': otlpJson, 'otlp-protobuf': otlpProtobuf, zipkin: zipkinJson }

/** All parts of a file in one array of bytes. */
export function bytesOf(parts) {
  const encoder = new TextEncoder()
  const arrays = Array.from(parts, (part) => (typeof part === 'string' ? encoder.encode(part) : part))
  const bytes = new Uint8Array(arrays.reduce((length, array) => length + array.length, 0))
  let at = 0
  for (const array of arrays) {
    bytes.set(array, at)
    at += array.length
  }
  return bytes
}
