import type { Edge, Frame } from '../types.js'
import { CallPaths } from './call-paths.js'
import { FACTS_STRIDE, SELF, SELF_SQUARES } from './cells.js'
import { type Change, changeOf, type JudgedChange, judgedChangeOf, type Part } from './change.js'
import { Distribution, Moments } from './distribution.js'
import { exactSum } from './exact-sum.js'
import { timesAmong } from './histogram.js'
import { compareTexts, NameOrder } from './name-order.js'
import type { ProfileTables } from './profile-tables.js'
import { type EdgeProfile, framesOf, type ProfileCell, type ServiceProfile } from './profile-views.js'

/** How an endpoint's latency changed between two profiles. */
export interface EndpointChange extends JudgedChange, Frame {
  readonly beforeRequests: number
  readonly afterRequests: number
}

/** How the time that requests waited for a service's work changed between two profiles. */
export interface ServiceChange extends JudgedChange {
  readonly service: string
}

/** How the time that they spent on the way between two services changed. */
export interface EdgeChange extends JudgedChange, Edge {}

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
   * endpoints is no change. Over services and edges, and over the `addedNs` of call paths, the changes sum to this one.
   */
  readonly latency: JudgedChange
  /** Of endpoints with requests in both windows. */
  readonly endpoints: readonly EndpointChange[]
  readonly services: readonly ServiceChange[]
  readonly edges: readonly EdgeChange[]
  readonly callPaths: readonly CallPathChange[]
  /** With requests in one window only; nothing can be said about them. */
  readonly newEndpoints: readonly Frame[]
  readonly goneEndpoints: readonly Frame[]
}

/** What is compared of a profile. */
export interface DiffSide {
  readonly tables: ProfileTables
  readonly services: readonly ServiceProfile[]
  readonly edges: readonly EdgeProfile[]
}

/** One window, its call paths and endpoints known by the numbers that both windows share. */
interface Side {
  readonly tables: ProfileTables
  /** call path → own call path */
  readonly paths: ReadonlyMap<number, number>
  /** call path of an endpoint → row of `tables.endpoints` */
  readonly endpoints: ReadonlyMap<number, number>
}

type Both<T> = readonly [before: T, after: T]

export function diffTables(before: DiffSide, after: DiffSide): ProfileDiff {
  const common = new CallPaths()
  const sides: Both<Side> = [sideOf(before.tables, common), sideOf(after.tables, common)]
  const order = new NameOrder(common)
  const starts = Array.from(order.paths).filter((path) => sides.some(({ endpoints }) => endpoints.has(path)))
  const shared = starts.filter((path) => sides.every(({ endpoints }) => endpoints.has(path)))
  const total = shared.reduce((sum, path) => sum + requestsOf(sides[1], path), 0)
  const weightOf = new Map(shared.map((path) => [path, requestsOf(sides[1], path) / total]))
  const latencies = (path: number): Part => ({
    weight: weightOf.get(path)!,
    before: latencyOf(sides[0], path),
    after: latencyOf(sides[1], path),
  })

  const callPaths = Array.from(order.paths).flatMap((path) => {
    const endpoint = common.root(path)
    if (!weightOf.has(endpoint) || common.isMarker(path)) return []
    const [was, is] = sides.map((side) => selfOf(side, endpoint, path))
    const change = changeOf([{ weight: 1, before: was!, after: is! }])
    return [
      {
        // Made when asked for: those of a chain would take room with the square of its depth.
        get frames(): Frame[] {
          return framesOf(common, path)
        },
        addedNs: weightOf.get(endpoint)! * change.deltaNs,
        ...change,
      },
    ]
  })
  /** Of a service or edge, which either side may lack. */
  const judged = (cells: Both<ServiceProfile | EdgeProfile | undefined>): JudgedChange => {
    const [was, is] = cells.map((cell) => new Map(cell?.byEndpoint().map((one) => [keyOf(one.endpoint), one.cell])))
    return judgedChangeOf(
      shared.map((path) => {
        const key = keyOf(frameOf(common, path))
        return {
          weight: weightOf.get(path)!,
          before: among(was!.get(key), requestsOf(sides[0], path)),
          after: among(is!.get(key), requestsOf(sides[1], path)),
        }
      }),
    )
  }
  return {
    latency: judgedChangeOf(shared.map(latencies)),
    endpoints: largestFirst(
      shared.map((path) => ({
        ...frameOf(common, path),
        beforeRequests: requestsOf(sides[0], path),
        afterRequests: requestsOf(sides[1], path),
        ...judgedChangeOf([{ ...latencies(path), weight: 1 }]),
      })),
    ),
    services: largestFirst(
      pairs(before.services, after.services, ({ service }) => service).map(([one, cells]) => ({
        service: one.service,
        ...judged(cells),
      })),
    ),
    edges: largestFirst(
      pairs(before.edges, after.edges, ({ caller, callee, kind }) => JSON.stringify([caller, callee, kind])).map(
        ([{ caller, callee, kind }, cells]) => ({ caller, callee, kind, ...judged(cells) }),
      ),
    ),
    callPaths: callPaths.sort((a, b) => b.addedNs - a.addedNs),
    newEndpoints: starts.filter((path) => !sides[0].endpoints.has(path)).map((path) => frameOf(common, path)),
    goneEndpoints: starts.filter((path) => !sides[1].endpoints.has(path)).map((path) => frameOf(common, path)),
  }
}

const largestFirst = <C extends Change>(changes: C[]): C[] => changes.sort((a, b) => b.deltaNs - a.deltaNs)

/** What either side has, with what both have of the same name, in the order of names. */
function pairs<C>(before: readonly C[], after: readonly C[], nameOf: (cell: C) => string): [C, Both<C | undefined>][] {
  const [was, is] = [before, after].map((cells) => new Map(cells.map((cell) => [nameOf(cell), cell])))
  return [...new Map([...was!, ...is!])]
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([name, one]) => [one, [was!.get(name), is!.get(name)]])
}

const keyOf = ({ service, operation }: Frame): string => JSON.stringify([service, operation])

const among = (cell: ProfileCell | undefined, requests: number): Distribution =>
  cell?.among(requests) ?? new Distribution(requests, 0n, 0n, () => timesAmong(undefined, requests))

function sideOf(tables: ProfileTables, common: CallPaths): Side {
  const { endpoints } = tables
  const numbers = common.adopt(tables.paths)
  return {
    tables,
    paths: new Map(Array.from(numbers, (path, own) => [path, own])),
    endpoints: new Map(Array.from({ length: endpoints.size }, (_, row) => [numbers[endpoints.paths.first(row)]!, row])),
  }
}

const frameOf = (paths: CallPaths, endpoint: number): Frame => framesOf(paths, endpoint)[0]!

const requestsOf = ({ tables, endpoints }: Side, endpoint: number): number =>
  tables.endpoints.latencySums(endpoints.get(endpoint)!).requests

function latencyOf({ tables, endpoints }: Side, endpoint: number): Distribution {
  const row = endpoints.get(endpoint)!
  const { requests, sum, squares } = tables.endpoints.latencySums(row)
  return new Distribution(requests, sum, squares, () => tables.endpoints.latencies.read([row]))
}

/** Time on the path of a call path over all requests of its endpoint; 0 where the window does not know it. */
function selfOf(side: Side, endpoint: number, path: number): Moments {
  const own = side.paths.get(path)
  const requests = requestsOf(side, endpoint)
  if (own === undefined) return new Moments(requests, 0n, 0n)
  const { facts } = side.tables.callPathCells
  const at = own * FACTS_STRIDE
  return new Moments(requests, exactSum(facts, at + SELF), exactSum(facts, at + SELF_SQUARES))
}
