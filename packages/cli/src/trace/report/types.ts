import type { Edge } from '@trimtab/trace'

// What a report of traces shows: plain data, made by the analysis, read by the tables, the JSON and the page alike.

/** Everything that `trimtab trace` found, in the units people read: microseconds, shares of one. */
export interface TraceReport {
  /** What was asked: `profile`, `culprits`, … */
  readonly command: string
  readonly source: ReportSource
  readonly settings: ReportSettings
  readonly latency: LatencyView
  /** All that own time, services and the ways between them, largest share first. */
  readonly services: readonly ServiceView[]
  /** The weightiest. */
  readonly callPaths: readonly ServiceView[]
  readonly flame: FlameView
  readonly traces: readonly TraceView[]
  readonly waterfalls: readonly WaterfallView[]
  readonly culprits?: CulpritsView
  readonly whatIf?: readonly WhatIfView[]
  readonly diff?: DiffView
  readonly repairs: readonly RepairView[]
}

/** What a report was made from. */
export interface ReportSource {
  readonly files: readonly string[]
  readonly traces: number
  readonly spans: number
  /** Traces that were read and left aside by `--service`, `--operation` or `--percentile`. */
  readonly setAside: number
  /** Part of the requests with every parent there and every call within its caller, 0 to 1. */
  readonly complete01: number
}

/** The options that decided what a report says, so that it can be made again. */
export interface ReportSettings {
  readonly mode: string
  /** `auto` or µs. */
  readonly overlapTolerance: 'auto' | number
  readonly clockSkewUs?: number
  readonly service?: string
  readonly operation?: string
  /** Percentiles of latency, 0 to 100. */
  readonly slice?: { readonly from: number; readonly to: number }
}

/** Of the requests that were analysed. */
export interface LatencyView {
  readonly count: number
  readonly meanUs: number
  readonly deviationUs: number
  readonly p50Us: number
  readonly p90Us: number
  readonly p99Us: number
}

/** Who owns time: the work of a service or, with a callee, the way from it to another. */
export interface PlaceView {
  readonly service: string
  readonly callee?: string
  readonly kind?: Edge['kind']
}

/** A service, a way to another, or one call path, on the critical paths. */
export interface ServiceView extends PlaceView {
  /** The way there as text: the services, then the last call. Absent for a service as a whole. */
  readonly callPath?: string
  /** Of all time on all paths. */
  readonly share01: number
  /** Time owned in a mean request. */
  readonly meanUs: number
  readonly p50Us: number
  readonly p99Us: number
  /** Requests whose path it is on. */
  readonly requests: number
  readonly errors: number
  /** Pearson correlation of its time and the latency (3.2.3: relative importance); 0 where nothing varies. */
  readonly relativeImportance: number
  /** Its part of the variance of the latency; sums to 1 over all. */
  readonly varianceShare: number
}

/** A call tree in columns; callers come before what they call. */
export interface FlameView {
  /** Requests that are drawn together. */
  readonly requests: number
  /** Time of all nodes together, µs. */
  readonly totalUs: number
  readonly frames: readonly { readonly service: string; readonly operation: string }[]
  readonly parent: readonly number[]
  readonly frame: readonly number[]
  readonly selfUs: readonly number[]
  /** With everything below, drawn or not. */
  readonly wholeUs: readonly number[]
  readonly calls: readonly number[]
  /** Call paths too narrow to be drawn. */
  readonly omitted: number
}

/** One request in the list. */
export interface TraceView {
  readonly traceId: string
  readonly service: string
  readonly operation: string
  readonly latencyUs: number
  readonly spans: number
  /** Who owns most of its path, and the service whose colour that is. */
  readonly owner: string
  readonly ownerService: string
  readonly ownerShare01: number
  readonly errors: number
}

/** A request in as many rows as are worth reading, and once more with (nearly) every span. */
export interface WaterfallView extends WaterfallRows {
  readonly traceId: string
  /** Why this one is shown: `slowest`, `median`, … */
  readonly role: string
  readonly latencyUs: number
  readonly spans: number
  /** Absent where nothing more is to be seen. */
  readonly full?: WaterfallRows
}

/** One request as rows to draw. Times in µs from the start of the request. */
export interface WaterfallRows {
  /** From the first start to the last end of what is shown; the request itself begins at 0. */
  readonly fromUs: number
  readonly toUs: number
  readonly rows: readonly WaterfallRow[]
  /** The critical path in time order: row, from, to; at most a few hundred pieces. */
  readonly path: readonly (readonly [row: number, fromUs: number, toUs: number])[]
}

/** One line of a waterfall, in the order of a walk down the tree of calls. */
export interface WaterfallRow {
  readonly depth: number
  /** A span, or all spans below the row's caller that are not shown one by one. */
  readonly kind: 'span' | 'folded'
  readonly service: string
  readonly operation: string
  readonly startUs: number
  readonly endUs: number
  /** Time on the path. */
  readonly selfUs: number
  readonly isError: boolean
  /** Nothing waits for it. */
  readonly isBackground: boolean
  /** 1 for a span. */
  readonly spans: number
}

/** Which services stand out, as the page shows it. */
export interface CulpritsView {
  /** What the window was compared with, in words. */
  readonly against: string
  /** What was taught to judge, with what, and how well it did. */
  readonly judge?: string
  readonly suspects: readonly SuspectView[]
}

/** One service that stands out, with the reasons. */
export interface SuspectView {
  readonly service: string
  /** Instances of the service that stand out. */
  readonly instance?: string
  /** Any scale; larger is more suspicious. */
  readonly score: number
  /** How sure, 0 to 1; only where a baseline says what is usual. */
  readonly probability01?: number
  /** What of it got slower than in the baseline, most added first. */
  readonly slower?: readonly SlowerView[]
  /** In words, the weightiest first. */
  readonly reasons: readonly string[]
  /** If what got slower were as in the baseline; without one, if it were twice as fast. */
  readonly whatIf?: WhatIfView
}

/** What got slower, and by how much in a request of the window. */
export interface SlowerView extends PlaceView {
  readonly addedUs: number
}

/** What changed speeds would do to the latency of the requests at hand; times in µs. */
export interface WhatIfView {
  readonly changes: readonly SpeedChange[]
  readonly meanUs: number
  readonly p50Us: number
  readonly p99Us: number
  /** Of the mean latency; positive is faster. */
  readonly gain01: number
  /** Bounds of `gain01`. */
  readonly pessimistic01: number
  readonly optimistic01: number
  /** Requests with a span that is different. */
  readonly requests: number
}

/** One change that a what-if is asked about: either of the two ways. */
export interface SpeedChange extends PlaceView {
  /** How many times as fast: 2 is twice, 0.5 half as fast. */
  readonly speedUp?: number
  /** As in the baseline. */
  readonly isAsUsual?: true
}

/** How the latency of two windows differs, and which services made the difference. Times in µs. */
export interface DiffView {
  readonly before: LatencyView
  readonly after: LatencyView
  /** Of the mean latency, the endpoints in the same proportions on both sides. */
  readonly changeUs: number
  /** The same as a share of the mean before, in the same mix. */
  readonly change01: number
  /** Half of the 95 % interval of `changeUs`. */
  readonly marginUs: number
  /** How likely a request after takes longer than one before, 0 to 1, and how many standard errors that is from chance. */
  readonly slower01: number
  readonly rankZ: number
  /** Whether it got slower, by more than chance and by enough to matter, and what says so. */
  readonly isWorse: boolean
  readonly because: string
  /** Part of the requests of each side that hang together as recorded. */
  readonly completeBefore01: number
  readonly completeAfter01: number
  /** Services and the ways between them, largest change first. */
  readonly services: readonly DiffRow[]
  /** Requested on one side only: nothing is said about them. */
  readonly newEndpoints: readonly string[]
  readonly goneEndpoints: readonly string[]
}

/** One service or way in a difference; µs that a request of each side waited for it. */
export interface DiffRow extends PlaceView {
  readonly beforeUs: number
  readonly afterUs: number
  readonly p50BeforeUs: number
  readonly p50AfterUs: number
  readonly p99BeforeUs: number
  readonly p99AfterUs: number
  /** Of the change of the mean latency. */
  readonly share01: number
  /** Rank test over the requests: how many standard errors the two sides are apart. */
  readonly rankZ: number
}

/** One kind of thing that had to be mended in the input. */
export interface RepairView {
  readonly code: string
  readonly count: number
  readonly meaning: string
  readonly examples: readonly string[]
}
