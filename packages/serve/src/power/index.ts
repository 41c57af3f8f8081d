export { clusterOperators, type ModelOperator, type OperatorCluster } from './clustering.js'
export { type FrequencyLoopOptions, type FrequencyTick, scaleFrequency } from './frequency-loop.js'
export {
  type FrequencyDecision,
  FrequencyScaler,
  type FrequencyScalerOptions,
  type PartitionLatency,
} from './frequency-scaler.js'
export { type GpuClock, type GpuSample, supportedClock } from './gpu.js'
export { LatencyMonitor, type LatencyMonitorOptions } from './latency-monitor.js'
export { type ModelPartition, partitionModel } from './partitioning.js'
export { type PlacementDevice, type PlacementOptions, type PlacementPlan, placePartitions } from './placement.js'
export { type OperatorProfile, PROPORTIONAL_SCORE, sensitivityDatabase, sensitivityScore } from './sensitivity.js'
