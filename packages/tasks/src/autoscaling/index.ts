export { AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT, type AutoscalingPair } from './adaptation.js'
export { Aimd } from './aimd.js'
export { AllocationTable, type RecordedPerformance } from './allocation-table.js'
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
export { AutoscalingEnvironment, type AutoscalingInfo, type AutoscalingOptions } from './environment.js'
export { type AutoscalingEvaluation, evaluateAutoscaling, seedsFrom } from './evaluate.js'
export { type AllocationTarget, Heuristic } from './heuristic.js'
export { HPA_VPA_GRID, HpaVpa, type HpaVpaSettings, tuneHpaVpa } from './hpa-vpa.js'
export { LatencyModel, normalQuantile } from './latency.js'
export { createLoad, generateLoad, type LoadSeries, parseLoad, shareAt } from './load.js'
export { LOGARITHMIC_ACTION, LOGARITHMIC_OBSERVATION, LogarithmicView } from './logarithmic-view.js'
export {
  bestConstantAction,
  bestStatic,
  ConstantAction,
  Oracle,
  oracleWithin,
  pickSafe,
  StaticAllocation,
} from './oracles.js'
export { autoscalingReward, SLO_WEIGHT, sloPreservation } from './reward.js'
export { UPDATE_SCENARIOS, type UpdateScenario } from './scenarios.js'
export { ampleLatencyMs, CLUSTER, type ClusterOptions, ClusterSimulator, SLO_FACTORS, type Truth } from './simulator.js'
export { AUTOSCALING, type GeneratedPair } from './task.js'
export {
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  type Telemetry,
} from './telemetry.js'
export { TRANSFER_OBSERVATION, TransferFeatures } from './transfer-features.js'
export { AbsoluteView, RELATIVE_ACTION, RELATIVE_OBSERVATION, RelativeView, type View } from './views.js'
