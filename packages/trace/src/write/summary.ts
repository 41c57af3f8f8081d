import { Attribution } from '../attribution.js'
import { type Owner, ownerName } from '../owner.js'
import type { CriticalPath } from '../path/types.js'
import type { Distribution, Profile, ProfileCell } from '../profile/index.js'
import { type Edge, ERROR } from '../types.js'

/** Whatever was left out of a list, so that nothing is lost from the totals. */
export interface Omitted {
  readonly count: number
  /** µs of the critical path. */
  readonly selfUs: number
}

/** One section of a critical path for a table. */
export interface SectionSummary {
  readonly spanId: string
  readonly service: string
  readonly operation: string
  /** Where this is the way to another service and not the span's work. */
  readonly edge?: Edge
  /** µs from the start of the request. */
  readonly startUs: number
  readonly durationUs: number
}

/** The critical path of one request in a bounded number of sections: for programs, and for agents that pay by the word. */
export interface PathSummary {
  readonly traceId: string
  readonly service: string
  readonly operation: string
  /** µs since the epoch, to a nanosecond as far as a number holds it. */
  readonly startUnixUs: number
  readonly latencyUs: number
  readonly spans: number
  /** Spans that failed. */
  readonly errors: number
  /** The longest, in time order. */
  readonly sections: readonly SectionSummary[]
  readonly omittedSections: Omitted
  /** All time of the path by who owns it, largest first; sums to the latency. */
  readonly owners: readonly (Owner & { readonly selfUs: number; readonly share: number })[]
  readonly omittedOwners: Omitted
}

/** @param top  most sections and most owners listed */
export function summarisePath(path: CriticalPath, top: number): PathSummary {
  const { trace, root, size, row, startNs, endNs, latencyNs } = path
  const originNs = trace.startNs[root]!
  const nameOf = (at: number): { service: string; operation: string } => ({
    service: trace.names.text(trace.service[at]!),
    operation: trace.names.text(trace.operation[at]!),
  })
  const length = (i: number): number => endNs[i]! - startNs[i]!
  const order = Array.from({ length: size }, (_, i) => i)
  const longest = order.sort((a, b) => length(b) - length(a) || a - b).slice(0, top)
  const kept = longest.sort((a, b) => a - b)
  const attribution = new Attribution().of(path)
  const byOwner = new Map<string, { readonly owner: Owner; ns: number }>()
  let totalNs = 0
  for (let i = 0; i < size; i++) {
    const owner = attribution.edgeOf(path, i) ?? { service: nameOf(row[i]!).service }
    const name = ownerName(owner)
    const entry = byOwner.get(name) ?? { owner, ns: 0 }
    byOwner.set(name, entry)
    entry.ns += length(i)
    totalNs += length(i)
  }
  const owners = [...byOwner].sort(([a, x], [b, y]) => y.ns - x.ns || (a < b ? -1 : 1)).map(([, entry]) => entry)
  const rest = owners.slice(top)
  return {
    traceId: trace.traceId,
    ...nameOf(root),
    startUnixUs: Number(trace.originUnixNs + BigInt(originNs)) / 1000,
    latencyUs: latencyNs / 1000,
    spans: trace.size,
    errors: trace.flags.reduce((errors, flags) => errors + ((flags & ERROR) !== 0 ? 1 : 0), 0),
    sections: kept.map((i) => ({
      spanId: trace.spanId(row[i]!),
      ...nameOf(row[i]!),
      ...edgePart(attribution.edgeOf(path, i)),
      startUs: (startNs[i]! - originNs) / 1000,
      durationUs: length(i) / 1000,
    })),
    omittedSections: {
      count: size - kept.length,
      selfUs: (totalNs - kept.reduce((sum, i) => sum + length(i), 0)) / 1000,
    },
    owners: owners.slice(0, top).map(({ owner, ns }) => ({ ...owner, selfUs: ns / 1000, share: ns / totalNs })),
    omittedOwners: { count: rest.length, selfUs: rest.reduce((sum, { ns }) => sum + ns, 0) / 1000 },
  }
}

const edgePart = (edge: Edge | undefined): { readonly edge?: Edge } => (edge ? { edge } : {})

/** µs per request. */
export interface TimeSummary {
  readonly count: number
  readonly meanUs: number
  readonly deviationUs: number
  readonly p50Us: number
  readonly p90Us: number
  readonly p99Us: number
}

/** A call path, service, edge or instance of a profile in numbers for a table; times in µs, shares 0 … 1. */
export interface CellSummary {
  readonly share: number
  /** Per request of the profile, those without it counting as 0. */
  readonly meanUs: number
  readonly requests: number
  readonly onPathRequests: number
  readonly calls: number
  readonly errors: number
  readonly relativeImportance: number
  readonly varianceShare: number
  /** Of the requests on whose path it is. */
  readonly self: TimeSummary
  /** The request where it held the path longest. */
  readonly slowestTraceId?: string
}

/** Where the latency of many requests went, in a bounded number of rows, with what the rest amounts to. */
export interface ProfileSummary {
  readonly requests: number
  readonly latency: TimeSummary
  readonly services: readonly (CellSummary & { readonly service: string })[]
  readonly omittedServices: Omitted
  /** The ways between services; with them services share all latency. */
  readonly edges: readonly (CellSummary & Edge)[]
  readonly omittedEdges: Omitted
  readonly callPaths: readonly (CellSummary & { readonly frames: readonly string[] })[]
  readonly omittedCallPaths: Omitted
}

const MAX_FRAMES = 32 // of one call path: the last ones, with a mark where frames are missing

/** @param top  most services, edges and call paths listed, of each */
export function summariseProfile(profile: Profile, top: number): ProfileSummary {
  const services = profile.services()
  const edges = profile.edges()
  const callPaths = profile.callPaths()
  return {
    requests: profile.traces,
    latency: summariseTimes(profile.latency),
    services: services.slice(0, top).map((cell) => ({ service: cell.service, ...summariseCell(cell) })),
    omittedServices: omittedFrom(services, top),
    edges: edges.slice(0, top).map((cell) => ({
      caller: cell.caller,
      callee: cell.callee,
      kind: cell.kind,
      ...summariseCell(cell),
    })),
    omittedEdges: omittedFrom(edges, top),
    callPaths: callPaths.slice(0, top).map((cell) => {
      const frames = cell.frames.map(({ service, operation }) => (operation ? `${service}: ${operation}` : service))
      return {
        frames: frames.length > MAX_FRAMES ? ['…', ...frames.slice(-MAX_FRAMES)] : frames,
        ...summariseCell(cell),
      }
    }),
    omittedCallPaths: omittedFrom(callPaths, top),
  }
}

const omittedFrom = (cells: readonly ProfileCell[], top: number): Omitted => {
  const rest = cells.slice(top)
  return { count: rest.length, selfUs: rest.reduce((sum, { selfNs }) => sum + selfNs, 0) / 1000 }
}

/** Count, mean, deviation and quantiles of times, in µs; NaN of no times. */
export function summariseTimes(times: Distribution): TimeSummary {
  return {
    count: times.count,
    meanUs: times.meanNs / 1000,
    deviationUs: Math.sqrt(times.varianceNs2) / 1000,
    p50Us: times.quantile(0.5) / 1000,
    p90Us: times.quantile(0.9) / 1000,
    p99Us: times.quantile(0.99) / 1000,
  }
}

function summariseCell(cell: ProfileCell): CellSummary {
  const { share, requests, onPathRequests, calls, errors, relativeImportance, varianceShare, slowest } = cell
  const numbers = { share, meanUs: cell.meanNs / 1000, requests, onPathRequests, calls, errors }
  return {
    ...numbers,
    relativeImportance,
    varianceShare,
    self: summariseTimes(cell.self),
    ...(slowest && { slowestTraceId: slowest.traceId }),
  }
}
