// The parts of Kubernetes' objects that Trimtab reads and writes. Types only; what is not named here is kept as it came.

/** A field set or a map of names to words: labels, annotations. */
export type StringMap = Readonly<Record<string, string>>

/** Who made an object; it goes when its owner goes. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Which fields a manager of server-side apply or updates owns. */
export interface ManagedFields {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: object
  readonly subresource?: string
}

/** What every object carries; times as RFC 3339. */
export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: StringMap
  readonly annotations?: StringMap
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFields[]
}

/** Any object of the API. */
export interface KubernetesObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: ObjectMeta
}

/** An answer that is no object: an error, or what became of a deletion. */
export interface Status extends KubernetesObject {
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: {
    readonly name?: string
    readonly kind?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  }
}

/** Objects of one kind as of `resourceVersion`. */
export interface ObjectList<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
}

/** Names one object; no namespace where the kind has none. */
export interface ObjectRef {
  readonly namespace?: string
  readonly name: string
}

/** Selects by labels, as written in workloads. */
export interface LabelSelector {
  readonly matchLabels?: StringMap
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
    readonly values?: readonly string[]
  }[]
}

/** One condition in a status. */
export interface StatusCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number
}

/** Quantities by resource: `{ cpu: '250m', memory: '64Mi' }`. */
export interface ContainerResources {
  readonly requests?: StringMap
  readonly limits?: StringMap
}

/** A container of a pod. */
export interface Container {
  readonly name: string
  readonly image?: string
  readonly resources?: ContainerResources
}

/** A pod. */
export interface PodObject extends KubernetesObject {
  readonly spec?: {
    readonly containers: readonly Container[]
    readonly nodeName?: string
    readonly terminationGracePeriodSeconds?: number
  }
  readonly status?: {
    /** Of a resize in place, before conditions told it (1.27 to 1.32): `Proposed`, `InProgress`, `Deferred`, `Infeasible`. */
    readonly resize?: string
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    readonly conditions?: readonly StatusCondition[]
    readonly startTime?: string
    readonly containerStatuses?: readonly {
      readonly name: string
      readonly ready?: boolean
      readonly restartCount?: number
      readonly resources?: ContainerResources
      /** How its last run ended: `OOMKilled`. */
      readonly lastState?: {
        readonly terminated?: { readonly reason?: string; readonly startedAt?: string; readonly finishedAt?: string }
      }
    }[]
  }
}

/** A Deployment or a ReplicaSet. */
export interface WorkloadObject extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: { readonly metadata?: ObjectMeta; readonly spec?: PodObject['spec'] }
  }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly updatedReplicas?: number
    readonly observedGeneration?: number
    readonly conditions?: readonly StatusCondition[]
  }
}

/** The subresource `scale` of a workload; `status.selector` selects its pods. */
export interface Scale extends KubernetesObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas: number; readonly selector?: string }
}

/** How many pods of a set may be away at once. */
export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec?: {
    readonly selector: LabelSelector
    readonly minAvailable?: number | string
    readonly maxUnavailable?: number | string
  }
  readonly status?: {
    readonly disruptionsAllowed: number
    readonly currentHealthy: number
    readonly desiredHealthy: number
  }
}

/** Who leads, and until when. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}
