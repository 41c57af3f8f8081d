import type { Informer, PodObject } from '@trimtab/kubernetes'
import type { Owners } from '../owners.js'

/** The pods of workloads, as one pass sees them; a namespace is sorted when it is first asked for. */
export class PodIndex {
  readonly #pods: Informer<PodObject>
  readonly #owners: Owners
  readonly #signal: AbortSignal
  readonly #byWorkload = new Map<string, Promise<ReadonlyMap<string, readonly PodObject[]>>>()
  #byNamespace: ReadonlyMap<string, readonly PodObject[]> | undefined

  constructor(pods: Informer<PodObject>, owners: Owners, signal: AbortSignal) {
    this.#pods = pods
    this.#owners = owners
    this.#signal = signal
  }

  /** Pods of the workload with this uid, those that go included. @throws where owners cannot be asked */
  async of(namespace: string, uid: string): Promise<readonly PodObject[]> {
    const sorted = this.#byWorkload.get(namespace) ?? this.#sort(namespace)
    this.#byWorkload.set(namespace, sorted)
    return (await sorted).get(uid) ?? []
  }

  async #sort(namespace: string): Promise<ReadonlyMap<string, readonly PodObject[]>> {
    this.#byNamespace ??= groupBy(this.#pods.values(), ({ metadata }) => metadata?.namespace)
    const owned = new Map<PodObject, string | undefined>()
    for (const pod of this.#byNamespace.get(namespace) ?? [])
      owned.set(pod, (await this.#owners.workloadOf(pod, this.#signal))?.uid)
    return groupBy(owned.keys(), (pod) => owned.get(pod))
  }
}

/** Items by key; those without one are left out. */
function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string | undefined): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
