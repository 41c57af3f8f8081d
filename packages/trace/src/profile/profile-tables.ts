import { OwnTime } from '../own-time.js'
import type { CriticalPath } from '../path/types.js'
import { ERROR } from '../types.js'
import { CallPaths, NO_PATH } from './call-paths.js'
import { Cells } from './cells.js'
import { Endpoints } from './endpoints.js'
import { MAX_TIME_NS } from './exact-sum.js'
import { bucketOf } from './histogram.js'
import { LatencyBands } from './latency-bands.js'
import { grown, PairTable } from './pair-table.js'

const NONE = -1

/**
 * The tables behind a `Profile`, filled one critical path at a time. A cell of each kind is known by two numbers; service
 * cells are kept by endpoint, because what a service does in one endpoint says nothing about the latency of another.
 */
export class ProfileTables {
  readonly paths: CallPaths = new CallPaths()
  readonly endpoints: Endpoints = new Endpoints()
  readonly bands: LatencyBands = new LatencyBands()
  readonly callPathCells: Cells = new Cells({ ownTimes: false }) // by call path
  readonly services: PairTable = new PairTable() // (endpoint, service)
  readonly serviceCells: Cells = new Cells({ ownTimes: true })
  readonly edges: PairTable = new PairTable() // (cell of the caller's service, service)
  readonly edgeCells: Cells = new Cells({ ownTimes: false })
  readonly instances: PairTable = new PairTable() // (cell of the service, instance)
  readonly instanceCells: Cells = new Cells({ ownTimes: true })
  readonly #ownTime = new OwnTime()
  // by call path
  #known = 0
  #serviceOf = new Int32Array(16)
  #edgeOf = new Int32Array(16)

  add(path: CriticalPath): void {
    const { trace, root, selfNs, background } = path
    const { traceId, size, names, instance, flags } = trace
    const { paths, callPathCells, serviceCells, edgeCells, instanceCells } = this
    const latencyNs = Math.min(path.latencyNs, MAX_TIME_NS)
    const bucket = bucketOf(latencyNs)
    const pathOf = paths.of(trace, root)
    const ownNs = this.#ownTime.of(trace, background)
    const own = paths.translation(names)
    this.reserve()
    for (let row = 0; row < size; row++) {
      const at = pathOf[row]!
      const isError = (flags[row]! & ERROR) !== 0 ? 1 : 0
      callPathCells.note(at, 1, isError, background[row]!, selfNs[row]!, ownNs[row]!)
      const cell = this.instances.number(this.#serviceOf[at]!, paths.number(names, own, instance[row]!))
      if (cell === instanceCells.size) instanceCells.reserve(cell + 1)
      instanceCells.note(cell, 1, isError, background[row]!, selfNs[row]!, ownNs[row]!)
    }
    callPathCells.eachNoted((at, calls, errors, asides, self, ownTime) => {
      serviceCells.note(this.#serviceOf[at]!, calls, errors, asides, self, ownTime)
      const edge = this.#edgeOf[at]!
      if (edge !== NONE) edgeCells.note(edge, calls, errors, asides, self, ownTime)
      if (self > 0) this.bands.add(at, bucket, Math.min(self, MAX_TIME_NS))
    })
    for (const cells of [callPathCells, serviceCells, edgeCells, instanceCells]) cells.endRequest(latencyNs, traceId)
    const endpoint = this.endpoints.endpoint(pathOf[root]!)
    this.endpoints.add(endpoint, latencyNs, (flags[root]! & ERROR) !== 0, traceId)
  }

  merge(other: ProfileTables): void {
    const paths = this.paths.adopt(other.paths)
    this.reserve()
    const own = this.paths.translation(other.paths.names)
    const name = (number: number): number => this.paths.number(other.paths.names, own, number)
    const services = keysInto(other.services, (path) => paths[path]!, name, this.services)
    const edges = keysInto(other.edges, (cell) => services[cell]!, name, this.edges)
    const instances = keysInto(other.instances, (cell) => services[cell]!, name, this.instances)
    const endpoints = Int32Array.from({ length: other.endpoints.size }, (_, endpoint) =>
      this.endpoints.endpoint(paths[other.endpoints.paths.first(endpoint)]!),
    )
    this.reserve()
    this.callPathCells.merge(other.callPathCells, paths)
    this.serviceCells.merge(other.serviceCells, services)
    this.edgeCells.merge(other.edgeCells, edges)
    this.instanceCells.merge(other.instanceCells, instances)
    this.endpoints.merge(other.endpoints, endpoints)
    this.bands.merge(other.bands, paths)
  }

  /** Makes the cells of all call paths known by now, and of their services and edges. */
  reserve(): void {
    const { paths } = this
    if (this.#known < paths.size) {
      this.#serviceOf = grown(this.#serviceOf, paths.size)
      this.#edgeOf = grown(this.#edgeOf, paths.size)
    }
    for (; this.#known < paths.size; this.#known++) {
      const path = this.#known
      const above = paths.parent(path)
      this.#edgeOf[path] = NONE
      if (paths.isMarker(path)) continue
      const service = this.services.number(paths.root(path), paths.service(path))
      this.#serviceOf[path] = service
      if (above !== NO_PATH && !paths.isMarker(above)) {
        this.#edgeOf[path] = this.edges.number(this.#serviceOf[above]!, paths.service(path))
      }
    }
    this.callPathCells.reserve(paths.size)
    this.serviceCells.reserve(this.services.size)
    this.edgeCells.reserve(this.edges.size)
    this.instanceCells.reserve(this.instances.size)
  }
}

/** Numbers of all keys of `from` among those of `into`, made where new. */
function keysInto(
  from: PairTable,
  first: (number: number) => number,
  second: (number: number) => number,
  into: PairTable,
): Int32Array {
  return Int32Array.from({ length: from.size }, (_, key) =>
    into.number(first(from.first(key)), second(from.second(key))),
  )
}
