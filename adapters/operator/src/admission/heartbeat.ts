import { hasCode, LEASES } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import { nameOf } from '../names.js'

/**
 * Says that new pods are being sized: renews the lease on which the updater looks before it evicts. All replicas that serve renew the same one.
 * @throws as every method of the client
 */
export async function renewHeartbeat(
  { client, namespace, clock }: OperatorContext,
  { identity, leaseSeconds }: { readonly identity: string; readonly leaseSeconds: number },
  signal: AbortSignal,
): Promise<void> {
  const ref = { namespace, name: nameOf('admission') }
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z') // microseconds, as the field wants them
  const spec = { holderIdentity: identity, leaseDurationSeconds: leaseSeconds, renewTime }
  try {
    const lease = await client.get(LEASES, ref, { signal })
    await client.replace(LEASES, { ...lease, spec: { ...lease.spec, ...spec } }, { signal })
  } catch (error) {
    if (hasCode(error, 'api_conflict')) return // another replica has just renewed it
    if (!hasCode(error, 'api_not_found')) throw error
    await client
      .create(LEASES, { metadata: ref, spec: { ...spec, acquireTime: renewTime } }, { signal })
      .catch((made) => {
        if (!hasCode(made, 'api_already_exists')) throw made
      })
  }
}
