export type { ActionLimits, ClipReason, CoordinateLimit, DirectionLimit } from './action-limiter.js'
export { ControlLoop } from './control-loop.js'
export type { ControlLoopOptions } from './control-loop-options.js'
export { type EmbeddedAgent, EmbeddingPilot, type TrajectoryEncoder } from './embedding-pilot.js'
export { type BootstrappableAgent, type EnvelopeOptions, EnvelopePilot, type EnvelopeState } from './envelope-pilot.js'
export { EpisodeIndex, type EpisodeSpan } from './episode-index.js'
export { type FallbackReason, Guard, type GuardOptions } from './guard.js'
export { Lifecycle, type LifecycleProfile, type LifecycleState } from './lifecycle.js'
export { LifecyclePilot, type LifecyclePilotOptions } from './lifecycle-pilot.js'
export { type MarginOptions, type MarginParts, MarginPilot } from './margin-pilot.js'
export { MemoryTrajectoryStore, type MemoryTrajectoryStoreOptions } from './memory-trajectory-store.js'
export {
  type Decider,
  type EpisodeSummary,
  type ExploringAgent,
  type Pilot,
  rulePilot,
  type Source,
  type Stage,
  servingPilot,
} from './pilot.js'
export { type LearningPilot, type RetrainingOptions, RetrainingPilot, type ViolationTest } from './retraining-pilot.js'
export type { TelemetryFault } from './telemetry-check.js'
export type { Tick } from './tick.js'
