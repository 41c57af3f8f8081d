import { ConfigError } from '@trimtab/core'
import { Children, topDown } from '../children.js'
import { Repairs } from '../repairs.js'
import type { Trace } from '../types.js'

/** How far the clocks of two hosts may be moved against each other. */
export interface ClockSkewOptions {
  /** µs; a correction beyond it is not made but reported. 0 makes none. */
  readonly maxDeltaUs: number
}

/**
 * The trace with spans of other hosts moved into their parents, by Jaeger's rule. Durations stay what they were.
 *
 * A span on another host than its parent that does not fit into it is centred in it; if it is longer than its parent it
 * is moved only if it starts too early, to where the parent starts. Spans below it on the same host move along. Where the
 * host of the span or of its parent is not known nothing says that their clocks differ: the span keeps its place in its
 * parent (Jaeger moves it: jaeger#1459).
 *
 * `repairs` of the answer has what the trace had and `skew_corrected` for every span moved against its parent, and
 * `skew_unresolved` for what does not fit even so: the correction was too large, or the span is too long.
 *
 * @throws {ConfigError} `config_invalid`
 */
export function correctClockSkew(trace: Trace, { maxDeltaUs }: ClockSkewOptions): Trace {
  if (!(maxDeltaUs >= 0)) throw new ConfigError('config_invalid', `maxDeltaUs must be >= 0, got ${maxDeltaUs}`)
  const { parent, host, size } = trace
  const startNs = trace.startNs.slice()
  const endNs = trace.endNs.slice()
  const repairs = new Repairs()
  repairs.merge(trace.repairs)
  const deltaNs = new Float64Array(size)
  for (const row of topDown(trace, new Children().of(trace))) {
    const above = parent[row]!
    if (above < 0) continue
    const where = (): string => `${trace.traceId}/${trace.spanId(row)}`
    const isElsewhere = host[row] !== 0 && host[above] !== 0 && host[row] !== host[above]
    let delta = deltaNs[above]!
    if (isElsewhere) {
      delta = skewOf(startNs, endNs, row, above)
      if (Math.abs(delta) > maxDeltaUs * 1000) delta = 0
      else if (delta !== 0) repairs.add('skew_corrected', where)
    }
    deltaNs[row] = delta
    startNs[row]! += delta
    endNs[row]! += delta
    const fits = startNs[row]! >= startNs[above]! && endNs[row]! <= endNs[above]!
    if (isElsewhere && !fits) repairs.add('skew_unresolved', where)
  }
  return {
    traceId: trace.traceId,
    originUnixNs: trace.originUnixNs,
    size,
    startNs,
    endNs,
    parent,
    root: trace.root,
    names: trace.names,
    service: trace.service,
    operation: trace.operation,
    instance: trace.instance,
    host,
    kind: trace.kind,
    flags: trace.flags,
    spanId: (row) => trace.spanId(row),
    repairs,
  }
}

/** ns by which `row` has to move; its parent `above` has moved already. */
function skewOf(startNs: Float64Array, endNs: Float64Array, row: number, above: number): number {
  const early = startNs[above]! - startNs[row]!
  const spare = endNs[above]! - startNs[above]! - (endNs[row]! - startNs[row]!)
  if (spare < 0) return Math.max(0, early) // it may be asynchronous, or the caller gave up waiting
  if (early <= 0 && endNs[row]! <= endNs[above]!) return 0
  return early + Math.floor(spare / 2) // there and back take the same time on the wire
}
