export type { Actuators, Because, MitigationPolicy, Order, OrderOutcome, Window, WindowSource } from './application.js'
export {
  AimdEverywhere,
  type AimdOptions,
  FixedLimits,
  NO_MITIGATION,
  ReplicaAutoscaler,
  type ReplicaAutoscalerOptions,
} from './baselines.js'
export type { LocatedCulprit } from './culprit.js'
export { CONTINUOUS_ACTION, type CulpritAction, LIMIT_RANGE, TERNARY_ACTION } from './culprit-action.js'
export {
  byOwnQueue,
  byTraces,
  CulpritPolicy,
  type CulpritPolicyOptions,
  type Named,
  type Namer,
  nameAll,
  oneForEach,
} from './culprit-policy.js'
export { CULPRIT_OBSERVATION, type CulpritView, encodeCulprit } from './culprit-state.js'
export {
  busiestResource,
  type CulpritAccount,
  Explainer,
  type ExplainerOptions,
  routeTo,
  shortResource,
} from './explain.js'
export { type FittedGrant, fitGrant, type GrantBounds, limitsOutcome } from './fit-grant.js'
export { type Healthy, healthyBehaviour, healthyFrom } from './healthy.js'
export { Localiser, type LocaliserOptions } from './localiser.js'
export { type MitigateOptions, type MitigationTick, mitigate } from './mitigate.js'
export { RaisedLimits, type ReleaseOptions } from './raised-limits.js'
export { SimulatedApplication, type SimulatedApplicationOptions } from './simulated-application.js'
export { byRequest, latencyNs } from './traces.js'
export { type Usual, usualBehaviour, usualOf, usualProfiles } from './usual.js'
