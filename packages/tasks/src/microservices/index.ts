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
export { MicroserviceEnvironment, type MicroserviceEnvironmentOptions, type MitigationInfo } from './environment.js'
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
export * from './mitigation/index.js'
export { type Node, nodesFor } from './nodes.js'
export { FIRM_CONTINUOUS, FIRM_OPTIONS, FIRM_TERNARY, MITIGATION_DDPG, PAPER_EXPLORATION } from './preset.js'
export { createPreset, PRESETS, type PresetName } from './presets.js'
export { type Provision, provision } from './provision.js'
export { generateGraph, type RandomGraphOptions } from './random-graph.js'
export { RESOURCE_UNITS, RESOURCES, type Resource, type ResourceVector, vectorOf } from './resources.js'
export { mitigationReward } from './reward.js'
export { COLD_START_SECONDS, MicroserviceSimulator, type SimulatorOptions } from './simulator.js'
export {
  type BreakingRange,
  type BreakingRangeOptions,
  findBreakingRange,
  generateSingleCampaign,
  type SingleCampaignOptions,
} from './single-campaign.js'
export { faultFreeSlosMs, p99sMs, type SloOptions } from './slo.js'
export { MICROSERVICES, MICROSERVICES_TERNARY, type MicroservicePair } from './task.js'
export { type GraphTelemetry, type InstanceTelemetry, latencyMs, type RequestTelemetry } from './telemetry.js'
