import {
  CallTreeBuilder,
  type CriticalPath,
  type Distribution,
  type Frame,
  isComplete,
  ownerName,
  type PathSummary,
  Profile,
  type ProfileCell,
  REPAIRS,
  Repairs,
  summarisePath,
} from '@trimtab/trace'
import { Exemplars } from './exemplars.js'
import { flameOf } from './flame.js'
import type {
  CulpritsView,
  DiffView,
  LatencyView,
  ReportSettings,
  ServiceView,
  TraceReport,
  TraceView,
  WhatIfView,
} from './report/types.js'
import { waterfallOf } from './waterfall.js'

/** What only some commands find. */
export interface Findings {
  readonly culprits?: CulpritsView
  readonly whatIf?: readonly WhatIfView[]
  readonly diff?: DiffView
}

/**
 * Critical paths in, everything a report shows out. Memory grows with call paths, services and the few requests kept
 * to look at, not with requests.
 */
export class TraceAnalysis {
  readonly profile: Profile = new Profile()
  /** Of the reading, of the traces and of their paths. */
  readonly repairs: Repairs = new Repairs()
  readonly tree: CallTreeBuilder = new CallTreeBuilder()
  readonly exemplars: Exemplars = new Exemplars()
  /** Traces that were read and left aside. */
  setAside = 0
  readonly #top: number
  readonly #slowest: PathSummary[] = []
  #spans = 0
  #complete = 0

  /** @param top  most rows of each list */
  constructor(top: number) {
    this.#top = top
  }

  /** Requests added so far. */
  get requests(): number {
    return this.profile.traces
  }

  /** Spans of them, on the path or not. */
  get spans(): number {
    return this.#spans
  }

  /** Part of the requests that hang together as they were recorded, 0 … 1. */
  get complete01(): number {
    return this.#complete / this.requests
  }

  /** Services and the ways between them that own time, largest share first. */
  get services(): ServiceView[] {
    return [
      ...this.profile.services().map((cell) => ({ service: cell.service, ...cellView(cell) })),
      ...this.profile
        .edges()
        .map((cell) => ({ service: cell.caller, callee: cell.callee, kind: cell.kind, ...cellView(cell) })),
    ]
      .filter(({ share01 }) => share01 > 0)
      .sort((a, b) => b.share01 - a.share01)
  }

  /** The slowest requests, slowest first. */
  get slowest(): readonly PathSummary[] {
    return this.#slowest
  }

  /** Takes one request with its critical path. */
  add(path: CriticalPath): void {
    this.profile.add(path)
    this.tree.addPath(path)
    this.exemplars.add(path)
    this.repairs.merge(path.trace.repairs)
    this.repairs.merge(path.repairs)
    this.#spans += path.trace.size
    if (isComplete(path)) this.#complete++
    this.#offer(path)
  }

  /**
   * All that was added, as one report.
   * @param command  what made it, for the head of the page
   * @param files  names of the inputs
   * @param findings  what was found beside the profile: culprits, what-if, a difference
   */
  report(command: string, files: readonly string[], settings: ReportSettings, findings: Findings = {}): TraceReport {
    const { profile } = this
    const { latency } = profile
    const near = [
      { role: 'about the median', latencyNs: latency.quantile(0.5) },
      { role: 'about the 99th percentile', latencyNs: latency.quantile(0.99) },
    ]
    return {
      command,
      source: {
        files,
        traces: this.requests,
        spans: this.#spans,
        setAside: this.setAside,
        complete01: this.complete01,
      },
      settings,
      latency: latencyView(latency),
      services: this.services,
      callPaths: profile
        .callPaths()
        .slice(0, Math.max(this.#top, 20))
        .filter(({ selfNs }) => selfNs > 0)
        .map((cell) => ({ service: cell.service, callPath: framesText(cell.frames), ...cellView(cell) })),
      flame: flameOf(this.tree.finish(), this.requests),
      traces: this.#slowest.map(traceView),
      waterfalls: this.requests === 0 ? [] : this.exemplars.list(near).map(({ path, role }) => waterfallOf(path, role)),
      ...findings,
      repairs: this.repairs.list().map((one) => ({ ...one, meaning: REPAIRS[one.code] })),
    }
  }

  #offer(path: CriticalPath): void {
    const last = this.#slowest.at(-1)
    if (this.#slowest.length >= this.#top && last && path.latencyNs / 1e3 < last.latencyUs) return
    this.#slowest.push(summarisePath(path, this.#top))
    this.#slowest.sort((a, b) => b.latencyUs - a.latencyUs || (a.traceId < b.traceId ? -1 : 1))
    this.#slowest.length = Math.min(this.#slowest.length, this.#top)
  }
}

const MOST_CALLERS = 4 // in the text of a call path

export const latencyView = (latency: Distribution): LatencyView => ({
  count: latency.count,
  meanUs: latency.meanNs / 1e3,
  deviationUs: Math.sqrt(latency.varianceNs2) / 1e3,
  p50Us: quantileUs(latency, 0.5),
  p90Us: quantileUs(latency, 0.9),
  p99Us: quantileUs(latency, 0.99),
})

/** Of a single time, that time itself: its bucket is only nearly as good. */
const quantileUs = (times: Distribution, q: number): number =>
  (times.count === 1 ? times.meanNs : times.quantile(q)) / 1e3

const cellView = (cell: ProfileCell): Omit<ServiceView, 'service' | 'callPath'> => ({
  share01: cell.share,
  meanUs: cell.meanNs / 1e3,
  p50Us: quantileUs(cell.self, 0.5),
  p99Us: quantileUs(cell.self, 0.99),
  requests: cell.onPathRequests,
  errors: cell.errors,
  relativeImportance: cell.relativeImportance,
  varianceShare: cell.varianceShare,
})

/** The services on the way, each once in a row, then the last call: `front › cart get`. */
function framesText(frames: readonly Frame[]): string {
  const callers = frames.slice(0, -1).map(({ service }) => service)
  const { service = '', operation = '' } = frames.at(-1) ?? {}
  const way = [...callers, service].filter((name, i, all) => name !== all[i - 1]).slice(0, -1)
  const shown = way.length > MOST_CALLERS ? [...way.slice(0, 1), '…', ...way.slice(1 - MOST_CALLERS)] : way
  return [...shown, `${service} ${operation}`.trimEnd()].join(' › ')
}

function traceView({ traceId, service, operation, latencyUs, spans, errors, owners }: PathSummary): TraceView {
  const [owner] = owners
  return {
    ...{ traceId, service, operation, latencyUs, spans, errors },
    owner: owner ? ownerName(owner) : service,
    ownerService: owner ? ('service' in owner ? owner.service : owner.callee) : service,
    ownerShare01: owner?.share ?? 0,
  }
}
