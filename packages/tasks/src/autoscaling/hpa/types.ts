/**
 * Plain data of the horizontal pod autoscaler.
 *
 * Times are seconds on any one clock. Amounts end in `Milli`: thousandths, as Kubernetes counts them (CPU in millicores,
 * memory in bytes × 1000, a custom metric × 1000), so that every integer division truncates as it does there.
 */

/** Status of a pod's Ready condition; no condition at all is `undefined` where this type is used. */
export type ReadyStatus = 'True' | 'False' | 'Unknown'

/** What is known of one pod. Times in seconds. */
export interface Pod {
  readonly name: string
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  /** It has a deletion timestamp. */
  readonly isTerminating: boolean
  readonly ready: ReadyStatus | undefined
  /** When the Ready condition last changed. */
  readonly readyTransitionSeconds: number | undefined
  readonly startSeconds: number | undefined
  readonly containers: readonly PodContainer[]
  /** The workload that it belongs to at the end of its chain of owners, by uid. Not known: left out. */
  readonly workload?: string
}

/** One container of a pod. */
export interface PodContainer {
  readonly name: string
  /** Requests by resource name; a resource without a request is absent. */
  readonly requestsMilli: Readonly<Record<string, number>>
}

/** What the resource metrics API says of one pod. */
export interface PodUsage {
  readonly pod: string
  /** End of the measurement. */
  readonly atSeconds: number
  readonly windowSeconds: number
  readonly containers: readonly { readonly name: string; readonly usageMilli: Readonly<Record<string, number>> }[]
}

/** One number of one pod: its usage of a resource, or a custom metric. */
export interface PodSample {
  readonly pod: string
  readonly atSeconds: number
  readonly windowSeconds: number
  readonly valueMilli: number
}

/** A metric to hold at a target; exactly one target each. */
export type MetricSpec =
  | {
      readonly source: 'resource'
      /** `cpu`, `memory`, … ; only `cpu` looks at readiness. */
      readonly resource: string
      /** One container instead of the whole pod. */
      readonly container?: string
      readonly target: { readonly utilizationPercent: number } | { readonly averageValueMilli: number }
    }
  | { readonly source: 'pods'; readonly target: { readonly averageValueMilli: number } }
  | {
      readonly source: 'object' | 'external'
      /** The whole value, or its share of each pod. */
      readonly target: { readonly valueMilli: number } | { readonly averageValueMilli: number }
    }

/**
 * What was measured for one metric. `undefined` in its place: the metrics API failed.
 * - `usage`: for `resource`; `samples`: for `pods`; `values`: for `object` and `external`, added up
 * - `tally`: for `resource` and `pods`, already counted by the caller (a simulator knows its pods)
 */
export type Reading =
  | { readonly usage: readonly PodUsage[] }
  | { readonly samples: readonly PodSample[] }
  | { readonly values: readonly number[] }
  | { readonly tally: PodTally }

/**
 * Pods and their samples, counted. A pod's weight is what its usage is divided by: its request for a utilization
 * target, 1 for an average value.
 */
export interface PodTally {
  /** Pods that are ready and sampled. */
  readonly readyPods: number
  /** Σ usage of the samples whose weight is known. */
  readonly usageMilli: number
  /** Σ weight of them. */
  readonly weight: number
  /** How many they are. Default `samples`. */
  readonly weighted?: number
  /** Samples that count. Default `readyPods`. */
  readonly samples?: number
  /** Pods without a sample. Default 0, and so are their sums. */
  readonly missingPods?: number
  readonly missingWeight?: number
  /** What the missing pods would use at the target (at 100 % of the request for targets below that). */
  readonly missingAtTargetMilli?: number
  /** Pods that are not ready yet. Default 0, and so is their sum. */
  readonly unreadyPods?: number
  readonly unreadyWeight?: number
}

/** By how many pods, or per cent of them, a size may change within a period. */
export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent'
  readonly value: number
  readonly periodSeconds: number
}

/** How fast one direction may go. What is left out takes its default. */
export interface ScalingRules {
  /** Up: 0. Down: the controller's `downscaleStabilizationSeconds`. */
  readonly stabilizationWindowSeconds?: number | undefined
  /** `Max`: the policy that changes most. Default `Max`. */
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled' | undefined
  /** Up: 4 pods or 100 % in 15 s. Down: 100 % in 15 s. */
  readonly policies?: readonly ScalingPolicy[] | undefined
  /** Overrides the controller's tolerance in this direction. */
  readonly tolerance?: number | undefined
}

/** One autoscaler object and the settings of its controller. */
export interface HorizontalAutoscalerSpec {
  /** Default 1. */
  readonly minReplicas?: number
  readonly maxReplicas: number
  /** Default: CPU at 80 % of the request. */
  readonly metrics?: readonly MetricSpec[]
  /** Without it the older limits hold: grow at most by `scaleUpLimitFactor`, shrink after the stabilization window. */
  readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules }
  /** Relative distance from the target that is left alone. Default 0.1. */
  readonly tolerance?: number
  /** Default 300. */
  readonly downscaleStabilizationSeconds?: number
  /** How long after its start a pod's CPU sample needs a full window of readiness. Default 300. */
  readonly cpuInitializationSeconds?: number
  /** A pod that turned unready within this time of its start was never ready. Default 30. */
  readonly initialReadinessDelaySeconds?: number
  /** Without `behavior`: largest growth in one pass. Default 2. */
  readonly scaleUpLimitFactor?: number
  /** Without `behavior`: replicas that may always be reached in one pass. Default 4. */
  readonly scaleUpLimitMinimum?: number
  /** How long all metrics must have asked for zero replicas before the last one goes. Default 300. */
  readonly scaleToZeroCooldownSeconds?: number
  /** Samples of pods dated further from now than this, before or after, count as missing. Default 300. */
  readonly sampleWindowSeconds?: number
}

/** Whether the size can be read and set; whether metrics decide it; whether a limit cut it. */
export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited'

/** A finding of a pass, as the object's status shows it. */
export interface Condition {
  readonly type: ConditionType
  readonly status: 'True' | 'False'
  readonly reason: string
}
