import {
  hasCode,
  type KubernetesClient,
  type ObjectRef,
  type OwnerReference,
  type PodObject,
  REPLICA_SETS,
} from '@trimtab/kubernetes'

const MOST_KNOWN = 20_000

/** Whose pods are whose: up the chain of controllers, pod → ReplicaSet → Deployment. Each ReplicaSet is asked for once. */
export class Owners {
  readonly #client: KubernetesClient
  /** By uid of a ReplicaSet, the oldest first: its controller, or itself. */
  readonly #known = new Map<string, OwnerReference>()

  constructor(client: KubernetesClient) {
    this.#client = client
  }

  /**
   * The workload of a pod; undefined: it has none, or one that has gone.
   * @throws as every method of the client
   */
  async workloadOf({ metadata }: PodObject, signal?: AbortSignal): Promise<OwnerReference | undefined> {
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller)
    if (owner?.kind !== 'ReplicaSet') return owner
    const known = this.#known.get(owner.uid)
    if (known) return known
    const above = await this.#above(owner, { namespace: metadata!.namespace!, name: owner.name }, signal)
    if (above === undefined) return undefined
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(owner.uid, above)
    return above
  }

  async #above(
    owner: OwnerReference,
    ref: ObjectRef,
    signal: AbortSignal | undefined,
  ): Promise<OwnerReference | undefined> {
    try {
      const { metadata } = await this.#client.get(REPLICA_SETS, ref, { signal })
      if (metadata?.uid !== owner.uid) return undefined
      return metadata.ownerReferences?.find(({ controller }) => controller) ?? owner
    } catch (error) {
      if (hasCode(error, 'api_not_found')) return undefined
      throw error
    }
  }
}
