export { EncoderThreads, type EncoderThreadsOptions } from './encoder-threads.js'
export { FileTrajectoryStore, type FileTrajectoryStoreOptions, type TrajectoryRepair } from './file-trajectory-store.js'
export {
  canReplaceFile,
  type FileContent,
  ownIdentity,
  type ProcessIdentity,
  type Restorable,
  removeFileSync,
  replaceFile,
  replaceFileSync,
  restoreOnExit,
  startTimeOf,
  stateFolders,
  stateOf,
} from './files.js'
export {
  type JobInput,
  type JobName,
  type JobOutput,
  type MapOptions,
  type RunOptions,
  WorkerPool,
  type WorkerPoolOptions,
} from './worker-pool.js'
export { WorkerShards, type WorkerShardsOptions } from './worker-shards.js'
