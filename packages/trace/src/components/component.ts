import type { Core } from '@trimtab/core'
import type { InstanceProfile, Profile } from '../profile/index.js'
import { type CongestionIntensity, congestionIntensity, correlationEstimate, type Estimate } from './estimate.js'

/** What a window says about one service instance; Algorithm 3.2's T_i is its own time on the critical path of a request. */
export interface Component {
  readonly service: string
  /** Empty where spans name none. */
  readonly instance: string
  /** Whether any request waited for it. If none did, its times are those of its own work in the background. */
  readonly isOnPath: boolean
  /** Requests it took part in. */
  readonly requests: number
  /** Its part of all latency, 0 … 1. */
  readonly share: number
  /** The part of the variance of latency that it explains; over all components, these sum to 1. */
  readonly varianceShare: number
  /** RI: Pearson's correlation of T_i and T_CP. */
  readonly relativeImportance: Estimate
  /** CI: p99(T_i) over p50(T_i); undefined where the median is 0. */
  readonly congestionIntensity: CongestionIntensity | undefined
  /** Against the reference; undefined without one or where the reference does not know the component. */
  readonly change: ComponentChange | undefined
  readonly profile: InstanceProfile
}

/** How a component's own time per request differs from the reference; 1 is no change. */
export interface ComponentChange {
  readonly median: number
  readonly p99: number
  readonly mean: number
  /** Added time on the path, as a part of all that was added in the window; 0 where it got faster. */
  readonly addedShare: number
  /** Requests of the reference it took part in. */
  readonly referenceRequests: number
}

/**
 * Measures every component of a window.
 * @param reference  what is usual: the same application when it was well
 */
export function measureComponents(core: Core, window: Profile, reference?: Profile): Component[] {
  const key = ({ service, instance }: InstanceProfile): string => JSON.stringify([service, instance])
  const usual = new Map(reference?.instances().map((instance) => [key(instance), instance]))
  const instances = window.instances()
  const added = instances.map((instance) => Math.max(0, instance.meanNs - (usual.get(key(instance))?.meanNs ?? 0)))
  const totalAdded = added.reduce((sum, ns) => sum + ns, 0)
  return instances.map((instance, i) => {
    const before = usual.get(key(instance))
    const isOnPath = instance.onPathRequests > 0
    return {
      service: instance.service,
      instance: instance.instance,
      isOnPath,
      requests: instance.requests,
      share: instance.share,
      varianceShare: instance.varianceShare,
      relativeImportance: correlationEstimate(core, instance.relativeImportance, window.traces),
      congestionIntensity: congestionIntensity(isOnPath ? instance.self : instance.own),
      change: before && changeOf(instance, before, totalAdded > 0 ? added[i]! / totalAdded : 0),
      profile: instance,
    }
  })
}

function changeOf(now: InstanceProfile, before: InstanceProfile, addedShare: number): ComponentChange | undefined {
  if (now.requests === 0 || before.requests === 0) return undefined
  const ratio = (a: number, b: number): number => Math.max(1, a) / Math.max(1, b) // 1 ns, the clock's last digit
  return {
    median: ratio(now.own.quantile(0.5), before.own.quantile(0.5)),
    p99: ratio(now.own.quantile(0.99), before.own.quantile(0.99)),
    mean: ratio(now.own.meanNs, before.own.meanNs),
    addedShare,
    referenceRequests: before.requests,
  }
}
