export {
  type ActionLevels,
  type ActionScheme,
  continuousActions,
  levelActions,
  STEP_ACTIONS,
} from './action-schemes.js'
export { type ArenaPart, arenaSpec, SERVERLESS_ARENAS, type ServerlessArena, standardArena } from './arenas/arenas.js'
export { type CorrectionLevels, correctionActions } from './correction-actions.js'
export { ServerlessEnvironment } from './environment.js'
export { EventPlatform, type TenantEvents } from './events/event-platform.js'
export {
  ADVISED_FEATURES,
  COMPACT_GLOBALS,
  type Feature,
  featureSpace,
  type GlobalFeature,
  PAPER_GLOBALS,
  PRINTED_FEATURES,
  SIZING_FEATURES,
} from './features.js'
export {
  FUNCTION_CATEGORIES,
  type FunctionCategory,
  type FunctionProfile,
  generateFunctions,
  IO_KNEE,
  MEMORY_KNEE,
  PAPER_FUNCTIONS,
} from './function-profile.js'
export type { GlobalView } from './global-state.js'
export { type AzureFunction, type AzureTables, readAzureFunctions, splitFunctions } from './loads/azure-functions.js'
export { type CallPattern, type CallWindow, drawCallPatterns, drawCalls } from './loads/call-pattern.js'
export { stepRates } from './loads/step-rates.js'
export {
  cpuUtilisation01,
  heldContainers,
  heldCores,
  isSloViolation,
  memoryUtilisation01,
  tenantPreservation,
  tenantValue,
  VIOLATION_PRICE,
} from './outcome.js'
export { ServerlessPlatform } from './platform.js'
export {
  ARRIVAL_LAWS,
  type ArrivalLaw,
  CPU_MODES,
  type CpuMode,
  checkServerlessSpec,
  INVOKER,
  type InvokerSpec,
  SERVERLESS_DEFAULTS,
  type ServerlessEvent,
  type ServerlessSpec,
  type TenantSpec,
} from './platform-spec.js'
export { type PlatformRecord, PlatformTally } from './platform-tally.js'
export { SERVERLESS_LEARNER, SERVERLESS_PRESETS, type ServerlessPreset, type ServerlessPresetName } from './preset.js'
export { PRICED_REWARD, PRINTED_REWARD, type ServerlessReward } from './reward.js'
export { DemandRule, type DemandSettings } from './rules/demand-rule.js'
export { EnsureRule, type EnsureSettings } from './rules/ensure-rule.js'
export { type RuleSite, TENANT_RULE_FAMILIES, type TenantRuleFamily, withForesight } from './rules/families.js'
export { HistogramRule, type HistogramSettings } from './rules/histogram-rule.js'
export { HpaRule, type HpaSettings } from './rules/hpa-rule.js'
export { judgeRule, type MakeRule, type PlatformWatch, siteOf } from './rules/judge.js'
export { KnativeRule, type KnativeSettings } from './rules/knative-rule.js'
export { type FoundSettings, type SettingRange, type SettingRanges, searchSettings } from './rules/settings-search.js'
export { tuneTenantRule } from './rules/tune.js'
export { SingleTenantEnvironment } from './single-tenant.js'
export { isolatedP99Ms } from './sojourn.js'
export { SERVERLESS, type ServerlessPair } from './task.js'
export {
  createTenantTelemetry,
  type TenantAllocation,
  type TenantRule,
  type TenantTelemetry,
} from './telemetry.js'
export { TenantController } from './tenant-controller.js'
export { TenantObserver, writeFeatures } from './tenant-observer.js'
export { type ClusterScale, DEMAND_WINDOW, type TenantView } from './tenant-view.js'
