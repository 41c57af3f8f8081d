import { type Call, DEFAULT_AFTER_CALLS, type RequestType, type ServiceGraph, serviceNumber } from './graph.js'
import { numbersOf, RESOURCE_COUNT } from './resources.js'

/**
 * A request type as the simulator runs it: its visits numbered, callers before callees, 0 the entry.
 *
 * N: visits, R: resources.
 */
export interface Plan {
  readonly name: string
  readonly timeoutUs: number
  readonly size: number
  /** [N] number of the service. */
  readonly service: Int32Array
  readonly operation: readonly string[]
  /** [N] visit that makes it; −1 for the entry. */
  readonly parent: Int32Array
  /** [N] 1: nobody waits for it. */
  readonly background: Uint8Array
  /** [N] of the call, once its caller is visited. */
  readonly probability: Float64Array
  /** [N] how often a request comes here: the probabilities from the entry down. */
  readonly reach: Float64Array
  /** [N, R] */
  readonly work: Float64Array
  /** [N] part of the work that comes after the calls. */
  readonly after: Float64Array
  /** [N + 1] where the calls of each visit lie in `children`. */
  readonly firstChild: Int32Array
  /** [N − 1] visits, in the order they are made. */
  readonly children: Int32Array
  /** [N − 1] stage of each of `children`. */
  readonly stage: Int32Array
}

export function compile(graph: ServiceGraph, request: RequestType): Plan {
  const visits: { call: Call; parent: number }[] = [{ call: request.entry, parent: -1 }]
  const children: number[] = []
  const stage: number[] = []
  const firstChild = [0]
  for (let at = 0; at < visits.length; at++) {
    for (const [number, calls] of (visits[at]!.call.stages ?? []).entries()) {
      for (const call of calls) {
        children.push(visits.length)
        stage.push(number)
        visits.push({ call, parent: at })
      }
    }
    firstChild.push(children.length)
  }
  const work = new Float64Array(visits.length * RESOURCE_COUNT)
  const reach = new Float64Array(visits.length)
  for (const [at, { call, parent }] of visits.entries()) {
    work.set(numbersOf(call.work), at * RESOURCE_COUNT)
    reach[at] = (parent < 0 ? 1 : reach[parent]!) * (call.probability ?? 1)
  }
  return {
    name: request.name,
    timeoutUs: request.timeoutMs * 1000,
    size: visits.length,
    service: Int32Array.from(visits, ({ call }) => serviceNumber(graph, call.service)),
    operation: visits.map(({ call }) => call.operation ?? request.name),
    parent: Int32Array.from(visits, ({ parent }) => parent),
    background: Uint8Array.from(visits, ({ call }) => (call.background ? 1 : 0)),
    probability: Float64Array.from(visits, ({ call }) => call.probability ?? 1),
    reach,
    work,
    after: Float64Array.from(visits, ({ call }) =>
      call.stages?.length ? (call.afterCalls ?? DEFAULT_AFTER_CALLS) : 0,
    ),
    firstChild: Int32Array.from(firstChild),
    children: Int32Array.from(children),
    stage: Int32Array.from(stage),
  }
}

/** Calls to a service that nothing else makes: a load generator pointed straight at it. One visit, which calls nobody. */
export function directPlan(graph: ServiceGraph, service: number, work: Float64Array): Plan {
  return {
    name: 'direct',
    timeoutUs: graph.requests.reduce((longest, { timeoutMs }) => Math.max(longest, timeoutMs * 1000), 0),
    size: 1,
    service: Int32Array.of(service),
    operation: ['direct'],
    parent: Int32Array.of(-1),
    background: new Uint8Array(1),
    probability: Float64Array.of(1),
    reach: Float64Array.of(1),
    work,
    after: new Float64Array(1),
    firstChild: new Int32Array(2),
    children: new Int32Array(0),
    stage: new Int32Array(0),
  }
}

/** What comes to a service when nothing is wrong. */
export interface ServiceLoad {
  readonly visitsPerSecond: number
  /** [R] of a visit, in the mean. */
  readonly work: Float64Array
}

/** The usual load of each service. */
export function usualLoads(graph: ServiceGraph, plans: readonly Plan[]): ServiceLoad[] {
  const visitsPerSecond = new Float64Array(graph.services.length)
  const work = graph.services.map(() => new Float64Array(RESOURCE_COUNT))
  for (const [type, plan] of plans.entries()) {
    for (let visit = 0; visit < plan.size; visit++) {
      const service = plan.service[visit]!
      const rate = plan.reach[visit]! * graph.requests[type]!.ratePerSecond
      visitsPerSecond[service]! += rate
      for (let r = 0; r < RESOURCE_COUNT; r++) work[service]![r]! += rate * plan.work[visit * RESOURCE_COUNT + r]!
    }
  }
  for (const [service, vector] of work.entries())
    for (let r = 0; r < RESOURCE_COUNT; r++) vector[r]! /= visitsPerSecond[service]! || 1
  return work.map((vector, service) => ({ visitsPerSecond: visitsPerSecond[service]!, work: vector }))
}
