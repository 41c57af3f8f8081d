// What ResourceQuotas say is in use.
import { isSame } from '../objects.js'
import { quotaStatus } from '../quotas.js'
import type { Registry } from '../registry.js'
import { setStatus } from './controller.js'

export async function reconcileQuotas(registry: Registry): Promise<void> {
  for (const quota of registry.store.list('/resourcequotas')) {
    const status = quotaStatus(registry.store, quota)
    if (!isSame(status, quota.status)) await setStatus(registry, 'resourcequotas', quota, status)
  }
}
