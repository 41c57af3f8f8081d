export type {
  Action,
  ActionExec,
  ActivationRecord,
  ActivationStatus,
  ActivationSummary,
  JsonObject,
  KeyValue,
  NamespaceLimits,
  WhiskActionLimits,
} from '../protocol.js'
export { DEFAULT_ACTION_LIMITS, DEFAULT_NAMESPACE_LIMITS } from './limits.js'
export type { ActivationOutcome, FunctionPlatform, Invocation } from './platform.js'
export { type NamespaceAccess, WhiskServer, type WhiskServerOptions } from './server.js'
export { WhiskError } from './whisk-error.js'
