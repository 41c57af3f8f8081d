// Who may do what, and why, said once: roles and PERMISSIONS.md are made from this, and a test takes away each verb and sees a part fail.
import { ADMISSION_SECRET, nameOf, type OperatorPart } from '../names.js'

/** What may be done. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch'

/** Where it may be done: in the namespaces that are looked after, on objects of no namespace, or in the operator's own namespace. */
export type Scope = 'watched' | 'cluster' | 'own'

/** Verbs on resources, and what they are for. */
export interface Permission {
  readonly scope: Scope
  /** `''` is the core group. */
  readonly group: string
  /** `pods`, `pods/resize`. */
  readonly resources: readonly string[]
  readonly verbs: readonly Verb[]
  /** Only these objects; left out: all. */
  readonly names?: readonly string[]
  readonly reason: string
}

const permission = (
  scope: Scope,
  group: string,
  resources: string | readonly string[],
  verbs: readonly Verb[],
  reason: string,
  names?: readonly string[],
): Permission => ({ scope, group, resources: [resources].flat(), verbs, reason, ...(names && { names }) })

const AUTOSCALERS = 'multidimpodautoscalers'
const WORKLOADS = ['deployments', 'statefulsets', 'replicasets']
const SCALES = WORKLOADS.map((plural) => `${plural}/scale`)
const LEASE_GROUP = 'coordination.k8s.io'

const FOLLOWS: readonly Permission[] = [
  permission('watched', 'trimtab.dev', AUTOSCALERS, ['list', 'watch'], 'follows the autoscalers'),
  permission('watched', '', 'pods', ['list', 'watch'], 'follows the pods of workloads'),
  permission(
    'watched',
    'autoscaling',
    'horizontalpodautoscalers',
    ['list', 'watch'],
    'sees that an HPA scales the same workload',
  ),
  permission(
    'watched',
    'autoscaling.k8s.io',
    'verticalpodautoscalers',
    ['list', 'watch'],
    'sees that a VPA sizes the same workload',
  ),
]

const reports = (part: OperatorPart): readonly Permission[] => [
  permission(
    'watched',
    'trimtab.dev',
    `${AUTOSCALERS}/status`,
    ['patch'],
    `writes its fields of the status (${nameOf(part)})`,
  ),
  permission('watched', '', 'events', ['create', 'patch'], 'says what happened or did not; repeated ones are counted'),
]

const leads = (part: OperatorPart): readonly Permission[] => [
  permission('own', LEASE_GROUP, 'leases', ['create'], 'makes its lease (a name cannot be asked for when creating)'),
  permission('own', LEASE_GROUP, 'leases', ['get', 'update'], 'reads, renews and gives back its lease', [nameOf(part)]),
]

/** Everything that each part may do: no more than it does. */
export const PERMISSIONS: Readonly<Record<OperatorPart, readonly Permission[]>> = {
  recommender: [
    ...FOLLOWS,
    permission('watched', 'apps', WORKLOADS, ['list', 'watch'], 'follows the workloads: replicas and requests'),
    permission('watched', 'metrics.k8s.io', 'pods', ['list'], 'reads what pods use, once a period'),
    permission('watched', '', 'configmaps', ['get'], 'reads what was learned, and policies of your own'),
    permission('watched', '', 'configmaps', ['create', 'patch'], 'keeps what was learned beside each autoscaler'),
    ...reports('recommender'),
    ...leads('recommender'),
  ],
  updater: [
    ...FOLLOWS,
    permission('watched', 'apps', SCALES, ['get', 'patch'], 'reads and sets replicas'),
    permission('watched', 'apps', WORKLOADS, ['get'], 'finds the workload of a pod, and why pods are missing'),
    permission('watched', '', 'pods/resize', ['patch'], 'sizes pods in place'),
    permission('watched', '', 'pods/eviction', ['create'], 'evicts what cannot be sized in place; budgets decide'),
    permission('watched', '', 'resourcequotas', ['list'], 'asks for no more than a quota leaves'),
    permission('cluster', '', 'nodes', ['list'], 'asks for no more than a node has'),
    ...reports('updater'),
    ...leads('updater'),
    permission('own', LEASE_GROUP, 'leases', ['list', 'watch'], 'evicts only while the webhook sizes new pods', [
      nameOf('admission'),
    ]),
  ],
  admission: [
    ...FOLLOWS,
    permission('watched', 'apps', 'replicasets', ['get'], 'finds the workload of a new pod'),
    permission('own', '', 'secrets', ['create'], 'makes its certificate (a name cannot be asked for when creating)'),
    permission('own', '', 'secrets', ['get', 'update'], 'reads and rotates its certificate', [ADMISSION_SECRET]),
    permission(
      'cluster',
      'admissionregistration.k8s.io',
      'mutatingwebhookconfigurations',
      ['get', 'patch'],
      'says by which authority it is known',
      [nameOf('admission')],
    ),
    ...leads('admission'),
  ],
}

const PLACES: Readonly<Record<Scope, string>> = {
  watched: 'namespaces looked after',
  cluster: 'cluster',
  own: 'its own namespace',
}

/** The permissions as a table in Markdown, a line a verb. */
export function permissionTable(part: OperatorPart): string {
  const rows = PERMISSIONS[part].flatMap(({ scope, group, resources, verbs, names, reason }) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => {
        const what = `\`${resource}${group === '' ? '' : `.${group}`}\`${names ? ` named ${names.join(', ')}` : ''}`
        return `| ${verb} | ${what} | ${PLACES[scope]} | ${reason} |`
      }),
    ),
  )
  return ['| verb | resource | where | why |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}
