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
