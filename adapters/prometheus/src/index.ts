export type {
  InstantAnswer,
  InstantSample,
  RangeAnswer,
  RangeSeries,
  TimeRange,
} from './answer.js'
export { type InstantQueryOptions, PrometheusClient } from './client.js'
export { LoopMetrics } from './loop-metrics.js'
export * from './metrics.js'
export {
  type KnownValue,
  type MetricQuery,
  type MetricReading,
  onlyValueOf,
  PrometheusSource,
  type PrometheusSourceOptions,
} from './source.js'
