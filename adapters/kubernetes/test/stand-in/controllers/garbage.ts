// What belongs to something that is gone goes too: dependents of owners, objects of namespaces, objects of custom kinds.
import type { Registry } from '../registry.js'
import type { Change } from '../store.js'

export function collectGarbage(registry: Registry, { type, collection, object }: Change): void {
  if (type !== 'DELETED') return
  for (const kind of registry.kinds) {
    const contents =
      collection === '/namespaces' && kind.isNamespaced
        ? registry.store.list(kind.collection, object.metadata.name)
        : []
    for (const content of contents) registry.store.delete(kind.collection, content)
    for (const { metadata } of registry.store.list(kind.collection, object.metadata.namespace)) {
      const owners = metadata.ownerReferences ?? []
      if (owners.some(({ uid }) => uid === object.metadata.uid))
        registry.delete(kind, metadata.namespace, metadata.name)
    }
  }
  if (collection !== 'apiextensions.k8s.io/customresourcedefinitions') return
  const { group, names } = object.spec as { group: string; names: { plural: string } }
  const custom = `${group}/${names.plural}`
  for (const content of registry.store.list(custom)) registry.store.delete(custom, content)
}
