import { type Anomaly, STRONGEST } from './anomaly.js'
import type { Campaign } from './campaign.js'
import { type ServiceGraph, serviceNumber } from './graph.js'
import { paceOf } from './instance.js'
import type { ServiceLoad } from './plan.js'
import { numbersOf } from './resources.js'

/** Where the requests of a workload anomaly go and how many come at its peak. */
export interface Surge {
  readonly anomaly: Anomaly
  /** Place of the anomaly in its campaign. */
  readonly index: number
  /** Type of request, or the number of types plus the number of a service that is called directly. */
  readonly plan: number
  /** −1: any. */
  readonly replica: number
  readonly ratePerSecond: number
}

export function surgesOf(graph: ServiceGraph, loads: readonly ServiceLoad[], campaign: Campaign): Surge[] {
  return campaign.anomalies.flatMap((anomaly, index): Surge[] => {
    const { kind, target, intensity } = anomaly
    if (kind !== 'workload' || intensity === 0) return []
    if ('request' in target) {
      const plan = graph.requests.findIndex(({ name }) => name === target.request)
      const ratePerSecond = STRONGEST.frontDoor * intensity * graph.requests[plan]!.ratePerSecond
      return [{ anomaly, index, plan, replica: -1, ratePerSecond }]
    }
    const number = serviceNumber(graph, target.service)
    const replicas = target.replica === undefined ? graph.services[number]!.replicas : 1
    const ratePerSecond = STRONGEST.surge * intensity * replicas * replicaCapacity(graph, loads, number)
    return [{ anomaly, index, plan: graph.requests.length + number, replica: target.replica ?? -1, ratePerSecond }]
  })
}

/** Visits a second that a replica of a service can serve at most, undisturbed; 0 where nobody calls the service. */
export function replicaCapacity(graph: ServiceGraph, loads: readonly ServiceLoad[], number: number): number {
  const { workers, grant } = graph.services[number]!
  const pace = paceOf(numbersOf(grant), workers)
  const serviceUs = loads[number]!.work.reduce((sum, work, r) => sum + work * pace[r]!, 0)
  return serviceUs > 0 ? (1e6 * workers) / serviceUs : 0
}
