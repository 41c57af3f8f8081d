export {
  CADVISOR_QUERIES,
  type ContainerUsage,
  MetricsApiUsage,
  PrometheusUsage,
  type UsageSource,
  type UsageTable,
} from './pod-usage.js'
export type { QueryBatchOptions } from './query-batch.js'
export { Recommender, type RecommenderOptions } from './recommender.js'
export { type Decision, SteeredWorkload, type TrajectoryRun } from './steered-workload.js'
export { readWorkload } from './workload.js'
export { pricesOf, type WorkloadSpaces } from './workload-environment.js'
