// What programs that use Trimtab are meant to import; what only its own packages need is in internal.ts.
export { ABI_VERSION, STATE_VERSION } from './abi.js'
export type { GpuBreakEven, GpuReport } from './batch-gpu.js'
export type { BatchThreads, ThreadedGru } from './batch-threads.js'
export type {
  Actuator,
  Agent,
  Clock,
  Controller,
  Environment,
  LiveEnvironment,
  Logger,
  ParallelEnvironment,
  ParallelStep,
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
export { type AnyCore, Core, type KernelSet } from './core.js'
export { createCore, type LearnCoreOptions } from './create-core.js'
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
export type { Bytes } from './files/bytes.js'
export {
  readSafetensors,
  type SafetensorsFile,
  type StoredTensor,
  type TensorDtype,
  writeSafetensors,
} from './files/safetensors.js'
export { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './files/tensor.js'
export type { CoreMath } from './math/core-math.js'
export type { Activation } from './nn/activation.js'
export { Adam, type AdamOptions } from './nn/adam.js'
export { Gru, type GruBatch, type GruOptions, type GruSlopes } from './nn/gru.js'
export { Mlp, type MlpOptions } from './nn/mlp.js'
export { Random } from './random/random.js'
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
export { type CoreBuild, type CoreOptions, hasRelaxedSimd, hasSimd } from './wasm.js'
export type { WasmMemory, WasmSource } from './wasm-types.js'
export type { GpuDevice } from './webgpu/device.js'
