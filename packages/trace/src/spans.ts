import { TraceError } from '@trimtab/core'
import type { Names } from './names.js'
import { TraceBuilder } from './trace-builder.js'
import { ERROR, FOLLOWS_FROM, KINDS, type Span, type Trace } from './types.js'

/**
 * Assembles spans into traces, one for each trace id, in order of appearance.
 *
 * Spans without a trace id belong to the only trace that is named, or to one of their own.
 */
export function tracesFromSpans(spans: readonly Span[], names?: Names): Trace[] {
  const builder = new TraceBuilder({ names })
  addSpans(builder, spans)
  return builder.finish()
}

/**
 * Assembles the spans of one trace.
 *
 * @throws {TraceError} `trace_empty` if no span can be used; `trace_several` if they belong to more than one trace
 */
export function traceFromSpans(spans: readonly Span[], names?: Names): Trace {
  const builder = new TraceBuilder({ names })
  addSpans(builder, spans)
  const [trace, second] = builder.finish()
  if (!trace) {
    const repairs = builder.repairs.list().map(({ code, count }) => `${code}: ${count}`)
    const why = repairs.length > 0 ? `none of ${spans.length} spans can be used (${repairs.join(', ')})` : 'no spans'
    throw new TraceError('trace_empty', `${why}; a span needs an id and a finite startUs`)
  }
  if (second) {
    const ids = `"${trace.traceId}" and "${second.traceId}"`
    throw new TraceError('trace_several', `the spans are of more than one trace, ${ids}; use tracesFromSpans()`)
  }
  return trace
}

function addSpans(builder: TraceBuilder, spans: readonly Span[]): void {
  const ids = new Set(spans.map((span) => span.traceId || ''))
  ids.delete('')
  const defaultId = ids.size === 1 ? [...ids][0]! : ''
  for (const span of spans) {
    builder.add({
      traceId: span.traceId || defaultId,
      id: span.id,
      parentId: span.parentId,
      service: String(span.service ?? ''), // callers without types
      operation: String(span.operation ?? ''),
      startUs: span.startUs,
      durationUs: span.durationUs,
      kind: span.kind,
      isFollowsFrom: span.reference === 'follows-from',
      isError: span.isError,
      instance: span.instance,
      host: span.host,
    })
  }
}

/** µs since the epoch; a double is exact to a quarter of one, so whole µs stay whole. */
export function unixUs(originUnixNs: bigint, ns: number): number {
  const total = originUnixNs + BigInt(ns)
  return Number(total / 1000n) + Number(total % 1000n) / 1000
}

/** The spans of a trace as objects, in the order of its rows; `startUs` is µs since the epoch of `originUnixNs`. */
export function toSpans(trace: Trace): Span[] {
  const { names } = trace
  const originNs = trace.originUnixNs
  const spans: Span[] = []
  for (let row = 0; row < trace.size; row++) {
    const parent = trace.parent[row]!
    const startNs = trace.startNs[row]!
    const flags = trace.flags[row]!
    const instance = names.text(trace.instance[row]!)
    const host = names.text(trace.host[row]!)
    spans.push({
      id: trace.spanId(row),
      ...(parent >= 0 && { parentId: trace.spanId(parent) }),
      ...(trace.traceId && { traceId: trace.traceId }),
      service: names.text(trace.service[row]!),
      operation: names.text(trace.operation[row]!),
      startUs: unixUs(originNs, startNs),
      durationUs: (trace.endNs[row]! - startNs) / 1000,
      kind: KINDS[trace.kind[row]!] ?? 'internal',
      ...((flags & FOLLOWS_FROM) !== 0 && { reference: 'follows-from' as const }),
      ...(instance && { instance }),
      ...(host && { host }),
      ...((flags & ERROR) !== 0 && { isError: true }),
    })
  }
  return spans
}
