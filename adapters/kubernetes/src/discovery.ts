import type { CallOptions, KubernetesClient } from './client.js'
import { hasCode } from './errors.js'

/** What this cluster can, where clusters from 1.20 on differ. */
export interface Capabilities {
  /** `v1.32.3`, as the server says. */
  readonly version: string
  /** In which version evictions are asked for; undefined: not at all. */
  readonly eviction: 'policy/v1' | 'policy/v1beta1' | undefined
  readonly disruptionBudgets: 'policy/v1' | 'policy/v1beta1' | undefined
  readonly horizontalAutoscalers: 'autoscaling/v2' | 'autoscaling/v2beta2' | undefined
  /** VerticalPodAutoscalers, where somebody has installed them. */
  readonly verticalAutoscalers: 'autoscaling.k8s.io/v1' | undefined
  /** Containers are resized in place (`pods/resize`, from 1.32 on); elsewhere pods are evicted. */
  readonly canResizeInPlace: boolean
  /** Somebody serves `metrics.k8s.io`. */
  readonly hasPodMetrics: boolean
}

interface ApiResources {
  readonly resources: readonly { readonly name: string; readonly group?: string; readonly version?: string }[]
}

interface ApiGroups {
  readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly groupVersion: string }[] }[]
}

/**
 * Asks the server what it has, once; four requests.
 * @throws as every method of the client
 */
export async function discoverCapabilities(client: KubernetesClient, options: CallOptions = {}): Promise<Capabilities> {
  const get = <T>(path: string): Promise<T> => client.request({ method: 'GET', path, signal: options.signal })
  const { gitVersion } = await get<{ gitVersion: string }>('/version')
  const { groups } = await get<ApiGroups>('/apis')
  const { resources } = await get<ApiResources>('/api/v1')
  const served = new Set(groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion)))
  const evictions = resources.find(({ name }) => name === 'pods/eviction')
  return {
    version: gitVersion,
    eviction: firstOf(
      ['policy/v1', 'policy/v1beta1'],
      (version) => version === `${evictions?.group}/${evictions?.version}`,
    ),
    disruptionBudgets: await firstServing(get, served, 'poddisruptionbudgets', ['policy/v1', 'policy/v1beta1']),
    horizontalAutoscalers: firstOf(['autoscaling/v2', 'autoscaling/v2beta2'], (version) => served.has(version)),
    verticalAutoscalers: firstOf(['autoscaling.k8s.io/v1'], (version) => served.has(version)),
    canResizeInPlace: resources.some(({ name }) => name === 'pods/resize'),
    hasPodMetrics: groups.some(({ name }) => name === 'metrics.k8s.io'),
  }
}

const firstOf = <T>(candidates: readonly T[], holds: (candidate: T) => boolean): T | undefined => candidates.find(holds)

/** The first version that serves the kind: a group may be there without it. */
async function firstServing<T extends string>(
  get: <A>(path: string) => Promise<A>,
  served: ReadonlySet<string>,
  plural: string,
  versions: readonly T[],
): Promise<T | undefined> {
  for (const version of versions) {
    if (!served.has(version)) continue
    try {
      const { resources } = await get<ApiResources>(`/apis/${version}`)
      if (resources.some(({ name }) => name === plural)) return version
    } catch (error) {
      if (!hasCode(error, 'api_not_found')) throw error
    }
  }
  return undefined
}
