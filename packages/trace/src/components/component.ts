import type { TraceCore } from '@trimtab/core/trace'
import type { EndpointProfile, InstanceProfile, Profile } from '../profile/index.js'
import { type CongestionIntensity, congestionIntensity, correlationEstimate, type Estimate } from './estimate.js'

/**
 * What a window says about one service instance; Algorithm 3.2's T_i is the time that the critical path of a request spends in
 * its work and on the way to it, as its callers see it: most of what varies may be the queue in front of it.
 */
export interface Component {
  readonly service: string
  /** Empty where spans name none. */
  readonly instance: string
  /** Whether any request waited for it. If none did, its times are those of what it does in the background. */
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
  /** What it is to the endpoint that it matters most to. */
  readonly inEndpoint: EndpointRole
  /** Against the reference; undefined without one or where the reference does not know the service. */
  readonly change: ComponentChange | undefined
}

/** Largest figures over the endpoints it serves: what is a trifle to all requests together may be everything to some. */
export interface EndpointRole {
  /** RI among the requests of the endpoint. */
  readonly relativeImportance: number
  /** Its part of the variance of the endpoint's latency. */
  readonly varianceShare: number
  /** Its own p99 over that of the endpoint's latency. */
  readonly tailPart: number
}

/** How a component's time per request differs from the reference; 1 is no change. */
export interface ComponentChange {
  readonly median: number
  readonly p99: number
  readonly mean: number
  /** Added time on the path, as a part of all that was added in the window; 0 where it got faster. */
  readonly addedShare: number
  /** By how much its p99 on the path grew, over the p99 latency of the reference; largest over endpoints, at least 0. */
  readonly addedTail: number
  /** Requests of the reference it took part in. */
  readonly referenceRequests: number
}

/**
 * Measures every component of a window.
 * @param reference  what is usual: the same application when it was well
 */
export function measureComponents(core: TraceCore, window: Profile, reference?: Profile): Component[] {
  const usual = new Usual(reference)
  const endpoints = endpointsOf(window)
  const usualEndpoints = endpointsOf(reference)
  const instances = window.instances()
  const added = instances.map((instance) => usual.addedNs(instance, window.traces))
  const totalAdded = added.reduce((sum, ns) => sum + ns, 0)
  return instances.map((instance, i) => {
    const before = usual.of(instance)
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
      inEndpoint: roleOf(instance, endpoints),
      change: before && {
        ...growthOf(instance, before),
        addedShare: totalAdded > 0 ? added[i]! / totalAdded : 0,
        addedTail: addedTailOf(instance, before, usualEndpoints),
      },
    }
  })
}

/** What the reference knows: of an instance, or, where pods were replaced since, of the busiest of its service. */
class Usual {
  readonly #instances = new Map<string, InstanceProfile>()
  readonly #busiest = new Map<string, InstanceProfile>()

  constructor(reference: Profile | undefined) {
    for (const instance of reference?.instances() ?? []) {
      this.#instances.set(keyOf(instance), instance)
      const other = this.#busiest.get(instance.service)
      if (!other || instance.requests > other.requests) this.#busiest.set(instance.service, instance)
    }
  }

  of(instance: InstanceProfile): InstanceProfile | undefined {
    return this.#instances.get(keyOf(instance)) ?? this.#busiest.get(instance.service)
  }

  /** Time on the path per request of the window beyond what is usual; at least 0. */
  addedNs(instance: InstanceProfile, requests: number): number {
    const same = this.#instances.get(keyOf(instance))
    if (same) return Math.max(0, instance.meanNs - same.meanNs)
    const self = this.#busiest.get(instance.service)?.self
    const usualNs = self && self.count > 0 ? (self.meanNs * instance.onPathRequests) / requests : 0
    return Math.max(0, instance.meanNs - usualNs)
  }
}

const keyOf = ({ service, instance }: InstanceProfile): string => JSON.stringify([service, instance])

const endpointKey = ({ service, operation }: { readonly service: string; readonly operation: string }): string =>
  JSON.stringify([service, operation])

interface Endpoint {
  readonly p99Ns: number
  /** Σ of squared distances of latencies from their mean. */
  readonly scatter: number
}

interface Endpoints {
  readonly byKey: ReadonlyMap<string, Endpoint>
  /** Of all endpoints together. */
  readonly scatter: number
}

function endpointsOf(profile: Profile | undefined): Endpoints {
  const scatterOf = ({ requests, latency }: EndpointProfile): number =>
    requests > 1 ? latency.varianceNs2 * (requests - 1) : 0
  const endpoints = (profile?.endpoints() ?? []).map(
    (endpoint) =>
      [endpointKey(endpoint), { p99Ns: endpoint.latency.quantile(0.99), scatter: scatterOf(endpoint) }] as const,
  )
  return { byKey: new Map(endpoints), scatter: endpoints.reduce((sum, [, { scatter }]) => sum + scatter, 0) }
}

function roleOf(instance: InstanceProfile, { byKey, scatter: total }: Endpoints): EndpointRole {
  let [relativeImportance, varianceShare, tailPart] = [0, 0, 0]
  for (const { endpoint, cell: part } of instance.byEndpoint()) {
    const known = byKey.get(endpointKey(endpoint))
    if (!known || part.onPathRequests === 0) continue
    relativeImportance = Math.max(relativeImportance, part.relativeImportance)
    if (known.scatter > 0) varianceShare = Math.max(varianceShare, (part.varianceShare * total) / known.scatter)
    if (known.p99Ns > 0) tailPart = Math.max(tailPart, part.self.quantile(0.99) / known.p99Ns)
  }
  return { relativeImportance, varianceShare, tailPart }
}

function growthOf(
  now: InstanceProfile,
  before: InstanceProfile,
): Pick<ComponentChange, 'median' | 'p99' | 'mean' | 'referenceRequests'> {
  const ratio = (a: number, b: number): number => Math.max(1, a) / Math.max(1, b) // 1 ns, the clock's last digit
  return {
    median: ratio(now.own.quantile(0.5), before.own.quantile(0.5)),
    p99: ratio(now.own.quantile(0.99), before.own.quantile(0.99)),
    mean: ratio(now.own.meanNs, before.own.meanNs),
    referenceRequests: before.requests,
  }
}

function addedTailOf(now: InstanceProfile, before: InstanceProfile, { byKey }: Endpoints): number {
  const p99 = ({ self }: InstanceProfile): number => (self.count > 0 ? self.quantile(0.99) : 0)
  const usual = new Map(before.byEndpoint().map(({ endpoint, cell }) => [endpointKey(endpoint), p99(cell)]))
  let largest = 0
  for (const { endpoint, cell } of now.byEndpoint()) {
    const latency = byKey.get(endpointKey(endpoint))?.p99Ns ?? 0
    if (latency > 0) largest = Math.max(largest, (p99(cell) - (usual.get(endpointKey(endpoint)) ?? 0)) / latency)
  }
  return largest
}
