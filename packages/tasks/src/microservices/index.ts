export { FIRM_CONTINUOUS, FIRM_OPTIONS, FIRM_TERNARY, PAPER_EXPLORATION } from './agents.js'
export {
  ANOMALY_KINDS,
  ANOMALY_PATTERNS,
  type Anomaly,
  type AnomalyKind,
  type AnomalyPattern,
  type AnomalyTarget,
  levelAt,
  RESOURCE_OF,
  STRONGEST,
} from './anomaly.js'
export { type CallSketch, parseCalls } from './call-notation.js'
export { type Campaign, checkCampaign, formatCampaign, parseCampaign } from './campaign.js'
export {
  type CampaignOptions,
  generateCampaign,
  generateWindowCampaign,
  type WindowCampaignOptions,
} from './generate-campaign.js'
export {
  type Call,
  checkGraph,
  instanceName,
  type RequestType,
  type Service,
  type ServiceGraph,
  type ServiceKind,
} from './graph.js'
export { type AnomalyTruth, groundTruth, type TruthOptions, type WindowTruth } from './ground-truth.js'
export type { InstanceState } from './instance.js'
export { createPreset, PRESETS, type PresetName } from './presets.js'
export { generateGraph, type RandomGraphOptions } from './random-graph.js'
export { RESOURCE_UNITS, RESOURCES, type Resource, type ResourceVector } from './resources.js'
export { COLD_START_SECONDS, MicroserviceSimulator, type SimulatorOptions } from './simulator.js'
export {
  type BreakingRange,
  type BreakingRangeOptions,
  findBreakingRange,
  generateSingleCampaign,
  type SingleCampaignOptions,
} from './single-campaign.js'
export { faultFreeSlosMs, p99sMs, type SloOptions } from './slo.js'
export { type GraphTelemetry, type InstanceTelemetry, latencyMs, type RequestTelemetry } from './telemetry.js'
