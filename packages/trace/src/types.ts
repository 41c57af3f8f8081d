import type { Names } from './names.js'
import type { Repairs } from './repairs.js'

/** The part that a span plays in a call, in OpenTelemetry's words. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

/** One span as people write and read it. A whole trace of them, in any order, is what `criticalPath()` takes. */
export interface Span {
  /** Unique within the trace. */
  readonly id: string
  /** The caller's span; absent, null or empty for a root. */
  readonly parentId?: string | null | undefined
  /** Spans of one call may belong to several traces; absent means "the same trace as the others". */
  readonly traceId?: string | undefined
  readonly service: string
  readonly operation: string
  /** µs on any clock, epoch or relative; zero is a real time. */
  readonly startUs: number
  /** µs. */
  readonly durationUs: number
  /** Default `internal`. */
  readonly kind?: SpanKind | undefined
  /** `follows-from`: the parent does not wait for this span. Default `child-of`. */
  readonly reference?: 'child-of' | 'follows-from' | undefined
  /** Pod, container or process that ran it; default: the service is one instance. */
  readonly instance?: string | undefined
  /** Machine whose clock stamped it; only clock-skew correction asks. */
  readonly host?: string | undefined
  readonly isError?: boolean | undefined
}

/** What runs at a node: one service doing one operation. */
export interface Frame {
  readonly service: string
  readonly operation: string
}

/** The way from one service to another: time that is neither's work. */
export interface Edge {
  readonly caller: string
  readonly callee: string
  /** `call`: network, connection and what queues in front of the callee. `queue`: handed over, and not taken up yet. */
  readonly kind: 'call' | 'queue'
}

/** Values of `Trace.kind`. */
export const KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer']

/** Bits of `Trace.flags`. */
export const FOLLOWS_FROM = 1
/** The span says that it failed: an OpenTelemetry status of ERROR, or an `error` tag that is not false. */
export const ERROR = 2

/**
 * One assembled trace: a column for each attribute, a row for each span.
 *
 * Every reader makes these and every analysis takes them. Rows are in input order, which means nothing. Parents are
 * rows of the same trace, without cycles. Times are whole nanoseconds since `originUnixNs`, so a `number` holds them
 * exactly; they are as reported (a child may still reach beyond its parent; clamping is the path's business).
 */
export interface Trace {
  readonly traceId: string
  /** What `startNs` and `endNs` count from. */
  readonly originUnixNs: bigint
  /** N, the number of spans. */
  readonly size: number
  /** [N] ns since `originUnixNs`, whole numbers. */
  readonly startNs: Float64Array
  /** [N] ns since `originUnixNs`; never before `startNs`. */
  readonly endNs: Float64Array
  /** [N] row of the parent, −1 for a root. */
  readonly parent: Int32Array
  /**
   * The row the critical path starts from: a root that names no parent, else one whose parent was never collected, else of a
   * ring; of several the one that starts first (longest, then smallest id among equals).
   */
  readonly root: number
  /** What the numbers in the columns below mean; shared by all traces of one reading. */
  readonly names: Names
  /** [N] */
  readonly service: Int32Array
  /** [N] */
  readonly operation: Int32Array
  /** [N] 0 (the empty name) where unknown. */
  readonly instance: Int32Array
  /** [N] 0 (the empty name) where unknown. */
  readonly host: Int32Array
  /** [N] index into `KINDS`. */
  readonly kind: Uint8Array
  /** [N] `FOLLOWS_FROM | ERROR`. */
  readonly flags: Uint8Array
  /** The span's id as the input wrote it (lower-case hex for binary ids). */
  spanId(row: number): string
  /** What had to be mended to get here. */
  readonly repairs: Repairs
}
