import type { CriticalPath } from '../path/types.js'

/** What a span on the path is given when a trace is written back: to OTLP as attributes, to Jaeger and Zipkin as tags. */
export interface PathAttributes {
  readonly 'trimtab.critical_path': true
  /** ns of the path that the span itself owns. */
  readonly 'trimtab.critical_path.exclusive_ns': number
  /** ns of the path that the span and all below it own. */
  readonly 'trimtab.critical_path.inclusive_ns': number
}

/** What the critical path says of one span, for a backend that holds the span already. */
export interface SpanAttributes {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: PathAttributes
}

/** One entry for each span that owns time on the path, or has one below it that does; spans off the path get none. */
export function* spanAttributes(path: CriticalPath): Generator<SpanAttributes, void> {
  const { trace, selfNs } = path // N: spans
  const inclusiveNs = inclusiveOnPath(path)
  for (let row = 0; row < trace.size; row++) {
    if (!(inclusiveNs[row]! > 0)) continue
    yield {
      traceId: trace.traceId,
      spanId: trace.spanId(row),
      attributes: {
        'trimtab.critical_path': true,
        'trimtab.critical_path.exclusive_ns': selfNs[row]!,
        'trimtab.critical_path.inclusive_ns': inclusiveNs[row]!,
      },
    }
  }
}

/** [N] ns on the path of each span and of all below it. */
export function inclusiveOnPath({ trace, selfNs }: CriticalPath): Float64Array {
  const { size, parent } = trace
  const total = Float64Array.from(selfNs) // [N]
  const waitsFor = new Int32Array(size) // [N] children not yet counted
  for (const above of parent) if (above >= 0) waitsFor[above]!++
  for (let row = 0; row < size; row++) {
    // Whoever has nothing left to wait for passes its sum on, and perhaps its parent is next.
    for (let done = row; done >= 0 && waitsFor[done] === 0; done = parent[done]!) {
      waitsFor[done] = -1
      const above = parent[done]!
      if (above < 0) break
      total[above]! += total[done]!
      waitsFor[above]!--
    }
  }
  return total
}
