import type { TraceCore } from '@trimtab/core/trace'
import { tracesFromSpans, unixUs } from '../spans.js'
import { KINDS, type Span, type SpanKind } from '../types.js'
import type { PathOptions } from './options.js'
import { PathFinder } from './path-finder.js'
import { sharedCore } from './shared-core.js'
import { treesOf } from './trees.js'

/** A span as jaeger-ui holds it: of its own model, of its OpenTelemetry facade, or of the query API's JSON. */
export interface JaegerUiSpan {
  readonly spanID: string
  readonly parentSpanID?: string | null | undefined
  readonly references?: readonly { readonly refType?: string | undefined; readonly spanID: string }[] | null | undefined
  /** µs. */
  readonly startTime: number
  /** µs. */
  readonly duration: number
  readonly operationName?: string | undefined
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly tags?: readonly { readonly key: string; readonly value: unknown }[] | null | undefined
}

/** A trace as jaeger-ui holds it after its own reading; spans in any order, times in µs. */
export interface JaegerUiTrace {
  readonly traceID: string
  readonly spans: readonly JaegerUiSpan[]
}

/** jaeger-ui's `CriticalPathSection`. µs. */
export interface JaegerUiSection {
  readonly spanID: string
  readonly sectionStart: number
  readonly sectionEnd: number
}

/**
 * A drop-in for the critical path of jaeger-ui: the same call, the same sections, latest first, one root after the other.
 *
 * It differs on purpose where jaeger-ui loses time or fails: siblings that touch (one ends when the next starts) are both
 * on the path; a span whose parent was not collected starts a path of its own; a start time of 0, an end before the start,
 * cycles and thousands of spans under one parent are no trouble; sections always tile their root. As in jaeger-ui since
 * 2025 only a consumer below a producer is not waited for; pass `followsFrom: 'background'` for the older behaviour.
 *
 * @throws {ConfigError} `config_invalid`
 */
export function jaegerUiCriticalPath(
  trace: JaegerUiTrace,
  options: Omit<PathOptions, 'root'> & { readonly core?: TraceCore | undefined } = {},
): JaegerUiSection[] {
  const [whole] = tracesFromSpans(trace.spans.map(toSpan))
  if (!whole) return []
  const origin = whole.originUnixNs
  const finder = new PathFinder(options.core ?? sharedCore(), { followsFrom: 'blocking', ...options })
  try {
    return treesOf(whole).flatMap((tree) => {
      const path = finder.find(tree)
      const forwards = Array.from(path.row, (row, i) => ({
        spanID: tree.spanId(row),
        sectionStart: unixUs(origin, path.startNs[i]!),
        sectionEnd: unixUs(origin, path.endNs[i]!),
      }))
      return forwards.reverse()
    })
  } finally {
    finder.dispose()
  }
}

function toSpan(span: JaegerUiSpan): Span {
  const references = span.references ?? []
  const reference = references.find(({ refType }) => refType !== 'FOLLOWS_FROM') ?? references[0]
  const kind = span.kind ?? span.tags?.find(({ key }) => key === 'span.kind')?.value
  const lowerKind = String(kind).toLowerCase() as SpanKind
  return {
    id: span.spanID,
    parentId: span.parentSpanID ?? reference?.spanID,
    service: '',
    operation: span.operationName ?? span.name ?? '',
    startUs: span.startTime,
    durationUs: span.duration,
    kind: KINDS.includes(lowerKind) ? lowerKind : 'internal',
    reference: reference?.refType === 'FOLLOWS_FROM' ? 'follows-from' : 'child-of',
  }
}
