export {
  ADAPTATION_METHODS,
  type AdaptationMethod,
  type AdaptRequest,
  adapt,
} from './adaptation/adapt.js'
export type { Costs } from './adaptation/costs.js'
export { type Description, describePair, embeddingOf } from './adaptation/describe.js'
export { formatEstimate } from './adaptation/estimate.js'
export { createShard, type PoolSetup, SHARDS } from './adaptation/pool.js'
export { type PretrainHooks, pretrain } from './adaptation/pretrain.js'
export { type Projection, principalPlane } from './adaptation/projection.js'
export type { AdaptationRecord, EmbeddingRecord, EvaluationRecord, RoundRecord } from './adaptation/records.js'
export {
  AUTOSCALERS,
  type AutoscalerCell,
  type AutoscalerCellSpec,
  type AutoscalerName,
  type AutoscalerTrial,
  autoscalerCellInParts,
  autoscalerPartsOf,
  runAutoscalerCell,
} from './autoscaling/cell.js'
export {
  type AutoscalingComparison,
  type AutoscalingHooks,
  autoscalerCellOf,
  autoscalingReportOf,
  compareAutoscalers,
} from './autoscaling/compare.js'
export type {
  AutoscalerResult,
  AutoscalerSummary,
  AutoscalerWorld,
  AutoscalingReport,
  AutoscalingVerdict,
  ExplainedDecision,
  GuardShares,
  LearningDays,
  Timeline,
} from './autoscaling/report-types.js'
export { type ComparedController, type CompareOptions, type Comparison, compare } from './comparison/compare.js'
export { controllersOf, describeController, LEARNERS, type NamedController } from './comparison/controllers.js'
export { runTrial, Trial, type TrialEpisode, type TrialResult, type TrialSpec } from './comparison/trial.js'
export { promiseCellInParts, runPromiseCell } from './promise/cell.js'
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
  type PromiseLife,
  type PromiseRecord,
  type PromiseTrial,
  type PromiseWatch,
  type PromiseWorldSpec,
  type TunedFamily,
} from './promise/spec.js'
export { type ControllerSummary, summarise } from './promise/summary.js'
export type { StudyHooks, StudyProgress } from './run-all.js'
export type { Spread } from './spread.js'
export {
  type ArenaHeadroom,
  type ArenaRules,
  type ArenaRulesSpec,
  bestInValidation,
  headroomOf,
  type JudgedRule,
  judgeArenaRules,
} from './tenants/arena-rules.js'
export { runTenantsCell, type TenantsCell, type TenantsCellSpec } from './tenants/cell.js'
export { chooseDefault, DEFAULT_CANDIDATES, type DefaultChoice } from './tenants/choose.js'
export {
  CHURN_METHODS,
  type ChurnCell,
  type ChurnCellSpec,
  type ChurnChange,
  type ChurnMethod,
  type ChurnMethodName,
  runChurnCell,
} from './tenants/churn.js'
export {
  type ArenaComparison,
  type ArenaPlan,
  type ComparedVariant,
  compareTenants,
  type TenantsHooks,
  type TenantsPlan,
} from './tenants/compare.js'
export {
  judgeController,
  type LearnedPolicies,
  type LearningPlan,
  type LearningWorlds,
  learnPolicies,
} from './tenants/learn-policies.js'
export { CHECKING_PLATFORMS, LEARNING_PLATFORMS, VALIDATION_PLATFORMS } from './tenants/platforms.js'
export { type PolicyGroup, PolicyGroups } from './tenants/policy-groups.js'
export type { TunedTenantRule } from './tenants/tuned-rule.js'
export {
  type PolicySharing,
  TENANT_VARIANTS,
  type TenantVariant,
  type TenantVariantName,
} from './tenants/variants.js'
