// Roles for service accounts, as an administrator gives them.
import { kindOf, SYSTEM } from './stand-in/controllers/controller.js'
import type { StandIn } from './stand-in/index.js'

export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
}

/** Lets a service account do this in every namespace. */
export async function grant(
  { registry }: StandIn,
  namespace: string,
  account: string,
  rules: readonly Rule[],
): Promise<void> {
  const metadata = { name: account }
  await registry.create(kindOf(registry, 'clusterroles'), undefined, { metadata, rules }, SYSTEM)
  const binding = {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account },
    subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
  }
  await registry.create(kindOf(registry, 'clusterrolebindings'), undefined, binding, SYSTEM)
}
