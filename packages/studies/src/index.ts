export {
  ADAPTATION_METHODS,
  type AdaptationMethod,
  type AdaptRequest,
  adapt,
} from './adaptation/adapt.js'
export type { Costs } from './adaptation/costs.js'
export { type Description, describePair, embeddingOf } from './adaptation/describe.js'
export { createShard, type PoolSetup, SHARDS } from './adaptation/pool.js'
export { type PretrainHooks, pretrain } from './adaptation/pretrain.js'
export type { AdaptationRecord, EmbeddingRecord, EvaluationRecord, RoundRecord } from './adaptation/records.js'
export {
  type AutoscalingComparison,
  type AutoscalingHooks,
  autoscalingReportOf,
  compareAutoscalers,
} from './autoscaling/compare.js'
export type {
  AutoscalerResult,
  AutoscalerSummary,
  AutoscalingReport,
  LearningCurve,
  Timeline,
} from './autoscaling/report-types.js'
export {
  AUTOSCALERS,
  type AutoscalerEpisode,
  type AutoscalerName,
  AutoscalerTrial,
  type AutoscalerTrialResult,
  type AutoscalerTrialSpec,
  runAutoscalerTrial,
} from './autoscaling/trial.js'
export { type ComparedController, type CompareOptions, type Comparison, compare } from './comparison/compare.js'
export { controllersOf, describeController, LEARNERS, type NamedController } from './comparison/controllers.js'
export { runTrial, Trial, type TrialEpisode, type TrialResult, type TrialSpec } from './comparison/trial.js'
export { runPromiseCell } from './promise/cell.js'
export {
  type CellFigures,
  type ControllerFigures,
  cellFigures,
  cellLabel,
  figuresOf,
  strongestOf,
  type Tried,
} from './promise/figures.js'
export { isPromised, PROMISE_ROLES, type PromiseGate, type PromiseRoles, promiseGates } from './promise/gates.js'
export { isWithinSeen, MAX_DAYS, PROMISE_LOADS, type PromiseLoadName, promiseLoad, shortened } from './promise/loads.js'
export {
  PERTURBATIONS,
  type PerturbationFigures,
  type PerturbedFigure,
  perturbationFigures,
  perturbationGates,
} from './promise/perturbations.js'
export {
  ERROR_BUDGET_PERCENT,
  LEARNED_SHARE,
  PROMISE_CONTROLLERS,
  type PromiseCell,
  type PromiseCellSpec,
  type PromiseRecord,
  type PromiseTrial,
  type PromiseWorldSpec,
  type TunedFamily,
} from './promise/spec.js'
export { type ControllerSummary, summarise } from './promise/summary.js'
export type { StudyHooks, StudyProgress } from './run-all.js'
export type { Spread } from './spread.js'
