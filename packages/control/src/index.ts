// What stands in the loop's options and ticks comes from learn, where every episode is run by the same code.
export {
  type ActionLimits,
  CLIP_REASONS,
  type ClipReason,
  type CoordinateLimit,
  type Decider,
  type DirectionLimit,
  type EpisodeSummary,
  FALLBACK_REASONS,
  type FallbackReason,
  type GlobalVariable,
  Guard,
  type GuardedWorld,
  type GuardOptions,
  type Pilot,
  type QuantityDirectionLimit,
  type QuantityLimit,
  type QuantityLimits,
  rulePilot,
  type Source,
  type Stage,
  servingPilot,
  type TelemetryFault,
  type Tick,
} from '@trimtab/learn'
export { ControlLoop } from './control-loop.js'
export type { ControlLoopOptions } from './control-loop-options.js'
export * from './coordinator/index.js'
export { EmbeddingPilot, type TrajectoryEncoder } from './embedding-pilot.js'
export { type EnvelopeOptions, EnvelopePilot, type EnvelopeState } from './envelope-pilot.js'
export { EpisodeIndex, type EpisodeSpan } from './episode-index.js'
export { fitMargin, type MarginFit, type MarginFitOptions, type MarginFitParts } from './fit-margin.js'
export { Lifecycle, type LifecycleProfile, type LifecycleState } from './lifecycle.js'
export { LifecyclePilot, type LifecyclePilotOptions } from './lifecycle-pilot.js'
export { type MarginOptions, type MarginParts, MarginPilot } from './margin-pilot.js'
export { MemoryTrajectoryStore, type MemoryTrajectoryStoreOptions } from './memory-trajectory-store.js'
export { type LearningPilot, type RetrainingOptions, RetrainingPilot, type ViolationTest } from './retraining-pilot.js'
export { backOffMs, type Sleep, sleep } from './sleep.js'
