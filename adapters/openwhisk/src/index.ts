export { ApiActuator, type ApiActuatorOptions } from './actuation/api-actuator.js'
export type { ContainerShares, HostContainer } from './actuation/container-shares.js'
export { HostActuator, type HostActuatorOptions } from './actuation/host-actuator.js'
export { type InvokerShares, memoryFor, sharesOf } from './actuation/invoker-shares.js'
export {
  type LimitChange,
  type LimitChanges,
  LimitsActuator,
  type LimitsActuatorOptions,
  type LimitWish,
} from './actuation/limits-actuator.js'
export type { AllocationChange, AllocationInForce, TenantActuator } from './actuation/tenant-actuator.js'
export { type WarmUpOptions, type WarmUpReport, WarmUps } from './actuation/warm-ups.js'
export type { ActionReport, ActivationReport } from './client/reports.js'
export {
  type ActivationPage,
  type ActivationQuery,
  WhiskClient,
  type WhiskClientOptions,
} from './client/whisk-client.js'
export type { JsonObject, NamespaceLimits, WhiskActionLimits } from './protocol.js'
export { type ActivationBatch, ActivationFeed, type ActivationFeedOptions } from './telemetry/activation-feed.js'
export { ActivationSource, type ActivationSourceOptions } from './telemetry/activation-source.js'
export type { ScrapedSample } from './telemetry/exposition.js'
export type { ActionSample, TelemetryReading, TelemetrySource } from './telemetry/reading.js'
export { DirectScraper, PrometheusScraper } from './telemetry/scrapers.js'
export {
  type CounterScrape,
  type CounterScraper,
  type UserEventsOptions,
  UserEventsSource,
  type UserEventTags,
} from './telemetry/user-events-source.js'
export { decideByPolicy, type PolicyDeciderOptions } from './tenants/policy-decider.js'
export { decideByRules } from './tenants/rule-decider.js'
export {
  type RunTenantsOptions,
  runTenants,
  type TenantDecider,
  type TenantDecisions,
  type TenantPlatform,
  type TenantTick,
} from './tenants/run-tenants.js'
export { TEAM_CATEGORY, TeamDecider, type TeamDeciderOptions } from './tenants/team-decider.js'
export { type Tenant, WhiskTenants, type WhiskTenantsOptions } from './tenants/whisk-tenants.js'
