export {
  METRICS_CONTENT_TYPE,
  type Metric,
  type MetricLabels,
  type MetricSample,
  renderMetrics,
} from '@trimtab/core/text'
export {
  CounterMetric,
  type CounterSeries,
  HistogramMetric,
  type HistogramSeries,
  ObservableMetric,
} from './instruments.js'
