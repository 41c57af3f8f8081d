import type { TraceCore } from '@trimtab/core/trace'
import type { AssembledTrace } from '../assembled-trace.js'
import { Attribution } from '../attribution.js'
import { toSpans, traceFromSpans, unixUs } from '../spans.js'
import type { Edge, Span, Trace } from '../types.js'
import type { PathOptions } from './options.js'
import { PathFinder } from './path-finder.js'
import { sharedCore } from './shared-core.js'

/** A part of a trace's latency and the span that owns it. µs. S: the caller's own kind of span. */
export interface Section<S extends Span = Span> {
  readonly span: S
  /** Where this is no work of the span's service but the way to another or a wait in its queue. */
  readonly edge?: Edge
  readonly startUs: number
  readonly endUs: number
}

/**
 * Splits a trace into the sections that decided its latency.
 *
 * Sections tile `[root.start, root.end)`: they never overlap and their lengths sum to the end-to-end latency. Background
 * spans never own a section. Whoever reads many traces, or wants the columns, uses a `PathFinder`.
 *
 * Source: dissertation 3.2.2, Algorithm 3.1.
 *
 * @param spans  one trace, any order; times in µs. An assembled `Trace` does as well
 * @returns sections in time order, with the very span objects that were given; whole spans in the algorithm's order for `mode: 'firm'`
 * @throws {TraceError} `trace_empty` (no usable span; everything else is repaired and reported)
 * @throws {ConfigError} `config_invalid`, `root_unknown`
 * @example
 * const path = criticalPath(spans)
 * path.at(-1)?.span.service // what the user waited for last
 */
export function criticalPath<S extends Span = Span>(
  spans: readonly S[] | Trace,
  options: PathOptions & { readonly core?: TraceCore | undefined } = {},
): Section<S>[] {
  const trace = isTrace(spans) ? spans : traceFromSpans(spans)
  const objects = isTrace(spans) ? (toSpans(spans) as S[]) : ownSpans(trace, spans)
  const finder = new PathFinder(options.core ?? sharedCore(), options)
  try {
    const path = finder.find(trace)
    const attribution = new Attribution().of(path)
    const origin = trace.originUnixNs
    return Array.from(path.row, (row, i) => {
      const edge = attribution.edgeOf(path, i)
      return {
        span: objects[row]!,
        ...(edge && { edge }),
        startUs: unixUs(origin, path.startNs[i]!),
        endUs: unixUs(origin, path.endNs[i]!),
      }
    })
  } finally {
    finder.dispose()
  }
}

const isTrace = <S>(spans: readonly S[] | Trace): spans is Trace => !Array.isArray(spans)

/** [N] the object that each row was made of. */
const ownSpans = <S extends Span>(trace: Trace, spans: readonly S[]): S[] =>
  Array.from((trace as AssembledTrace).inputRow, (row) => spans[row]!)
