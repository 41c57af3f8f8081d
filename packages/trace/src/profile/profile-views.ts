import type { Edge, Frame } from '../types.js'
import {
  BACKGROUND,
  CALLS,
  type Cells,
  ERRORS,
  FACTS_STRIDE,
  ON_PATH_REQUESTS,
  OWN,
  OWN_SQUARES,
  REQUESTS,
  SELF,
  SELF_LATENCY,
  SELF_SQUARES,
} from './cells.js'
import { Distribution, Moments, scatter } from './distribution.js'
import type { Exemplar } from './endpoints.js'
import { exactSum, roundedSum } from './exact-sum.js'
import { timesAmong } from './histogram.js'
import type { ProfileTables } from './profile-tables.js'
import type { ProfileWindow } from './profile-window.js'

/** One cell, or the cells of one service in several endpoints, and how they stand to the latency of their requests. */
export abstract class ProfileCell {
  /** Σ of its own time on critical paths. */
  readonly selfNs: number
  readonly #window: ProfileWindow
  readonly #cells: Cells
  readonly #members: readonly number[]
  readonly #endpointOf: (member: number) => number
  #self: Distribution | undefined
  #ties: { readonly relativeImportance: number; readonly varianceShare: number } | undefined

  /**
   * @param members  cells, one an endpoint, in the order of the endpoints
   * @param endpointOf  the call path that a cell's requests start with
   */
  constructor(window: ProfileWindow, cells: Cells, members: readonly number[], endpointOf: (member: number) => number) {
    this.#window = window
    this.#cells = cells
    this.#members = members
    this.#endpointOf = endpointOf
    this.selfNs = members.reduce((sum, member) => sum + roundedSum(cells.facts, member * FACTS_STRIDE + SELF), 0)
  }

  /** Requests it took part in. */
  get requests(): number {
    return this.#count(REQUESTS)
  }

  /** Requests on whose critical path it was. */
  get onPathRequests(): number {
    return this.#count(ON_PATH_REQUESTS)
  }

  /** Its spans. */
  get calls(): number {
    return this.#count(CALLS)
  }

  /** Its spans that failed. */
  get errors(): number {
    return this.#count(ERRORS)
  }

  /** Its spans that nobody waits for. */
  get backgroundCalls(): number {
    return this.#count(BACKGROUND)
  }

  /** Its own time on the critical path, over the requests on whose path it was. */
  get self(): Distribution {
    this.#self ??= new Distribution(
      this.onPathRequests,
      this.#sum(SELF),
      this.#sum(SELF_SQUARES),
      () => this.#cells.selfTimes.read(this.#members),
      this.slowest?.selfNs,
    )
    return this.#self
  }

  /** Its time on the path over `requests` of which it is a part; those without it count as 0. */
  among(requests: number): Distribution {
    return new Distribution(requests, this.#sum(SELF), this.#sum(SELF_SQUARES), () =>
      timesAmong(this.#cells.selfTimes.read(this.#members), requests),
    )
  }

  /** Its own time, on the path or not (running, and waiting for no child), over the requests it took part in. */
  get own(): Moments {
    return new Moments(this.requests, this.#sum(OWN), this.#sum(OWN_SQUARES))
  }

  /** Time on the path per request of the profile, those without it counting as 0: of all services and edges, this sums to the mean latency. */
  get meanNs(): number {
    return this.selfNs / this.#window.requests
  }

  /** Its part of all latency, 0 … 1. */
  get share(): number {
    return this.#window.latencyNs > 0 ? this.selfNs / this.#window.latencyNs : 0
  }

  /**
   * RI: Pearson's correlation of its time on the path with the latency, within each endpoint that it serves, −1 … 1; requests
   * without it count as 0. 0 where either is constant. Source: dissertation 3.2.3.
   */
  get relativeImportance(): number {
    return this.#tiesToLatency().relativeImportance
  }

  /**
   * The part of the variance of latency (within endpoints) that it explains: covariance over variance. Over all services and
   * edges, and over all call paths, this sums to 1, which correlations do not.
   */
  get varianceShare(): number {
    return this.#tiesToLatency().varianceShare
  }

  /** The request with its longest time on the path; undefined if it never was there. */
  get slowest(): { readonly traceId: string; readonly selfNs: number } | undefined {
    let slowest: { readonly traceId: string; readonly selfNs: number } | undefined
    for (const member of this.#members) {
      const other = this.#cells.slowest(member)
      if (!other) continue
      const isSlower = !slowest || other.selfNs > slowest.selfNs
      if (isSlower || (other.selfNs === slowest!.selfNs && other.traceId < slowest!.traceId)) slowest = other
    }
    return slowest
  }

  /** Own time with its quantiles, for kinds of cells that keep them. */
  protected ownDistribution(): Distribution {
    return new Distribution(this.requests, this.#sum(OWN), this.#sum(OWN_SQUARES), () =>
      this.#cells.ownTimes!.read(this.#members),
    )
  }

  /** What makes a cell of each endpoint apart. */
  protected cellsByEndpoint(): { readonly endpoint: Frame; readonly cell: CellArguments }[] {
    const { paths } = this.#window.tables
    return this.#members.map((member) => {
      const path = this.#endpointOf(member)
      return {
        endpoint: {
          service: paths.names.text(paths.service(path)),
          operation: paths.names.text(paths.operation(path)),
        },
        cell: [this.#window, this.#cells, [member], this.#endpointOf],
      }
    })
  }

  #count(fact: number): number {
    return this.#members.reduce((sum, member) => sum + this.#cells.facts[member * FACTS_STRIDE + fact]!, 0)
  }

  #sum(fact: number): bigint {
    return this.#members.reduce((sum, member) => sum + exactSum(this.#cells.facts, member * FACTS_STRIDE + fact), 0n)
  }

  #tiesToLatency(): { readonly relativeImportance: number; readonly varianceShare: number } {
    this.#ties ??= this.#measureTies()
    return this.#ties
  }

  #measureTies(): { readonly relativeImportance: number; readonly varianceShare: number } {
    const { endpoints } = this.#window.tables
    let selfScatter = 0
    let latencyScatter = 0
    let crossScatter = 0
    for (const member of this.#members) {
      const path = this.#endpointOf(member)
      const endpoint = endpoints.paths.find(path, 0)
      if (endpoint < 0) continue
      const { requests, sum: latency } = endpoints.latencySums(endpoint)
      const { facts } = this.#cells
      const at = member * FACTS_STRIDE
      const self = exactSum(facts, at + SELF)
      selfScatter += Number(scatter(requests, self, self, exactSum(facts, at + SELF_SQUARES))) / requests
      crossScatter += Number(scatter(requests, self, latency, exactSum(facts, at + SELF_LATENCY))) / requests
      latencyScatter += this.#window.scatterOf(path)!
    }
    const scale = Math.sqrt(selfScatter) * Math.sqrt(latencyScatter)
    return {
      relativeImportance: scale > 0 ? Math.min(1, Math.max(-1, crossScatter / scale)) : 0,
      varianceShare: this.#window.latencyScatter > 0 ? crossScatter / this.#window.latencyScatter : 0,
    }
  }
}

type CellArguments = ConstructorParameters<typeof ProfileCell>

/** A service, over all endpoints. */
export class ServiceProfile extends ProfileCell {
  readonly service: string

  constructor(service: string, ...cell: CellArguments) {
    super(...cell)
    this.service = service
  }

  override get own(): Distribution {
    return this.ownDistribution()
  }

  /** The same of each endpoint apart, in the order of their names; `meanNs` and `share` are still parts of the whole. */
  byEndpoint(): { readonly endpoint: Frame; readonly cell: ServiceProfile }[] {
    return this.cellsByEndpoint().map(({ endpoint, cell }) => ({
      endpoint,
      cell: new ServiceProfile(this.service, ...cell),
    }))
  }
}

/**
 * A pod, container or process of a service as those who call it see it: its work and the ways to it. Spans that name none are
 * one instance without a name.
 */
export class InstanceProfile extends ProfileCell {
  readonly service: string
  readonly instance: string

  constructor(service: string, instance: string, ...cell: CellArguments) {
    super(...cell)
    this.service = service
    this.instance = instance
  }

  override get own(): Distribution {
    return this.ownDistribution()
  }

  /** The same of each endpoint apart, in the order of their names; `meanNs` and `share` are still parts of the whole. */
  byEndpoint(): { readonly endpoint: Frame; readonly cell: InstanceProfile }[] {
    return this.cellsByEndpoint().map(({ endpoint, cell }) => ({
      endpoint,
      cell: new InstanceProfile(this.service, this.instance, ...cell),
    }))
  }
}

/**
 * The way from one service to another: its times are those that neither works in (see `Edge`). Its calls, errors and
 * background calls are those of the callee's spans that were called so.
 */
export class EdgeProfile extends ProfileCell implements Edge {
  readonly caller: string
  readonly callee: string
  readonly kind: Edge['kind']

  constructor({ caller, callee, kind }: Edge, ...cell: CellArguments) {
    super(...cell)
    this.caller = caller
    this.callee = callee
    this.kind = kind
  }

  /** The same of each endpoint apart, in the order of their names; `meanNs` and `share` are still parts of the whole. */
  byEndpoint(): { readonly endpoint: Frame; readonly cell: EdgeProfile }[] {
    return this.cellsByEndpoint().map(({ endpoint, cell }) => ({ endpoint, cell: new EdgeProfile(this, ...cell) }))
  }
}

/** One place in the tree of calls. */
export class CallPathProfile extends ProfileCell {
  readonly service: string
  readonly operation: string
  /** How many of `frames` are above it; 0 for an endpoint. */
  readonly depth: number
  /** Whether it hangs below no root: its spans' ancestors were never collected. */
  readonly isDetached: boolean
  readonly #tables: ProfileTables
  readonly #path: number

  constructor(tables: ProfileTables, path: number, ...cell: CellArguments) {
    super(...cell)
    const { paths } = tables
    this.#tables = tables
    this.#path = path
    this.service = paths.names.text(paths.service(path))
    this.operation = paths.names.text(paths.operation(path))
    this.isDetached = paths.isDetached(path)
    this.depth = this.isDetached ? paths.depth(path) - 2 : paths.depth(path)
  }

  /** From the endpoint (or the topmost span that was collected) down to this one. Built when asked: a chain of calls may be deep. */
  get frames(): Frame[] {
    return framesOf(this.#tables.paths, this.#path)
  }
}

/** Requests that start with the same service and operation. */
export interface EndpointProfile extends Frame {
  readonly requests: number
  /** Requests whose root span failed. */
  readonly errors: number
  readonly latency: Distribution
  /** The few slowest, slowest first. */
  readonly slowest: readonly Exemplar[]
  /** A request about as slow as the q-th quantile. */
  near(q: number): Exemplar | undefined
}

/** Frames of a call path, the marker of detached spans left out. */
export function framesOf(paths: ProfileTables['paths'], path: number): Frame[] {
  const frames: Frame[] = []
  for (let at = path; at >= 0; at = paths.parent(at)) {
    if (paths.isMarker(at)) break
    frames.push({ service: paths.names.text(paths.service(at)), operation: paths.names.text(paths.operation(at)) })
  }
  return frames.reverse()
}
