export { type CompareHooks, type CompareOptions, compare, reportOf } from './compare.js'
export type {
  AppResult,
  ComparisonProgress,
  ComparisonReport,
  ControllerSummary,
  LearningCurve,
  Spread,
  Timeline,
} from './report-types.js'
export {
  CONTROLLERS,
  type ControllerName,
  type EpisodeOutcome,
  runTrial,
  Trial,
  type TrialResult,
  type TrialSpec,
} from './trial.js'
