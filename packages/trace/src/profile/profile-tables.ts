import { Attribution, CALL, NO_EDGE } from '../attribution.js'
import type { CriticalPath } from '../path/types.js'
import { ERROR } from '../types.js'
import { CallPaths, NO_PATH } from './call-paths.js'
import { Cells } from './cells.js'
import { Endpoints } from './endpoints.js'
import { MAX_TIME_NS } from './exact-sum.js'
import { bucketOf } from './histogram.js'
import { KeyedCells } from './keyed-cells.js'
import { LatencyBands } from './latency-bands.js'
import { grown } from './pair-table.js'

/**
 * The tables behind a `Profile`, filled one critical path at a time. Service cells are kept by endpoint, because what a
 * service does in one endpoint says nothing about the latency of another. Services and edges share a path's time without
 * rest (see `Attribution`), and so do instances with the ways to them, and call paths.
 */
export class ProfileTables {
  readonly paths: CallPaths = new CallPaths()
  readonly endpoints: Endpoints = new Endpoints()
  readonly bands: LatencyBands = new LatencyBands()
  readonly callPathCells: Cells = new Cells({ ownTimes: false }) // by call path
  readonly services: KeyedCells = new KeyedCells({ ownTimes: true }) // (endpoint, service)
  readonly instances: KeyedCells = new KeyedCells({ ownTimes: true }) // (cell of the service, instance)
  /** (cell of the caller's service, callee) */
  readonly edges: { readonly call: KeyedCells; readonly queue: KeyedCells } = {
    call: new KeyedCells({ ownTimes: false }),
    queue: new KeyedCells({ ownTimes: false }),
  }
  readonly #attribution = new Attribution()
  // by call path
  #known = 0
  #serviceOf = new Int32Array(16)

  add(path: CriticalPath): void {
    const { trace, root, selfNs, background } = path
    const { traceId, size, names, instance, flags, parent } = trace
    const { paths, callPathCells, services, instances, edges } = this
    const latencyNs = Math.min(path.latencyNs, MAX_TIME_NS)
    const bucket = bucketOf(latencyNs)
    const pathOf = paths.of(trace, root)
    const { answer, edge, ownNs, queuedNs, queuedSelfNs } = this.#attribution.of(path)
    const own = paths.translation(names)
    this.reserve()
    for (let row = 0; row < size; row++) {
      const at = pathOf[row]!
      const service = this.#serviceOf[at]!
      const isError = (flags[row]! & ERROR) !== 0 ? 1 : 0
      const isAside = background[row]!
      callPathCells.note(at, 1, isError, isAside, selfNs[row]!, ownNs[row]!)
      const isWork = answer[row]! < 0
      const workSelfNs = isWork ? selfNs[row]! - queuedSelfNs[row]! : 0
      const workNs = isWork ? ownNs[row]! : 0
      services.cells.note(service, 1, isError, isAside, workSelfNs, workNs)
      const above = paths.parent(at)
      const isCalled = edge[row] !== NO_EDGE && above !== NO_PATH && !paths.isMarker(above)
      const call = parent[row]!
      const isAnswer = isCalled && answer[call] === row
      const waySelfNs = isCalled ? queuedSelfNs[row]! + (isAnswer ? selfNs[call]! - queuedSelfNs[call]! : 0) : 0
      const wayNs = isCalled ? queuedNs[row]! + (isAnswer ? ownNs[call]! : 0) : 0
      const instanceCell = instances.cell(service, paths.number(names, own, instance[row]!))
      instances.cells.note(instanceCell, 1, isError, isAside, workSelfNs + waySelfNs, workNs + wayNs)
      if (!isCalled) continue
      const table = edge[row] === CALL ? edges.call : edges.queue
      const edgeCell = table.cell(this.#serviceOf[above]!, paths.service(at))
      table.cells.note(edgeCell, 1, isError, isAside, waySelfNs, wayNs)
    }
    callPathCells.eachNoted((cell, self) => {
      if (self > 0) this.bands.add(cell, bucket, Math.min(self, MAX_TIME_NS))
    })
    for (const cells of [callPathCells, services.cells, instances.cells, edges.call.cells, edges.queue.cells])
      cells.endRequest(latencyNs, traceId)
    const endpoint = this.endpoints.endpoint(pathOf[root]!)
    this.endpoints.add(endpoint, latencyNs, (flags[root]! & ERROR) !== 0, traceId)
  }

  merge(other: ProfileTables): void {
    const paths = this.paths.adopt(other.paths)
    this.reserve()
    const own = this.paths.translation(other.paths.names)
    const name = (number: number): number => this.paths.number(other.paths.names, own, number)
    const services = this.services.merge(other.services, (path) => paths[path]!, name)
    const ofService = (cell: number): number => services[cell]!
    this.instances.merge(other.instances, ofService, name)
    this.edges.call.merge(other.edges.call, ofService, name)
    this.edges.queue.merge(other.edges.queue, ofService, name)
    const endpoints = Int32Array.from({ length: other.endpoints.size }, (_, endpoint) =>
      this.endpoints.endpoint(paths[other.endpoints.paths.first(endpoint)]!),
    )
    this.callPathCells.merge(other.callPathCells, paths)
    this.endpoints.merge(other.endpoints, endpoints)
    this.bands.merge(other.bands, paths)
  }

  /** Makes the cells of all call paths known by now, and of their services. */
  reserve(): void {
    const { paths } = this
    if (this.#known < paths.size) this.#serviceOf = grown(this.#serviceOf, paths.size)
    for (; this.#known < paths.size; this.#known++) {
      const path = this.#known
      if (!paths.isMarker(path)) this.#serviceOf[path] = this.services.cell(paths.root(path), paths.service(path))
    }
    this.callPathCells.reserve(paths.size)
  }
}
