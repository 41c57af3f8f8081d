// Kernels and what wraps them, for Trimtab's own packages: `@trimtab/core/internal`. No promise is made to anybody else: names and
// shapes change with any version. Programs use what `@trimtab/learn`, `@trimtab/trace` and `@trimtab/serve` make of them.
export { COUNT, isCount, requireLength } from './checks.js'
export { copyBytes } from './files/bytes.js'
export { JsonFields, type Refuse } from './files/json-fields.js'
export { Arena } from './memory/arena.js'
export {
  type Context,
  ContextEncoder,
  type ContextEncoderOptions,
  type ContextEncoderReport,
  type EncoderShape,
  encoderParameterCount,
} from './nn/context-encoder.js'
export type { GuardReport } from './nn/last-good.js'
export { mlpParameterCount } from './nn/mlp.js'
export {
  type RegressionLoss,
  RegressorKernel,
  type RegressorKernelOptions,
  type RegressorReport,
  type RowGroups,
} from './nn/regressor.js'
export { LARGEST_WORK, WorkAgeing, type WorkAgeingOptions } from './queue/ageing.js'
export { type QueueOrder, ReadyQueue, type ReadyQueueOptions } from './queue/ready-queue.js'
export {
  type Batching,
  type ReplayOptions,
  type RequestColumns,
  type RequestTimes,
  replayRequests,
} from './queue/request-replay.js'
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
export { isChoice, type PpoMany, type PpoRows } from './rl/ppo-many.js'
export type { PpoKernelOptions } from './rl/ppo-options.js'
export { type Nearest, SimilarityIndex } from './stats/similarity-index.js'
export { LENGTH_CLASSES, LengthModel, type LengthModelOptions } from './text/length-model.js'
export { type EncoderRequest, encoderJob, type MadeGru } from './threads/encoder-job.js'
export { type EncoderThread, SharedEncoder } from './threads/shared-encoder.js'
export { type PathColumns, type PathRequest, type PathResult, TraceKernel } from './trace/trace-kernel.js'
