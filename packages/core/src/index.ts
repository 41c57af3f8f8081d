export { ABI_VERSION } from './abi.js'
export { Adam, type AdamOptions } from './adam.js'
export { LARGEST_ALLOWANCE, WorkAgeing, type WorkAgeingOptions } from './ageing.js'
export { Arena } from './arena.js'
export {
  type BcqBatch,
  BcqKernel,
  type BcqKernelOptions,
  type BcqNet,
  type BcqReport,
  type BcqTarget,
  moveActions,
  softClippedGoals,
} from './bcq.js'
export {
  type Context,
  ContextEncoder,
  type ContextEncoderOptions,
  type ContextEncoderReport,
} from './context-encoder.js'
export type {
  Agent,
  Clock,
  Controller,
  Environment,
  LiveEnvironment,
  Logger,
  RandomSource,
  Space,
  Step,
  StepInfo,
  TrajectoryStep,
  TrajectoryStore,
  Transition,
  UpdateReport,
} from './contracts.js'
export { Core, createCore } from './core.js'
export { DdpgKernel, type DdpgKernelOptions, type DdpgNet, type LiveHyperparameter } from './ddpg.js'
export { DqnKernel, type DqnKernelOptions, type DqnNet, type DqnReport } from './dqn.js'
export {
  AdapterError,
  ConfigError,
  CoreError,
  FormatError,
  Problems,
  ServingError,
  TraceError,
  TrimtabError,
} from './errors.js'
export { type Estimates, generalisedAdvantages, monteCarloReturns, type Steps } from './gae.js'
export { Gru, type GruBatch, type GruOptions, type GruSlopes } from './gru.js'
export type { GuardReport } from './last-good.js'
export { LENGTH_CLASSES, LengthModel, type LengthModelOptions } from './length-model.js'
export { CoreMath } from './math.js'
export { type Activation, Mlp, type MlpOptions } from './mlp.js'
export {
  type LivePpoHyperparameter,
  type PartitionContexts,
  type PpoBatch,
  PpoKernel,
  type PpoNet,
  type PpoReport,
} from './ppo.js'
export type { PpoKernelOptions } from './ppo-options.js'
export {
  type AllenCunneenQueue,
  allenCunneen,
  erlangC,
  type Mg1Queue,
  type MmcQueue,
  type MmcTimes,
  mg1ProcessorSharing,
  mmcTimes,
  type ProcessorSharingQueue,
  pollaczekKhinchine,
} from './queueing.js'
export { Random } from './random.js'
export { type QueueOrder, ReadyQueue, type ReadyQueueOptions } from './ready-queue.js'
export {
  type RegressionLoss,
  RegressorKernel,
  type RegressorKernelOptions,
  type RegressorReport,
  type RowGroups,
} from './regressor.js'
export { type Batching, type ReplayOptions, type RequestColumns, type RequestTimes, replayRequests } from './replay.js'
export { RffSvm, type RffSvmOptions } from './rff-svm.js'
export { RunningMoments } from './running-moments.js'
export {
  readSafetensors,
  type SafetensorsFile,
  type StoredTensor,
  type TensorDtype,
  writeSafetensors,
} from './safetensors.js'
export { type Nearest, SimilarityIndex } from './similarity-index.js'
export {
  type EmbeddingSimilarity,
  embeddingSimilarity,
  mean,
  pearson,
  percentile,
  ravelMultiIndex,
  sampleCategorical,
  varianceShare,
} from './statistics.js'
export { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './tensor.js'
export { type PathColumns, type PathRequest, type PathResult, TraceKernel } from './trace-kernel.js'
export { type CoreBuild, type CoreExports, type CoreOptions, hasRelaxedSimd, hasSimd } from './wasm.js'
