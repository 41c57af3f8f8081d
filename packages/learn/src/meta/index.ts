export { ADAPTATION, Adaptation, type AdaptationOptions, type AdaptationSetup } from './adaptation.js'
export {
  type BaseLearnerChoice,
  type BaseLearnerSetup,
  createBaseLearner,
  fineTuning,
} from './base-learner.js'
export { type BufferRule, ContextBuffer, type DrawLimits } from './context-buffer.js'
export { LocalShards } from './local-shards.js'
export { type BaseShapes, createMetaLearner, MetaLearner, type MetaSetup } from './meta-learner.js'
export { type MetaOptions, type MetaPresetName, metaPresets } from './presets.js'
export {
  type CostEstimate,
  type PoolEmbedding,
  type PretrainedHeader,
  PretrainedModel,
  type PretrainedParts,
  readPretrained,
  writePretrained,
} from './pretrained.js'
export { openPretraining, Pretraining, pairsOfShard, type ShardHost, type ShardRound } from './pretraining.js'
export {
  type PoolPair,
  PRETRAINING,
  type PretrainingOptions,
  PretrainingShard,
  type RoundReport,
  type ShardSetup,
} from './pretraining-shard.js'
export type { Samples, SlShapes } from './samples.js'
export { type ShardJobs, shardJobs } from './shard-jobs.js'
export {
  CostForecast,
  type CostSample,
  type Distance,
  distanceFrom,
  type Forecast,
  similarity,
  spearman,
} from './similarity.js'
export { SlPretraining, type SlPretrainingOptions, type SlPretrainingSetup } from './sl-pretraining.js'
export { averageTensors } from './tensors.js'
export type { RlShapes, Trajectory } from './trajectory.js'
export { TrajectoryRecorder } from './trajectory.js'
