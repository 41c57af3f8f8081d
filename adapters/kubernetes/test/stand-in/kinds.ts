// The kinds that the stand-in serves, by release of Kubernetes: those of Trimtab's business, and what kubectl asks for on the way.
import type { StructuralSchema } from '../../src/schema/structural-schema.js'

export interface Column {
  readonly name: string
  readonly type: string
  readonly jsonPath: string
  readonly priority?: number
}

export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly shortNames: readonly string[]
  readonly isNamespaced: boolean
  /** `status`, `scale`, `eviction`, `resize`, `token`. */
  readonly subresources: readonly string[]
  readonly columns: readonly Column[]
  /** Of custom resources: what they may hold. */
  readonly schema?: StructuralSchema
  /** Where the subresource `scale` reads and writes. */
  readonly scalePaths?: { readonly spec: string; readonly status: string; readonly selector?: string }
  /** Kept under this, whatever the version. */
  readonly collection: string
}

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

const READY = { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
const REPLICAS: readonly Column[] = [
  { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
]
const WORKLOAD_SCALE = { spec: 'spec.replicas', status: 'status.replicas' }

function kind(apiVersion: string, name: string, plural: string, more: Partial<Kind> = {}): Kind {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion]
  const collection = `${group}/${plural}`
  return {
    group,
    version,
    kind: name,
    plural,
    collection,
    shortNames: [],
    isNamespaced: true,
    subresources: [],
    columns: [],
    ...more,
  }
}

const cluster = { isNamespaced: false }

/** @param minor  of the release 1.minor, from 20 on */
export function builtinKinds(minor: number): Kind[] {
  const policyVersions = [...(minor >= 21 ? ['policy/v1'] : []), ...(minor < 25 ? ['policy/v1beta1'] : [])]
  const autoscalingVersions = [
    ...(minor >= 23 ? ['autoscaling/v2'] : []),
    ...(minor < 26 ? ['autoscaling/v2beta2'] : []),
  ]
  const podSubresources = ['status', 'eviction', ...(minor >= 32 ? ['resize'] : [])]
  return [
    kind('v1', 'Namespace', 'namespaces', { ...cluster, shortNames: ['ns'], subresources: ['status'] }),
    kind('v1', 'Node', 'nodes', { ...cluster, shortNames: ['no'], subresources: ['status'], columns: [READY] }),
    kind('v1', 'Pod', 'pods', {
      shortNames: ['po'],
      subresources: podSubresources,
      columns: [
        READY,
        { name: 'Status', type: 'string', jsonPath: '.status.phase' },
        { name: 'Node', type: 'string', jsonPath: '.spec.nodeName' },
      ],
    }),
    kind('v1', 'Event', 'events', {
      shortNames: ['ev'],
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.type' },
        { name: 'Reason', type: 'string', jsonPath: '.reason' },
        { name: 'Message', type: 'string', jsonPath: '.message' },
      ],
    }),
    kind('v1', 'ConfigMap', 'configmaps', { shortNames: ['cm'] }),
    kind('v1', 'Secret', 'secrets'),
    kind('v1', 'Service', 'services', { shortNames: ['svc'], subresources: ['status'] }),
    kind('v1', 'ServiceAccount', 'serviceaccounts', { shortNames: ['sa'], subresources: ['token'] }),
    kind('v1', 'ResourceQuota', 'resourcequotas', { shortNames: ['quota'], subresources: ['status'] }),
    kind('v1', 'LimitRange', 'limitranges', { shortNames: ['limits'] }),
    kind('apps/v1', 'Deployment', 'deployments', {
      shortNames: ['deploy'],
      subresources: ['status', 'scale'],
      columns: REPLICAS,
      scalePaths: WORKLOAD_SCALE,
    }),
    kind('apps/v1', 'ReplicaSet', 'replicasets', {
      shortNames: ['rs'],
      subresources: ['status', 'scale'],
      columns: REPLICAS,
      scalePaths: WORKLOAD_SCALE,
    }),
    kind('apps/v1', 'StatefulSet', 'statefulsets', {
      shortNames: ['sts'],
      subresources: ['status', 'scale'],
      columns: REPLICAS,
      scalePaths: WORKLOAD_SCALE,
    }),
    kind('coordination.k8s.io/v1', 'Lease', 'leases', {
      columns: [{ name: 'Holder', type: 'string', jsonPath: '.spec.holderIdentity' }],
    }),
    ...policyVersions.map((version) =>
      kind(version, 'PodDisruptionBudget', 'poddisruptionbudgets', { shortNames: ['pdb'], subresources: ['status'] }),
    ),
    ...autoscalingVersions.map((version) =>
      kind(version, 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
        shortNames: ['hpa'],
        subresources: ['status'],
      }),
    ),
    kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'] }),
    kind('rbac.authorization.k8s.io/v1', 'Role', 'roles'),
    kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
    kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', cluster),
    kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', cluster),
    kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
      ...cluster,
      shortNames: ['crd', 'crds'],
      subresources: ['status'],
    }),
    kind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', cluster),
  ]
}

interface CrdVersion {
  readonly name: string
  readonly served: boolean
  readonly schema: { readonly openAPIV3Schema: StructuralSchema }
  readonly subresources?: {
    readonly status?: object
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  readonly additionalPrinterColumns?: readonly Column[]
}

export interface CrdSpec {
  readonly group: string
  readonly scope: string
  readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] }
  readonly versions: readonly CrdVersion[]
}

/** What a CustomResourceDefinition adds. */
export function customKinds({ group, scope, names, versions }: CrdSpec): Kind[] {
  return versions
    .filter(({ served }) => served)
    .map(({ name, schema, subresources = {}, additionalPrinterColumns }) => {
      const { scale } = subresources
      const withoutDot = (path: string): string => path.replace(/^\./, '')
      return kind(`${group}/${name}`, names.kind, names.plural, {
        isNamespaced: scope === 'Namespaced',
        shortNames: names.shortNames ?? [],
        subresources: Object.keys(subresources),
        columns: additionalPrinterColumns ?? [],
        schema: schema.openAPIV3Schema,
        ...(scale && {
          scalePaths: {
            spec: withoutDot(scale.specReplicasPath),
            status: withoutDot(scale.statusReplicasPath),
            ...(scale.labelSelectorPath && { selector: withoutDot(scale.labelSelectorPath) }),
          },
        }),
      })
    })
}
