// From PERMISSIONS to what RBAC knows: a service account a part, its roles, and who is bound to them where.
import { nameOf, type OperatorPart } from '../names.js'
import { type ManifestObject, manifest } from './object.js'
import type { InstallSettings } from './options.js'
import { PERMISSIONS, type Scope } from './permissions.js'

const RBAC = 'rbac.authorization.k8s.io/v1'

/** The account of a part, and what it may do. */
export function roles(part: OperatorPart, { namespace, watchedNamespaces }: InstallSettings): ManifestObject[] {
  const name = nameOf(part)
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const role = (kind: string, at: { name: string; namespace?: string }, scope: Scope): ManifestObject =>
    manifest(RBAC, kind, { ...at, part }, { rules: rulesOf(part, scope) })
  const binding = (kind: string, at: { name: string; namespace?: string }, of: string): ManifestObject => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: of, name: at.name }
    return manifest(RBAC, kind, { ...at, part }, { roleRef, subjects })
  }
  const everywhere = watchedNamespaces.length === 0
  const clusterName = `${name}-cluster`
  const needsCluster = rulesOf(part, 'cluster').length > 0
  return [
    manifest('v1', 'ServiceAccount', { name, namespace, part }, {}),
    role('ClusterRole', { name }, 'watched'),
    ...(everywhere ? [binding('ClusterRoleBinding', { name }, 'ClusterRole')] : []),
    ...watchedNamespaces.map((watched) => binding('RoleBinding', { name, namespace: watched }, 'ClusterRole')),
    ...(needsCluster
      ? [
          role('ClusterRole', { name: clusterName }, 'cluster'),
          binding('ClusterRoleBinding', { name: clusterName }, 'ClusterRole'),
        ]
      : []),
    role('Role', { name: `${name}-own`, namespace }, 'own'),
    binding('RoleBinding', { name: `${name}-own`, namespace }, 'Role'),
  ]
}

const rulesOf = (part: OperatorPart, scope: Scope): object[] =>
  PERMISSIONS[part]
    .filter((permission) => permission.scope === scope)
    .map(({ group, resources, verbs, names }) => ({
      apiGroups: [group],
      resources,
      verbs,
      ...(names && { resourceNames: names }),
    }))

const AUTOSCALERS = { apiGroups: ['trimtab.dev'], resources: ['multidimpodautoscalers'] }
const READS = ['get', 'list', 'watch']

/** What people may do with autoscalers: who may see a namespace sees them, who may edit it edits them. */
export function userRoles(): ManifestObject[] {
  const aggregated = (role: string, verbs: readonly string[], to: readonly string[]): ManifestObject => {
    const labels = Object.fromEntries(to.map((name) => [`rbac.authorization.k8s.io/aggregate-to-${name}`, 'true']))
    return manifest(RBAC, 'ClusterRole', { name: `trimtab-${role}`, labels }, { rules: [{ ...AUTOSCALERS, verbs }] })
  }
  return [
    aggregated('view', READS, ['view']),
    aggregated('edit', [...READS, 'create', 'update', 'patch', 'delete'], ['edit', 'admin']),
  ]
}
