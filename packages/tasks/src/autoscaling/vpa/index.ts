export { MAX_AMOUNT, scaleAmount, toAmount, toMillicores } from './amounts.js'
export { type Buckets, exponentialBuckets, linearBuckets } from './buckets.js'
export {
  type CappingPolicy,
  type ContainerAmounts,
  type ControlledValues,
  capToLimits,
  capToPodLimitRange,
  capToPolicy,
  type PodLimitRangeContainer,
  proportionalLimit,
  toIntegerCpu,
} from './capping.js'
export { ContainerSamples, type HistoryAge, isExpired } from './container-samples.js'
export { DecayingHistogram, type DecayingHistogramCheckpoint } from './decaying-histogram.js'
export {
  confidence,
  podMinimum,
  roundUpTo,
  type SampleHistory,
  withConfidence,
  withMargin,
  withMinimum,
} from './estimators.js'
export { EvictionLimit, type EvictionLimitOptions } from './eviction-limit.js'
export { type HistogramCheckpoint, UsageHistogram } from './histogram.js'
export { MemoryPeaks, type OomBump, type SampleSink } from './memory-peaks.js'
export type { Percentiles, VerticalRecommenderOptions } from './recommender-options.js'
export type { ContainerRecommendation, ControlledResource, ResourceAmounts } from './types.js'
export {
  compareUpdatePriority,
  type SizedContainer,
  type UpdateCandidate,
  type UpdatePriority,
  type UpdateRules,
  updatePriority,
  wantsUpdate,
} from './update-priority.js'
export {
  cpuBuckets,
  memoryBuckets,
  type VerticalRecommendation,
  VerticalRecommender,
  type VerticalRecommenderCheckpoint,
} from './vertical-recommender.js'
