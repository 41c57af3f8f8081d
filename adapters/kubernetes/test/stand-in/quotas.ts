// ResourceQuotas: what a namespace's pods use, and which new or larger pod would be too much.
import { formatCpu, formatMemory } from '../../src/index.js'
import { parseQuantity } from '../../src/quantity.js'
import { totalOf } from './amounts.js'
import type { Stored } from './objects.js'
import { StatusError } from './status-error.js'
import type { Store } from './store.js'

type Used = Readonly<Record<string, number>>

const FORMAT: Readonly<Record<string, (amount: number) => string>> = {
  'requests.cpu': formatCpu,
  'requests.memory': formatMemory,
  pods: String,
}

const usedBy = (pod: Stored | undefined): Used => {
  if (pod === undefined) return { pods: 0, 'requests.cpu': 0, 'requests.memory': 0 }
  const { cpu, memory } = totalOf(pod)
  return { pods: 1, 'requests.cpu': cpu, 'requests.memory': memory }
}

/** Counted are pods that have not ended; those that are going count until they have gone. */
function usedIn(store: Store, namespace: string | undefined): Used {
  const counted = store
    .list('/pods', namespace)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .map(usedBy)
  return Object.fromEntries(
    Object.keys(FORMAT).map((name) => [name, counted.reduce((sum, used) => sum + used[name]!, 0)]),
  )
}

/** What stands in the status of a quota: `hard` as asked for, and what is `used` of it. */
export function quotaStatus(store: Store, { metadata, spec }: Stored): { hard: object; used: object } {
  const hard = (spec?.hard ?? {}) as Record<string, string>
  const used = usedIn(store, metadata.namespace)
  const said = Object.keys(hard).flatMap((name) => (FORMAT[name] ? [[name, FORMAT[name](used[name]!)]] : []))
  return { hard, used: Object.fromEntries(said) }
}

/** @throws StatusError 403 where a quota does not allow the pod, as large as it would be */
export function requireQuota(store: Store, pod: Stored, before: Stored | undefined): void {
  const { namespace, name } = pod.metadata
  const [now, then] = [usedBy(before), usedBy(pod)]
  for (const quota of store.list('/resourcequotas', namespace)) {
    const used = usedIn(store, namespace)
    for (const [resource, limit] of Object.entries((quota.spec?.hard ?? {}) as Record<string, string>)) {
      const format = FORMAT[resource]
      const more = (then[resource] ?? 0) - (now[resource] ?? 0)
      if (format === undefined || more <= 0 || used[resource]! + more <= parseQuantity(limit) + 1e-9) continue
      const said = `requested: ${resource}=${format(more)}, used: ${resource}=${format(used[resource]!)}, limited: ${resource}=${limit}`
      const message = `pods "${name}" is forbidden: exceeded quota: ${quota.metadata.name}, ${said}`
      throw new StatusError(403, 'Forbidden', message, { name, kind: 'pods' })
    }
  }
}
