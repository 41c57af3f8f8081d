import type { Informer, PodObject } from '@trimtab/kubernetes'

/** A workload, by name. */
export interface WorkloadRef {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

const NO_PODS: ReadonlyMap<string, PodObject> = new Map()

/**
 * The pods of each workload, kept up to date by an informer. A pod belongs to who controls it; a ReplicaSet that a Deployment made is named
 * after it and the hash of its template, so that ReplicaSets need not be followed. What labels select and another controls is not counted.
 */
export class PodIndex {
  readonly #pods = new Map<string, Map<string, PodObject>>()
  readonly #end: () => void

  constructor(pods: Pick<Informer<PodObject>, 'listen'>) {
    this.#end = pods.listen({
      onChange: ({ type, object }) => {
        for (const key of keysOf(object)) {
          if (type === 'deleted') this.#drop(key, object)
          else this.#put(key, object)
        }
      },
    })
  }

  /** Those that there are, whatever their phase. */
  podsOf({ namespace, kind, name }: WorkloadRef): Iterable<PodObject> {
    return (this.#pods.get(`${namespace}/${kind}/${name}`) ?? NO_PODS).values()
  }

  /** Stops following. */
  dispose(): void {
    this.#end()
  }

  #put(key: string, pod: PodObject): void {
    const pods = this.#pods.get(key)
    if (pods) pods.set(pod.metadata!.name!, pod)
    else this.#pods.set(key, new Map([[pod.metadata!.name!, pod]]))
  }

  #drop(key: string, pod: PodObject): void {
    const pods = this.#pods.get(key)
    pods?.delete(pod.metadata!.name!)
    if (pods?.size === 0) this.#pods.delete(key)
  }
}

/** Its controller, and what made that where it is a ReplicaSet of a template. */
function keysOf({ metadata }: PodObject): string[] {
  const { namespace, labels = {}, ownerReferences = [] } = metadata ?? {}
  const owner = ownerReferences.find(({ controller }) => controller)
  if (owner === undefined) return []
  const keys = [`${namespace}/${owner.kind}/${owner.name}`]
  const hash = labels['pod-template-hash']
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`))
    keys.push(`${namespace}/Deployment/${owner.name.slice(0, -hash.length - 1)}`)
  return keys
}
