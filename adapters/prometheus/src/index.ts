export type {
  InstantAnswer,
  InstantSample,
  RangeAnswer,
  RangeSeries,
  SeriesLabels,
  TimeRange,
} from './answer.js'
export { type InstantQueryOptions, PrometheusClient } from './client.js'
export { type MetricQuery, type MetricReading, PrometheusSource, type PrometheusSourceOptions } from './source.js'
