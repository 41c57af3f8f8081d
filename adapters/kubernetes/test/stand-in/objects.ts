// The plain data that the stand-in keeps.
import type {
  KubernetesObject,
  ManagedFields,
  OwnerReference,
  PodDisruptionBudget,
  PodObject,
  WorkloadObject,
} from '../../src/index.js'

export type Fields = Record<string, unknown>

export interface StoredMeta {
  name: string
  namespace?: string
  generateName?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: ManagedFields[]
}

export interface Stored {
  apiVersion: string
  kind: string
  metadata: StoredMeta
  spec?: Fields
  status?: Fields
  [field: string]: unknown
}

/** What is kept has passed validation: it can be read as what it is. */
export const asPod = (object: Stored): PodObject => object as KubernetesObject as PodObject
export const asWorkload = (object: Stored): WorkloadObject => object as KubernetesObject as WorkloadObject
export const asBudget = (object: Stored): PodDisruptionBudget => object as KubernetesObject as PodDisruptionBudget

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `spec.nodeName` of an object. */
export function at(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (isFields(value) ? value[name] : undefined), object)
}

/** Whether two plain values say the same; the order of fields says nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isFields(one) || !isFields(other)) return one === other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isSame(one[name], other[name]))
}
