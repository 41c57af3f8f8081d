export { AllocatorController, type ArmCluster, createArm, LIVE_ARMS, type LiveArm } from './live/arms.js'
export type { Calibration } from './live/calibration.js'
export type { Hold, Limiter, LimiterOptions } from './live/limiter.js'
export { type ClusterUsage, LiveCluster, type LiveClusterOptions } from './live/live-cluster.js'
export {
  LiveClusterEnvironment,
  type LiveClusterEnvironmentOptions,
  type LivePeriod,
  type PeriodFlaw,
} from './live/live-environment.js'
export { drawLiveLoad, type LiveLoadOptions, type LiveRequest, seriesShape, waveShape } from './live/live-load.js'
export {
  LIVE_BOUNDS,
  type LiveBlock,
  type LiveHooks,
  type LiveMeasurements,
  type LiveService,
  type LiveSettings,
  measureLive,
  SETTLING_PERIODS,
} from './live/live-trial.js'
export { judgeLive, type LiveFigures, type LiveGate, type LiveVerdict } from './live/live-verdict.js'
export { type LoadPeriod, LoadStream, type StreamTarget, type TimedRequest } from './live/load-stream.js'
export type { LimiterCheck } from './live/mechanics.js'
export { openLimiter } from './live/open-limiter.js'
export type { PeriodRecord } from './live/period-record.js'
