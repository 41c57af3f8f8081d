import type { Repairs } from '../repairs.js'
import type { Trace } from '../types.js'
import type { PathOptions } from './options.js'

/**
 * What decided the latency of one trace, as columns: S sections, N spans.
 *
 * Sections tile `[root.start, root.end)` (`to-trace-end`: up to the last event): no gap, no overlap, so their lengths sum to
 * `latencyNs`. Background spans never own one. In `firm` mode the sections are whole spans, which overlap.
 */
export interface CriticalPath {
  readonly trace: Trace
  readonly mode: NonNullable<PathOptions['mode']>
  /** Row of the span that is explained. */
  readonly root: number
  readonly latencyNs: number
  /** What `overlapTolerance` came to. */
  readonly toleranceNs: number
  /** S */
  readonly size: number
  /** [S] rows in time order; in the algorithm's order for `firm`. */
  readonly row: Int32Array
  /**
   * [S] Each section ends where the next starts. To the end of the trace, a section before its span's own start is the time
   * that the span waited to begin after its parent was done.
   */
  readonly startNs: Float64Array
  readonly endNs: Float64Array
  /** [N] on-path self time, sums to `latencyNs`; for `firm` the whole duration of the spans on the path. */
  readonly selfNs: Float64Array
  /** [N] 1: nothing waits for this span or for one above it. */
  readonly background: Uint8Array
  /**
   * [N] the part of each span that its parent could wait for; NaN for what is background, outside or below another root.
   * The trace's own columns where that is all of every span.
   */
  readonly windowStartNs: Float64Array
  readonly windowEndNs: Float64Array
  /** What was clamped, dropped and trimmed; the trace has its own. */
  readonly repairs: Repairs
}
