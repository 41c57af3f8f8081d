// Prometheus' text format 0.0.4: what a server exposes at `/metrics`, and what a text file collector reads.

/** The type under which the text is sent. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What tells the series of a metric apart; any text may be a value. */
export type MetricLabels = Readonly<Record<string, string>>

/** One line: the value of one series. */
export interface MetricSample {
  /** Behind the metric's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels: MetricLabels
  readonly value: number
}

/** One family of series. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** As they are now. */
  samples(): Iterable<MetricSample>
}

/** The text of all metrics; no two may have the same name. */
export function renderMetrics(metrics: Iterable<Metric>): string {
  const lines: string[] = []
  for (const metric of metrics) {
    lines.push(`# HELP ${metric.name} ${escapeHelp(metric.help)}`, `# TYPE ${metric.name} ${metric.type}`)
    for (const { suffix = '', labels, value } of metric.samples())
      lines.push(`${metric.name}${suffix}${renderLabels(labels)} ${renderValue(value)}`)
  }
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

function renderLabels(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
