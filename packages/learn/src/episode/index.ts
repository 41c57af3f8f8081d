export {
  ActionLimiter,
  type ActionLimits,
  type CoordinateLimit,
  type DirectionLimit,
} from './action-limiter.js'
export { CLIP_REASONS, type ClipReason } from './clip-reason.js'
export { drawAction } from './draw-action.js'
export { EpisodeStepper, type StepperOptions } from './episode-stepper.js'
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js'
export { FALLBACK_REASONS, type FallbackReason, Guard, type GuardedWorld, type GuardOptions } from './guard.js'
export { type ImitateOptions, type ImitationReport, type Imitator, imitate } from './imitate.js'
export {
  type Decider,
  type EpisodeSummary,
  HOLD,
  measuredReward,
  type Pilot,
  rulePilot,
  type Source,
  type Stage,
  servingPilot,
} from './pilot.js'
export type { QuantityDirectionLimit, QuantityLimit, QuantityLimits } from './quantity-limiter.js'
export { type EpisodeOptions, runEpisode, type TrainingEnvironment } from './run-episode.js'
export { type Seat, strictSeat } from './seat.js'
export { observationFault, requireStep, stepFault } from './step-check.js'
export type { TelemetryFault } from './telemetry-check.js'
export { copyTick, type Tick } from './tick.js'
export { exploringPilot, type TrainingReport, type TrainOptions, train } from './train.js'
