export { normalCdf, normalQuantile, Z99 } from '../normal.js'
export { type AllocatedCluster, AllocationActuator } from './allocation-actuator.js'
export { AllocationTable, type RecordedPerformance } from './allocation-table.js'
export type { Allocator, LearningAllocator } from './allocator.js'
export {
  type Application,
  generateApplication,
  multisetKey,
  requestCosts,
  SEGMENTS,
  type Segment,
  withPayload,
  withSegments,
} from './application.js'
export { type Arima, type ArimaOrder, arimaMinimum, fitArima } from './arima.js'
export { Aimd } from './baselines/aimd.js'
export { type AllocationTarget, Heuristic } from './baselines/heuristic.js'
export { HPA_VPA_GRID, HpaVpa, tuneHpaVpa } from './baselines/hpa-vpa.js'
export { allocationDollars, checkPrices, DEFAULT_PRICES, dollarsPerHour, type Prices } from './cost.js'
export { AutoscalingEnvironment, type AutoscalingInfo, type AutoscalingOptions } from './environment.js'
export { type AutoscalingEvaluation, evaluateAutoscaling, pickSafe, seedsFrom } from './evaluate.js'
export { ErrorBudget, type ErrorBudgetOptions } from './guard/error-budget.js'
export {
  type GuardExplanation,
  GuardedAllocator,
  type GuardedAllocatorOptions,
  type GuardReason,
  type KnowingAllocator,
} from './guard/guarded-allocator.js'
export { type ShadowOptions, ShadowRule } from './guard/shadow-rule.js'
export { BURSTING, type BurstingConstants, BurstingLatency } from './latency/bursting-latency.js'
export { CLUSTER_LAWS, type ClusterLaw, createLatencyModel } from './latency/cluster-law.js'
export type { LatencyModel } from './latency/latency-model.js'
export { ThrottledLatency } from './latency/throttled-latency.js'
export { createLoad, generateLoad, type LoadSeries, parseLoad, shareAt } from './load.js'
export { LogarithmicView } from './logarithmic-view.js'
export { GRID_CORES, GRID_UTILISATION } from './margin/grid.js'
export { LatencyBelief, type LatencyPrediction } from './margin/latency-belief.js'
export { LAW_KINDS, type LatencyLaw, type LawKind, rollLaw } from './margin/laws.js'
export { LoadForecast } from './margin/load-forecast.js'
export { MarginAllocator, type MarginAllocatorOptions, type MarginExplanation } from './margin/margin-allocator.js'
export {
  flattenPrior,
  type LatencyPrior,
  learnPrior,
  logRatios,
  type PriorOptions,
  shippedPrior,
} from './margin/prior.js'
export { type OperatingOptions, type OperatingRecord, operate } from './operate.js'
export type { AutoscalingPair } from './pairs.js'
export { AUTOSCALING_BCQ, AUTOSCALING_DDPG, AWARE_DDPG, SIMPPO } from './preset.js'
export { autoscalingReward, SLO_WEIGHT, sloPreservation, telemetryReward } from './reward.js'
export {
  type Bound,
  bestOracle,
  bestStaticAllocation,
  OracleAllocator,
  type OracleSettings,
  StaticAllocator,
} from './rules/bounds.js'
export { RULE_FAMILIES, type RuleFamily, ruleFamilies } from './rules/families.js'
export { ForecastRule, type ForecastSettings } from './rules/forecast-rule.js'
export { HpaHeadroomRule, type HpaHeadroomSettings } from './rules/hpa-headroom-rule.js'
export { HpaVpaRule, type HpaVpaSettings } from './rules/hpa-vpa-rule.js'
export { ResizeRule, type ResizeSettings } from './rules/resize-rule.js'
export type { Rule, RuleCluster } from './rules/rule.js'
export { TargetBandit, type TargetBanditSettings } from './rules/target-bandit.js'
export { type Outcome, pickCheapest, type TunedRule, type TuningOptions, tuneRule } from './rules/tune.js'
export { UPDATE_SCENARIOS, type UpdateScenario } from './scenarios.js'
export {
  ampleLatencyMs,
  CLUSTER,
  type ClusterOptions,
  ClusterSimulator,
  RESIZE_MODES,
  type ResizeMode,
  SLO_FACTORS,
  type Truth,
} from './simulator.js'
export {
  ABSOLUTE_ACTION,
  ABSOLUTE_OBSERVATION,
  LOGARITHMIC_ACTION,
  LOGARITHMIC_OBSERVATION,
  RELATIVE_ACTION,
  RELATIVE_OBSERVATION,
  TRANSFER_OBSERVATION,
} from './spaces.js'
export { AUTOSCALING, AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT, type GeneratedPair } from './task.js'
export {
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  isMeasured,
  isMeasuredViolation,
  isSameSize,
  type PodSize,
  type Telemetry,
} from './telemetry.js'
export { TransferFeatures } from './transfer-features.js'
export { AbsoluteView, RelativeView, type View } from './views.js'
