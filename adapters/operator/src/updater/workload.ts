// A workload as one pass finds it: how many pods it should have, which live, and which of them are ready.
import type { ApiResource, KubernetesObject, ObjectRef, PodObject, Scale, StringMap } from '@trimtab/kubernetes'
import type { ResourceAmounts, SizedContainer } from '@trimtab/tasks/vpa'
import { resized, type Sizes, toAmounts } from '../sizes.js'

/** One of them. */
export interface Workload {
  readonly resource: ApiResource<KubernetesObject>
  readonly ref: ObjectRef & { readonly namespace: string }
  readonly scale: Scale
  /** Pods that its owner wants. */
  readonly replicas: number
  /** Those that are there and not going. */
  readonly live: readonly PodObject[]
  /** Of these, those that do not serve. */
  readonly unready: readonly PodObject[]
  /** As many as wanted, all of them ready. */
  readonly isWhole: boolean
}

/** @param leaving  uids of pods that were evicted, whatever the copy of the cluster still shows */
export function toWorkload(
  of: Pick<Workload, 'resource' | 'ref' | 'scale'>,
  pods: readonly PodObject[],
  leaving: ReadonlySet<string>,
): Workload {
  const live = pods.filter(
    ({ metadata, status }) =>
      !metadata?.deletionTimestamp &&
      !leaving.has(metadata?.uid ?? '') &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  )
  const unready = live.filter((pod) => !isReady(pod))
  const replicas = of.scale.spec?.replicas ?? 0
  return { ...of, replicas, live, unready, isWhole: live.length === replicas && unready.length === 0 }
}

const isReady = ({ status }: PodObject): boolean =>
  (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True')

/** Name and namespace of a pod. */
export const refOf = ({ metadata }: PodObject): ObjectRef => ({
  namespace: metadata!.namespace!,
  name: metadata!.name!,
})

/** What the containers of pods request now: of each, the most that any of them does. */
export function sizesOf(pods: readonly PodObject[]): Sizes {
  const sizes = new Map<string, ResourceAmounts>()
  for (const { name, resources } of pods.flatMap(({ spec }) => spec?.containers ?? [])) {
    const [own, before = {}] = [toAmounts(resources?.requests), sizes.get(name)]
    sizes.set(name, {
      ...most('cpuMilli', own, before),
      ...most('memoryBytes', own, before),
    })
  }
  return sizes
}

function most(of: keyof ResourceAmounts, a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  const amount = Math.max(a[of] ?? Number.NEGATIVE_INFINITY, b[of] ?? Number.NEGATIVE_INFINITY)
  return Number.isFinite(amount) ? { [of]: amount } : {}
}

/** Whether a pod requests just these sizes, as far as it has the containers. */
export const isAt = ({ spec }: PodObject, sizes: Sizes): boolean =>
  (spec?.containers ?? []).every((container) => {
    const amounts = sizes.get(container.name)
    return amounts === undefined || isSameResources(resized(container, amounts).requests, container.resources?.requests)
  })

/** The same quantities, however they are written. */
function isSameResources(a: StringMap = {}, b: StringMap = {}): boolean {
  const [one, other] = [toAmounts(a), toAmounts(b)]
  return one.cpuMilli === other.cpuMilli && one.memoryBytes === other.memoryBytes
}

/** Requests of containers in a pod, and what they are to be, for the order of updates. */
export const sizedContainers = ({ spec }: PodObject, sizes: Sizes): SizedContainer[] =>
  (spec?.containers ?? []).flatMap(({ name, resources }) => {
    const target = sizes.get(name)
    return target === undefined ? [] : [{ request: toAmounts(resources?.requests), recommendation: { target } }]
  })
