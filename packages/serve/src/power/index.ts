export { clusterOperators, type ModelOperator, type OperatorCluster } from './clustering.js'
export { type FrequencyLoopOptions, type FrequencyTick, scaleFrequency } from './frequency-loop.js'
export {
  type FrequencyDecision,
  FrequencyScaler,
  type FrequencyScalerOptions,
  type PartitionLatency,
} from './frequency-scaler.js'
export { type GpuClock, type GpuSample, supportedClock } from './gpu.js'
export { type GroupAssignment, type GroupCandidate, type GroupSearchOptions, searchGroups } from './groups.js'
export { LatencyMonitor, type LatencyMonitorOptions } from './latency-monitor.js'
export { type ModelPartition, partitionModel } from './partitioning.js'
export { type PlacementDevice, type PlacementOptions, type PlacementPlan, placePartitions } from './placement.js'
export { type OperatorProfile, PROPORTIONAL_SCORE, sensitivityDatabase, sensitivityScore } from './sensitivity.js'
export {
  type ClusterResult,
  type ClusterTick,
  type DeployedModel,
  type DeployedStage,
  type GpuClusterOptions,
  simulateCluster,
} from './simulator/cluster.js'
export { fitGpuLaw, type GpuLawFit, type KernelSample } from './simulator/fit-gpu-law.js'
export { busyWatts, type GpuLaw, idleWatts, type Work, workMillijoules, workMs } from './simulator/gpu-law.js'
export { paperModels } from './simulator/paper-models.js'
export { type ClusterPlan, type ClusterPlans, type PlanOptions, planCluster } from './simulator/plan.js'
export {
  insensitiveShare,
  modelOperators,
  type OperatorCost,
  type ServedModel,
  simulatedSensitivities,
} from './simulator/served-model.js'
export { SimulatedGpu, type SimulatedGpuOptions } from './simulator/simulated-gpu.js'
export { V100 } from './simulator/v100.js'
export { createWorkload, type Workload, type WorkloadOptions } from './simulator/workload.js'
