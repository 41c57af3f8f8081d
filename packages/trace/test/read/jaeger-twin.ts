// Jaeger JSON read the slow, obvious way: all of it into objects by JSON.parse, then span by span.
import { type SpanRow, type Trace, TraceBuilder } from '../../src/index.js'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** `undefined` where not given, NaN where it is no number. @throws RangeError beyond what a double holds exactly */
function timeOf(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  const time = numberOf(value)
  if (!Number.isNaN(time) && !Number.isSafeInteger(time)) throw new RangeError(`${time} may have lost digits`)
  return time
}

function numberOf(value: Json): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
}

function parentOf(span: JsonObject): { id: string; isFollowsFrom: boolean } {
  const own = textOf(span.traceID).replace(/^0+/, '')
  const all = objectsIn(span.references).filter(({ spanID, traceID }) => {
    const trace = textOf(traceID)
    return textOf(spanID) !== '' && (trace === '' || textOf(span.traceID) === '' || trace.replace(/^0+/, '') === own)
  })
  const references = all.filter(({ spanID }) => textOf(spanID) !== textOf(span.spanID))
  const follows = references.filter(({ refType }) => refType === 'FOLLOWS_FROM')
  const childOf = references.filter(({ refType }) => refType !== 'FOLLOWS_FROM')
  if (childOf.length > 0) return { id: textOf(childOf[0]!.spanID), isFollowsFrom: false }
  if (follows.length > 0) return { id: textOf(follows[0]!.spanID), isFollowsFrom: true }
  const isSelf = all.length > references.length
  return { id: textOf(span.parentSpanID) || (isSelf ? textOf(span.spanID) : ''), isFollowsFrom: false }
}

function tagsOf(span: JsonObject): Pick<SpanRow, 'kind' | 'isError'> {
  let kind = 'internal'
  let isError = false
  for (const { key, value } of objectsIn(span.tags)) {
    const text = typeof value === 'string' || typeof value === 'boolean' ? String(value).toLowerCase() : ''
    if (key === 'span.kind') kind = ['server', 'client', 'producer', 'consumer'].includes(text) ? text : 'internal'
    if (key === 'error' && text === 'true') isError = true
    if (key === 'otel.status_code' && text === 'error') isError = true
  }
  return { kind: kind as NonNullable<SpanRow['kind']>, isError }
}

function traceOf(trace: JsonObject): Trace[] {
  const builder = new TraceBuilder()
  const processes = isObject(trace.processes) ? trace.processes : {}
  const all = objectsIn(trace.spans).filter(({ spanID }) => textOf(spanID) !== '')
  for (const span of all) {
    const id = textOf(span.processID)
    const process = Object.hasOwn(processes, id) ? processes[id] : undefined
    const { id: parentId, isFollowsFrom } = parentOf(span)
    const startUs = timeOf(span.startTime) ?? Number.NaN
    const durationUs = timeOf(span.duration)
    builder.add({
      traceId: textOf(trace.traceID) || textOf(all[0]!.traceID),
      id: textOf(span.spanID),
      parentId,
      isFollowsFrom,
      service: id !== '' && isObject(process) ? stringOf(process.serviceName) : 'unknown',
      operation: stringOf(span.operationName),
      startUs: Number.isNaN(durationUs) ? Number.NaN : startUs,
      endUs: durationUs === undefined ? Number.NaN : startUs + durationUs,
      ...tagsOf(span),
    })
  }
  return builder.finish()
}

/** @throws SyntaxError where `JSON.parse` does, RangeError for times it cannot hold */
export function readJaegerSlowly(text: string): Trace[] {
  const read = (value: Json): Trace[] => {
    if (Array.isArray(value)) return value.flatMap(read)
    if (!isObject(value)) return []
    return [...(value.data === undefined ? [] : read(value.data)), ...traceOf(value)]
  }
  return read(JSON.parse(text) as Json)
}
