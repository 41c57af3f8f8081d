// Words of OpenWhisk's REST API, version 1, as the adapter reads them and the server speaks them. Times are milliseconds, sizes MiB.

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A parameter or an annotation. */
export interface KeyValue {
  readonly key: string
  readonly value: unknown
}

/** What an action may take. */
export interface WhiskActionLimits {
  /** For one activation, ms. */
  readonly timeout: number
  /** Of one container, MiB; its CPU shares follow from it. */
  readonly memory: number
  /** MiB */
  readonly logs: number
  /** Activations at once in one container. */
  readonly concurrency: number
  /** Most containers; only platforms with a scheduler of their own (FPC) know it. */
  readonly instances?: number
}

/** Bounds of what the actions of a namespace may take, and how much it may ask. Absent: the platform does not say. */
export interface NamespaceLimits {
  readonly invocationsPerMinute?: number
  readonly concurrentInvocations?: number
  readonly firesPerMinute?: number
  readonly minActionMemory?: number
  readonly maxActionMemory?: number
  readonly minActionTimeout?: number
  readonly maxActionTimeout?: number
  readonly minActionLogs?: number
  readonly maxActionLogs?: number
  readonly minActionConcurrency?: number
  readonly maxActionConcurrency?: number
  readonly maxActionInstances?: number
  readonly allowedKinds?: readonly string[]
}

/** How the code of an action is run. */
export interface ActionExec {
  /** The runtime: `nodejs:20`. */
  readonly kind: string
  /** The code; base64 of an archive where `binary`. Absent where it was not asked for. */
  readonly code?: string
  readonly binary?: boolean
  readonly main?: string
}

/** An action in one version. */
export interface Action {
  readonly namespace: string
  readonly name: string
  /** Every change makes another one, and no container of an older one takes an activation again. */
  readonly version: string
  readonly publish: boolean
  readonly exec: ActionExec
  readonly limits: WhiskActionLimits
  readonly parameters: readonly KeyValue[]
  readonly annotations: readonly KeyValue[]
  /** When it was last changed, unix ms. */
  readonly updated: number
}

/** What became of an activation, by `statusCode`. */
export const ACTIVATION_STATUSES = [
  'success',
  'application error',
  'action developer error',
  'whisk internal error',
] as const

/** A word of them. */
export type ActivationStatus = (typeof ACTIVATION_STATUSES)[number]

/** An activation as it is listed; platforms and their stores leave out more or less of it. */
export interface ActivationSummary {
  readonly namespace: string
  readonly name: string
  readonly version: string
  readonly publish: boolean
  readonly activationId: string
  /** When it began to run, unix ms. */
  readonly start: number
  readonly end: number
  /** From start to end, the initialisation included, ms. */
  readonly duration: number
  /** An index of `ACTIVATION_STATUSES`. */
  readonly statusCode: number
  /** `waitTime` ms, `initTime` ms only where the start was cold, `path`, `kind`, `limits`, … */
  readonly annotations: readonly KeyValue[]
}

/** The whole record of an activation. */
export interface ActivationRecord extends ActivationSummary {
  readonly subject: string
  readonly response: {
    readonly status: ActivationStatus
    readonly statusCode: number
    readonly success: boolean
    readonly result: JsonObject
  }
  readonly logs: readonly string[]
}

/** The value of an annotation. */
export const annotationOf = (annotations: readonly KeyValue[], key: string): unknown =>
  annotations.find((each) => each.key === key)?.value
