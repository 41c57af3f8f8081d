import type { Frame } from '../write/call-tree.js'
import type { Cells } from './cells.js'
import { Distribution, scatter } from './distribution.js'
import type { Exemplar } from './endpoints.js'
import type { ProfileTables } from './profile-tables.js'

/** What all cells of one profile are compared with. */
export class ProfileWindow {
  readonly tables: ProfileTables
  /** Requests of all endpoints. */
  readonly requests: number
  /** Σ latency */
  readonly latencyNs: number
  /** Σ over endpoints of the squared distances of latencies from the endpoint's mean. */
  readonly latencyScatter: number
  /** [endpoints] rows of `tables.endpoints` in the order of their names, in which sums are taken. */
  readonly endpoints: Int32Array
  readonly #scatters: ReadonlyMap<number, number>

  /** @param rank  [call paths] place of each in the order of their names */
  constructor(tables: ProfileTables, rank: Int32Array) {
    const { endpoints } = tables
    this.tables = tables
    this.endpoints = Int32Array.from({ length: endpoints.size }, (_, endpoint) => endpoint).sort(
      (a, b) => rank[endpoints.paths.first(a)]! - rank[endpoints.paths.first(b)]!,
    )
    const scatters = new Map<number, number>()
    let requests = 0
    let latencyNs = 0n
    let latencyScatter = 0
    for (const endpoint of this.endpoints) {
      const n = endpoints.requests[endpoint]!
      const sum = endpoints.latency.exact(endpoint)
      const own = Number(scatter(n, sum, sum, endpoints.latencySquares.exact(endpoint))) / n
      scatters.set(endpoints.paths.first(endpoint), own)
      requests += n
      latencyNs += sum
      latencyScatter += own
    }
    this.requests = requests
    this.latencyNs = Number(latencyNs)
    this.latencyScatter = latencyScatter
    this.#scatters = scatters
  }

  /** Σ of squared distances of the endpoint's latencies from their mean; undefined where no request started with `path`. */
  scatterOf(path: number): number | undefined {
    return this.#scatters.get(path)
  }
}

/** One cell, or the cells of one service in several endpoints, and how they stand to the latency of their requests. */
export abstract class ProfileCell {
  /** Σ of its own time on critical paths. */
  readonly selfNs: number
  readonly #window: ProfileWindow
  readonly #cells: Cells
  readonly #members: readonly number[]
  readonly #endpointOf: (member: number) => number
  #self: Distribution | undefined
  #own: Distribution | undefined
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
    this.selfNs = members.reduce((sum, member) => sum + cells.self.value(member), 0)
  }

  /** Requests it took part in. */
  get requests(): number {
    return this.#count('requests')
  }

  /** Requests on whose critical path it was. */
  get onPathRequests(): number {
    return this.#count('onPathRequests')
  }

  /** Its spans. */
  get calls(): number {
    return this.#count('calls')
  }

  /** Its spans that failed. */
  get errors(): number {
    return this.#count('errors')
  }

  /** Its spans that nobody waits for. */
  get backgroundCalls(): number {
    return this.#count('background')
  }

  /** Its own time on the critical path, over the requests on whose path it was. */
  get self(): Distribution {
    this.#self ??= this.#distribution('onPathRequests', 'self', 'selfSquares', 'selfTimes')
    return this.#self
  }

  /** Its own time, on the path or not (running, and waiting for no child), over the requests it took part in. */
  get own(): Distribution {
    this.#own ??= this.#distribution('requests', 'own', 'ownSquares', 'ownTimes')
    return this.#own
  }

  /** Time on the path per request of the profile, those without it counting as 0: of all services, this sums to the mean latency. */
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
   * The part of the variance of latency (within endpoints) that it explains: covariance over variance. Over all services, and
   * over all call paths, this sums to 1, which correlations do not.
   */
  get varianceShare(): number {
    return this.#tiesToLatency().varianceShare
  }

  /** The request with its longest time on the path; undefined if it never was there. */
  get slowest(): { readonly traceId: string; readonly selfNs: number } | undefined {
    const { slowestNs, slowestTrace } = this.#cells
    let slowest: { traceId: string; selfNs: number } | undefined
    for (const member of this.#members) {
      const selfNs = slowestNs[member]!
      const traceId = slowestTrace[member]!
      const isSlower = !slowest || selfNs > slowest.selfNs || (selfNs === slowest.selfNs && traceId < slowest.traceId)
      if (selfNs > 0 && isSlower) slowest = { traceId, selfNs }
    }
    return slowest
  }

  #count(counter: 'requests' | 'onPathRequests' | 'calls' | 'errors' | 'background'): number {
    return this.#members.reduce((sum, member) => sum + this.#cells[counter][member]!, 0)
  }

  #distribution(
    counter: 'requests' | 'onPathRequests',
    sum: 'self' | 'own',
    squares: 'selfSquares' | 'ownSquares',
    times: 'selfTimes' | 'ownTimes',
  ): Distribution {
    const total = (of: 'self' | 'own' | 'selfSquares' | 'ownSquares'): bigint =>
      this.#members.reduce((all, member) => all + this.#cells[of].exact(member), 0n)
    return new Distribution(this.#count(counter), total(sum), total(squares), () =>
      this.#cells[times].read(this.#members),
    )
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
      const n = endpoints.requests[endpoint]!
      const sum = this.#cells.self.exact(member)
      selfScatter += Number(scatter(n, sum, sum, this.#cells.selfSquares.exact(member))) / n
      crossScatter +=
        Number(scatter(n, sum, endpoints.latency.exact(endpoint), this.#cells.selfLatency.exact(member))) / n
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
}

/** A pod, container or process of a service; spans that name none are one instance without a name. */
export class InstanceProfile extends ProfileCell {
  readonly service: string
  readonly instance: string

  constructor(service: string, instance: string, ...cell: CellArguments) {
    super(...cell)
    this.service = service
    this.instance = instance
  }
}

/** All calls of one service by another; its times are those of the callee's spans that were called so. */
export class EdgeProfile extends ProfileCell {
  readonly caller: string
  readonly callee: string

  constructor(caller: string, callee: string, ...cell: CellArguments) {
    super(...cell)
    this.caller = caller
    this.callee = callee
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
