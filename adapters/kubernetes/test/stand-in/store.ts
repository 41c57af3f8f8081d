// What etcd is to a cluster: objects, one revision for all of them, and a history that is forgotten at some point.
import { isSame, type Stored } from './objects.js'

export interface Change {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** `apps/deployments`, whatever the version. */
  readonly collection: string
  readonly object: Stored
  readonly before: Stored | undefined
}

const keyOf = (collection: string, namespace: string | undefined, name: string): string =>
  `${collection}//${namespace ?? ''}/${name}`

export class Store {
  revision = 100
  /** Watches from before this are refused with 410. */
  oldestRevision = 100
  readonly #objects = new Map<string, Stored>()
  readonly #listeners = new Set<(change: Change) => void>()
  #history: Change[] = []

  get(collection: string, namespace: string | undefined, name: string): Stored | undefined {
    return this.#objects.get(keyOf(collection, namespace, name))
  }

  /** In the order of keys, as etcd has it. */
  list(collection: string, namespace?: string): Stored[] {
    const prefix = namespace === undefined ? `${collection}//` : `${collection}//${namespace}/`
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    return keys.map((key) => this.#objects.get(key)!)
  }

  /** Writes what has changed and tells; an object that says the same as before stays as it is, with its resourceVersion. */
  put(collection: string, object: Stored): Stored {
    const key = keyOf(collection, object.metadata.namespace, object.metadata.name)
    const before = this.#objects.get(key)
    if (before && isSame(withoutTimes(before), withoutTimes(object))) return before
    const revision = ++this.revision
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
    this.#objects.set(key, stored)
    this.#tell({ revision, type: before ? 'MODIFIED' : 'ADDED', collection, object: stored, before })
    return stored
  }

  delete(collection: string, { metadata }: Stored): Stored | undefined {
    const key = keyOf(collection, metadata.namespace, metadata.name)
    const before = this.#objects.get(key)
    if (!before) return undefined
    this.#objects.delete(key)
    const revision = ++this.revision
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } }
    this.#tell({ revision, type: 'DELETED', collection, object, before })
    return object
  }

  /** Changes after a revision that is not forgotten. */
  since(revision: number): readonly Change[] {
    return this.#history.filter((change) => change.revision > revision)
  }

  /** Forgets the history: who watches from an earlier revision gets 410 from then on. */
  compact(): void {
    this.#history = []
    this.oldestRevision = this.revision
  }

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(change: Change): void {
    this.#history.push(change)
    for (const listener of [...this.#listeners]) listener(change)
  }
}

/** A write that changes nothing but its own time and version is none. */
function withoutTimes(object: Stored): Stored {
  const { resourceVersion: _, managedFields, ...rest } = object.metadata
  const managers = managedFields?.map(({ time: _time, ...entry }) => entry)
  return { ...object, metadata: { ...rest, resourceVersion: '', managedFields: managers } } as Stored
}
