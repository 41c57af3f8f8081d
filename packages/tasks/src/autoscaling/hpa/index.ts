export { SteadyClock } from '../steady-clock.js'
export { type AutoscalerCheckpoint, type AutoscalerState, createState } from './autoscaler-state.js'
export {
  type CompleteScalingRules,
  completeRules,
  type Direction,
  limitRate,
  noteScaleEvent,
  policyLimit,
  type RateInput,
  type ScaleEvents,
} from './behavior.js'
export { History } from './history.js'
export { completeSpec, HorizontalAutoscaler } from './horizontal-autoscaler.js'
export { applyLegacyLimits, type LegacyLimits, type LimitedSize, type LimitReason } from './limits.js'
export { MetricError, type MetricErrorCode } from './metric-error.js'
export {
  countReadyPods,
  groupPods,
  type PodGroups,
  type PodOwners,
  podRequests,
  type ReadinessPeriods,
  resourceSamples,
  separateForeign,
} from './pods.js'
export { failureReason, proposeReplicas, type ScaleTarget } from './propose.js'
export { usageRatio, utilizationRatio } from './ratio.js'
export {
  type CompleteSpec,
  type ReconcileInput,
  type ReconcileResult,
  reconcile,
} from './reconcile.js'
export {
  type ReplicaProposal,
  replicasForAverage,
  replicasForPods,
  replicasForValue,
  type Tolerances,
} from './replica-calculator.js'
export { stabilizeDownscale, stabilizeWithBehavior } from './stabilization.js'
export { type TallyGoal, tallyPods } from './tally.js'
export type {
  Condition,
  ConditionType,
  HorizontalAutoscalerSpec,
  MetricSpec,
  Pod,
  PodContainer,
  PodSample,
  PodTally,
  PodUsage,
  Reading,
  ReadyStatus,
  ScalingPolicy,
  ScalingRules,
} from './types.js'
