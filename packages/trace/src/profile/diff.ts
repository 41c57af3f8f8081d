import type { Frame } from '../types.js'
import { CallPaths } from './call-paths.js'
import { type Cells, FACTS_STRIDE, SELF, SELF_SQUARES } from './cells.js'
import { Moments } from './distribution.js'
import { exactSum } from './exact-sum.js'
import { NameOrder } from './name-order.js'
import { PairTable } from './pair-table.js'
import type { ProfileTables } from './profile-tables.js'
import { framesOf } from './profile-views.js'

/** How a mean time changed, and how sure that is. */
export interface Change {
  /** ns per request; requests without it count as 0. */
  readonly beforeNs: number
  readonly afterNs: number
  /** After less before. */
  readonly deltaNs: number
  /** Of `deltaNs`; NaN where a window has fewer than two requests. */
  readonly standardErrorNs: number
  /** `deltaNs` in standard errors. Beyond ±2 it is hardly chance; of a thousand call paths, beyond ±4. */
  readonly z: number
  /** `deltaNs` ± 1.96 standard errors. */
  readonly low: number
  readonly high: number
}

/** How an endpoint's latency changed between two profiles. */
export interface EndpointChange extends Change, Frame {
  readonly beforeRequests: number
  readonly afterRequests: number
}

/** How the time that requests waited for a service changed between two profiles. */
export interface ServiceChange extends Change {
  readonly service: string
}

/** Of time on the path per request of the call path's endpoint. */
export interface CallPathChange extends Change {
  readonly frames: readonly Frame[]
  /** What it adds to the mean latency over all endpoints: `deltaNs` times the endpoint's part of the requests. */
  readonly addedNs: number
}

/** What changed from one window to another. Everything is sorted by what it adds, largest first. */
export interface ProfileDiff {
  /**
   * Mean latency, with the endpoints in the proportions of `after` in both windows: a shift of traffic from fast to slow
   * endpoints is no change. Over services, and over the `addedNs` of call paths, the changes sum to this one.
   */
  readonly latency: Change
  /** Of endpoints with requests in both windows. */
  readonly endpoints: readonly EndpointChange[]
  readonly services: readonly ServiceChange[]
  readonly callPaths: readonly CallPathChange[]
  /** With requests in one window only; nothing can be said about them. */
  readonly newEndpoints: readonly Frame[]
  readonly goneEndpoints: readonly Frame[]
}

/** One window, its call paths, endpoints and services known by the numbers that both windows share. */
interface Side {
  readonly tables: ProfileTables
  /** call path → own call path */
  readonly paths: ReadonlyMap<number, number>
  /** call path of an endpoint → row of `tables.endpoints` */
  readonly endpoints: ReadonlyMap<number, number>
  /** pair of endpoint and service → cell of `tables.serviceCells` */
  readonly services: ReadonlyMap<number, number>
}

/** A difference of two means and what it counts in a sum of such. */
interface Part {
  readonly weight: number
  readonly before: Moments
  readonly after: Moments
}

export function diffTables(before: ProfileTables, after: ProfileTables): ProfileDiff {
  const common = new CallPaths()
  const serviceKeys = new PairTable() // (endpoint's call path, service)
  const sides = [sideOf(before, common, serviceKeys), sideOf(after, common, serviceKeys)] as const
  const order = new NameOrder(common)
  const starts = Array.from(order.paths).filter((path) => sides.some(({ endpoints }) => endpoints.has(path)))
  const shared = starts.filter((path) => sides.every(({ endpoints }) => endpoints.has(path)))
  const total = shared.reduce((sum, path) => sum + requestsOf(sides[1], path), 0)
  const weightOf = new Map(shared.map((path) => [path, requestsOf(sides[1], path) / total]))
  const part = (endpoint: number, moments: (side: Side) => Moments): Part => ({
    weight: weightOf.get(endpoint)!,
    before: moments(sides[0]),
    after: moments(sides[1]),
  })

  const callPaths = Array.from(order.paths).flatMap((path) => {
    const endpoint = common.root(path)
    if (!weightOf.has(endpoint) || common.isMarker(path)) return []
    const own = part(endpoint, (side) => selfOf(side, endpoint, side.tables.callPathCells, side.paths.get(path)))
    const change = changeOf([{ ...own, weight: 1 }])
    return [
      {
        // Made when asked for: those of a chain would take room with the square of its depth.
        get frames(): Frame[] {
          return framesOf(common, path)
        },
        addedNs: own.weight * change.deltaNs,
        ...change,
      },
    ]
  })
  const serviceParts = new Map<number, Part[]>()
  for (const key of order.ofKeys(serviceKeys, order.pathRank)) {
    const endpoint = serviceKeys.first(key)
    const service = serviceKeys.second(key)
    if (!weightOf.has(endpoint)) continue
    const parts = serviceParts.get(service) ?? []
    parts.push(part(endpoint, (side) => selfOf(side, endpoint, side.tables.serviceCells, side.services.get(key))))
    serviceParts.set(service, parts)
  }
  const services = [...serviceParts.keys()]
    .sort((a, b) => order.nameRank[a]! - order.nameRank[b]!)
    .map((service) => ({ service: common.names.text(service), ...changeOf(serviceParts.get(service)!) }))
  const endpoints = shared.map((path) => ({
    ...frameOf(common, path),
    beforeRequests: requestsOf(sides[0], path),
    afterRequests: requestsOf(sides[1], path),
    ...changeOf([{ ...part(path, (side) => latencyOf(side, path)), weight: 1 }]),
  }))
  return {
    latency: changeOf(shared.map((path) => part(path, (side) => latencyOf(side, path)))),
    endpoints: endpoints.sort((a, b) => b.deltaNs - a.deltaNs),
    services: services.sort((a, b) => b.deltaNs - a.deltaNs),
    callPaths: callPaths.sort((a, b) => b.addedNs - a.addedNs),
    newEndpoints: starts.filter((path) => !sides[0].endpoints.has(path)).map((path) => frameOf(common, path)),
    goneEndpoints: starts.filter((path) => !sides[1].endpoints.has(path)).map((path) => frameOf(common, path)),
  }
}

function sideOf(tables: ProfileTables, common: CallPaths, serviceKeys: PairTable): Side {
  const { endpoints, services } = tables
  const numbers = common.adopt(tables.paths)
  const names = common.translation(tables.paths.names)
  const cells = new Map<number, number>()
  for (let cell = 0; cell < services.size; cell++) {
    const service = common.number(tables.paths.names, names, services.second(cell))
    cells.set(serviceKeys.number(numbers[services.first(cell)]!, service), cell)
  }
  return {
    tables,
    paths: new Map(Array.from(numbers, (path, own) => [path, own])),
    endpoints: new Map(Array.from({ length: endpoints.size }, (_, row) => [numbers[endpoints.paths.first(row)]!, row])),
    services: cells,
  }
}

const frameOf = (paths: CallPaths, endpoint: number): Frame => framesOf(paths, endpoint)[0]!

const requestsOf = ({ tables, endpoints }: Side, endpoint: number): number =>
  tables.endpoints.latencySums(endpoints.get(endpoint)!).requests

function latencyOf({ tables, endpoints }: Side, endpoint: number): Moments {
  const { requests, sum, squares } = tables.endpoints.latencySums(endpoints.get(endpoint)!)
  return new Moments(requests, sum, squares)
}

/** Time on the path of a cell over all requests of its endpoint; 0 where the window does not know the cell. */
function selfOf(side: Side, endpoint: number, { facts }: Cells, cell: number | undefined): Moments {
  if (cell === undefined) return new Moments(requestsOf(side, endpoint), 0n, 0n)
  const at = cell * FACTS_STRIDE
  return new Moments(requestsOf(side, endpoint), exactSum(facts, at + SELF), exactSum(facts, at + SELF_SQUARES))
}

/** Of independent parts: weighted means add up, and so do squared weights times squared standard errors. */
function changeOf(parts: readonly Part[]): Change {
  let beforeNs = 0
  let afterNs = 0
  let variance = 0
  for (const { weight, before, after } of parts) {
    beforeNs += weight * before.meanNs
    afterNs += weight * after.meanNs
    variance += weight ** 2 * (before.varianceNs2 / before.count + after.varianceNs2 / after.count)
  }
  const deltaNs = afterNs - beforeNs
  const standardErrorNs = Math.sqrt(variance)
  return {
    beforeNs,
    afterNs,
    deltaNs,
    standardErrorNs,
    z: deltaNs === 0 ? 0 : deltaNs / standardErrorNs,
    low: deltaNs - 1.96 * standardErrorNs,
    high: deltaNs + 1.96 * standardErrorNs,
  }
}
