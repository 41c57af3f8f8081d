import type { KubernetesObject, Lease, ObjectRef, PodDisruptionBudget, PodObject, WorkloadObject } from './types.js'

/** A kind of object and where it lives in the API; `T` is what the client makes of it. */
export interface ApiResource<T extends KubernetesObject> {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** As in paths: `deployments`. */
  readonly plural: string
  readonly isNamespaced: boolean
  /** Never set: carries `T`. */
  readonly object?: T
}

/** Which objects. */
export interface ObjectSelection {
  /** Default: every namespace. */
  readonly namespace?: string
  /** `app=web,tier!=cache`. */
  readonly labelSelector?: string
  /** `spec.nodeName=worker-1`. */
  readonly fieldSelector?: string
}

/** Describes a kind. */
export function resource<T extends KubernetesObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  isNamespaced = true,
): ApiResource<T> {
  return { apiVersion, kind, plural, isNamespaced }
}

/** Pods. */
export const PODS: ApiResource<PodObject> = resource('v1', 'Pod', 'pods')
/** Namespaces. */
export const NAMESPACES: ApiResource<KubernetesObject> = resource('v1', 'Namespace', 'namespaces', false)
/** Deployments. */
export const DEPLOYMENTS: ApiResource<WorkloadObject> = resource('apps/v1', 'Deployment', 'deployments')
/** ReplicaSets. */
export const REPLICA_SETS: ApiResource<WorkloadObject> = resource('apps/v1', 'ReplicaSet', 'replicasets')
/** Leases. */
export const LEASES: ApiResource<Lease> = resource('coordination.k8s.io/v1', 'Lease', 'leases')

/** PodDisruptionBudgets in the version that the cluster has: `policy/v1` from 1.21 on. */
export const disruptionBudgets = (apiVersion: 'policy/v1' | 'policy/v1beta1'): ApiResource<PodDisruptionBudget> =>
  resource(apiVersion, 'PodDisruptionBudget', 'poddisruptionbudgets')

/** The path of a kind, or of the objects of one namespace. */
export function pathOf(resource: ApiResource<KubernetesObject>, namespace?: string): string {
  const root = resource.apiVersion.includes('/') ? '/apis' : '/api'
  const scope = namespace === undefined || !resource.isNamespaced ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}/${resource.apiVersion}${scope}/${resource.plural}`
}

/** The path of one object, or of a subresource of it. */
export function pathOfObject(resource: ApiResource<KubernetesObject>, ref: ObjectRef, subresource?: string): string {
  const path = `${pathOf(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}
