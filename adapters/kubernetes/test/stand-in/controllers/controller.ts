// What every controller of the stand-in stands on: it writes as the control plane, and looks again whenever something has changed.

import type { Kind } from '../kinds.js'
import type { Fields, Stored } from '../objects.js'
import type { Registry, Writer } from '../registry.js'
import { StatusError } from '../status-error.js'

export const SYSTEM: Writer = {
  user: { name: 'system:control-plane', groups: ['system:masters'] },
  manager: 'control-plane',
}

export const kindOf = (registry: Registry, plural: string): Kind =>
  registry.kinds.find((kind) => kind.plural === plural)!

/** Changes the status of an object that may have gone meanwhile. */
export async function setStatus(
  registry: Registry,
  plural: string,
  { metadata }: Stored,
  status: Fields,
): Promise<void> {
  const kind = kindOf(registry, plural)
  const isThere = registry.store.get(kind.collection, metadata.namespace, metadata.name)?.metadata.uid === metadata.uid
  if (!isThere) return
  const next = (live: Stored): Stored => ({ ...live, status: { ...live.status, ...status } })
  await registry.change(kind, metadata.namespace, metadata.name, next, { ...SYSTEM, subresource: 'status' })
}

/** Pods, replica sets and the like that an object made. */
export const ownedBy = (objects: readonly Stored[], { metadata }: Stored): Stored[] =>
  objects.filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ uid }) => uid === metadata.uid))

export const ownerReference = ({ apiVersion, kind, metadata }: Stored): object => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

/** An object that has gone meanwhile, or a webhook that refuses: the next change is looked at all the same. */
export async function unlessRefused(registry: Registry, work: () => unknown): Promise<void> {
  registry.controllersAtWork++
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
  } finally {
    registry.controllersAtWork--
  }
}

/** Runs `reconcile` after changes, never twice at once; changes that come meanwhile make it run again. */
export function onChange(
  registry: Registry,
  isConcerned: (collection: string) => boolean,
  reconcile: () => Promise<void>,
): () => void {
  let isDue = false
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isDue) {
      isDue = false
      await unlessRefused(registry, reconcile)
    }
    isRunning = false
  }
  return registry.store.listen(({ collection }) => {
    if (!isConcerned(collection)) return
    isDue = true
    if (!isRunning) queueMicrotask(() => isRunning || void run())
  })
}
