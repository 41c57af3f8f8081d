import { createCore } from '@trimtab/core'
import {
  decideAsStock,
  decideByDemand,
  decideByLocalPolicy,
  type LocalPolicyOptions,
  learnedPolicy,
} from '@trimtab/local'
import type { TenantDecider } from '@trimtab/openwhisk'
import type { Host } from '../host.js'
import { ownReading, readAll } from '../read-file.js'

/** By what functions can be scaled, beside a policy file of one's own. */
export const SCALING_NAMES = ['stock', 'rule', 'learned'] as const

export type Scaling = (typeof SCALING_NAMES)[number]

/** Whether it is one of these, and no file. */
export const isScaling = (name: string): name is Scaling => SCALING_NAMES.some((one) => one === name)

/** What a policy meets, whichever it is. */
export type PolicySite = Omit<LocalPolicyOptions, 'policy'>

/**
 * Who decides, by name or by a policy file.
 * @throws what reading a file says; {FormatError} it is no policy for this
 */
export async function createDecider(scaling: string, site: PolicySite, host: Host): Promise<TenantDecider> {
  if (scaling === 'stock') return decideAsStock()
  if (scaling === 'rule') return decideByDemand()
  const policy = scaling === 'learned' ? learnedPolicy() : await readAll(scaling, ownReading(host))
  return decideByLocalPolicy(await createCore(), { ...site, policy })
}
