export {
  METRICS_CONTENT_TYPE,
  type Metric,
  type MetricLabels,
  type MetricSample,
  renderMetrics,
} from './exposition.js'
export { escapeUnprintable, printable } from './printable.js'
