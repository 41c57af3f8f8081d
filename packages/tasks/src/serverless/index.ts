export {
  type ActionLevels,
  type ActionScheme,
  continuousActions,
  levelActions,
  STEP_ACTIONS,
} from './action-schemes.js'
export { ServerlessEnvironment } from './environment.js'
export {
  COMPACT_GLOBALS,
  type Feature,
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
export { SERVERLESS_LEARNER, SERVERLESS_PRESETS, type ServerlessPreset, type ServerlessPresetName } from './preset.js'
export { PRICED_REWARD, PRINTED_REWARD, type ServerlessReward } from './reward.js'
export { SingleTenantEnvironment } from './single-tenant.js'
export { isolatedP99Ms } from './sojourn.js'
export { SERVERLESS, type ServerlessPair } from './task.js'
export {
  createTenantTelemetry,
  type TenantAllocation,
  type TenantRule,
  type TenantTelemetry,
} from './telemetry.js'
export { TenantRules } from './tenant-rules.js'
export { type ClusterScale, DEMAND_WINDOW, type TenantView } from './tenant-view.js'
