export type { Disturbance, DisturbanceTotals } from './inject/disturbance.js'
export { EdgeProxy, type EdgeProxyOptions, type TrafficShape } from './inject/edge-proxy.js'
export {
  type InjectedSecond,
  type InjectionOptions,
  type InjectionTarget,
  type InjectionTruth,
  type InjectionWorld,
  inject,
} from './inject/injector.js'
export { type StressKind, Stressor, type StressorOptions } from './inject/stressor.js'
export { Surge, type SurgeTarget } from './inject/surge.js'
