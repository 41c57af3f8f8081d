import type { TraceCore } from '@trimtab/core/trace'
import { toSpans, traceFromSpans, unixUs } from '../spans.js'
import type { Span, Trace } from '../types.js'
import type { PathOptions } from './options.js'
import { PathFinder } from './path-finder.js'
import { sharedCore } from './shared-core.js'

/** A part of a trace's latency and the span that owns it. µs. */
export interface Section {
  readonly span: Span
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
 * @returns sections in time order; whole spans in the algorithm's order for `mode: 'firm'`
 * @throws {TraceError} `trace_empty` (no usable span; everything else is repaired and reported)
 * @throws {ConfigError} `config_invalid`, `root_unknown`
 * @example
 * const path = criticalPath(spans)
 * path.at(-1)?.span.service // what the user waited for last
 */
export function criticalPath(
  spans: readonly Span[] | Trace,
  options: PathOptions & { readonly core?: TraceCore | undefined } = {},
): Section[] {
  const trace = isTrace(spans) ? spans : traceFromSpans(spans)
  const finder = new PathFinder(options.core ?? sharedCore(), options)
  try {
    const path = finder.find(trace)
    const objects = toSpans(trace)
    const origin = trace.originUnixNs
    return Array.from(path.row, (row, i) => ({
      span: objects[row]!,
      startUs: unixUs(origin, path.startNs[i]!),
      endUs: unixUs(origin, path.endNs[i]!),
    }))
  } finally {
    finder.dispose()
  }
}

const isTrace = (spans: readonly Span[] | Trace): spans is Trace => !Array.isArray(spans)
