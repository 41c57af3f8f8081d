export { ABI_VERSION, STATE_VERSION } from './abi.js'
export type {
  Actuator,
  Agent,
  Clock,
  Controller,
  Environment,
  LiveEnvironment,
  Logger,
  Quantity,
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
export { type Bytes, copyBytes } from './files/bytes.js'
export {
  readSafetensors,
  type SafetensorsFile,
  type StoredTensor,
  type TensorDtype,
  writeSafetensors,
} from './files/safetensors.js'
export { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './files/tensor.js'
export { CoreMath } from './math/core-math.js'
export { Arena } from './memory/arena.js'
export { Adam, type AdamOptions } from './nn/adam.js'
export {
  type Context,
  ContextEncoder,
  type ContextEncoderOptions,
  type ContextEncoderReport,
} from './nn/context-encoder.js'
export { Gru, type GruBatch, type GruOptions, type GruSlopes } from './nn/gru.js'
export type { GuardReport } from './nn/last-good.js'
export { type Activation, Mlp, type MlpOptions } from './nn/mlp.js'
export {
  type RegressionLoss,
  RegressorKernel,
  type RegressorKernelOptions,
  type RegressorReport,
  type RowGroups,
} from './nn/regressor.js'
export { LARGEST_ALLOWANCE, WorkAgeing, type WorkAgeingOptions } from './queue/ageing.js'
export { type QueueOrder, ReadyQueue, type ReadyQueueOptions } from './queue/ready-queue.js'
export {
  type Batching,
  type ReplayOptions,
  type RequestColumns,
  type RequestTimes,
  replayRequests,
} from './queue/request-replay.js'
export { Random } from './random/random.js'
export {
  type BcqBatch,
  BcqKernel,
  type BcqKernelOptions,
  type BcqNet,
  type BcqReport,
  type BcqTarget,
  moveActions,
  softClippedGoals,
} from './rl/bcq.js'
export { DdpgKernel, type DdpgKernelOptions, type DdpgNet, type LiveHyperparameter } from './rl/ddpg.js'
export { DqnKernel, type DqnKernelOptions, type DqnNet, type DqnReport } from './rl/dqn.js'
export { type Estimates, generalisedAdvantages, monteCarloReturns, type Steps } from './rl/gae.js'
export {
  type LivePpoHyperparameter,
  type PartitionContexts,
  type PpoBatch,
  PpoKernel,
  type PpoNet,
  type PpoReport,
} from './rl/ppo.js'
export type { PpoKernelOptions } from './rl/ppo-options.js'
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
} from './stats/queueing.js'
export { RffSvm, type RffSvmOptions } from './stats/rff-svm.js'
export { RunningMoments } from './stats/running-moments.js'
export { type Nearest, SimilarityIndex } from './stats/similarity-index.js'
export {
  type EmbeddingSimilarity,
  embeddingSimilarity,
  mean,
  pearson,
  percentile,
  ravelMultiIndex,
  sampleCategorical,
  varianceShare,
} from './stats/statistics.js'
export { LENGTH_CLASSES, LengthModel, type LengthModelOptions } from './text/length-model.js'
export { type PathColumns, type PathRequest, type PathResult, TraceKernel } from './trace/trace-kernel.js'
export { type CoreBuild, type CoreOptions, hasRelaxedSimd, hasSimd } from './wasm.js'
export type { WasmMemory, WasmSource } from './wasm-types.js'
