import { type Metric, type MetricLabels, type MetricSample, printable, renderMetrics } from '@trimtab/core/text'
import type { Distribution, Profile } from '../profile/index.js'
import type { Repairs } from '../repairs.js'

const QUANTILES = [0.5, 0.9, 0.99] as const

/**
 * A profile in Prometheus' text format (version 0.0.4), base units, for a text file collector or a push gateway. One
 * series a service: bounded by the services, whatever the number of requests.
 *
 * `trimtab_request_latency_seconds` (summary), `trimtab_critical_path_self_seconds{service}` (summary over the requests on
 * whose path it is), `trimtab_critical_path_share_ratio{service}`,
 * `trimtab_critical_path_edge_share_ratio{caller,callee,kind}`, `trimtab_relative_importance{service}`,
 * `trimtab_variance_share_ratio{service}`, `trimtab_span_errors_total{service}`, `trimtab_trace_repairs_total{code}`.
 */
export function prometheusText(profile: Profile, repairs?: Repairs): string {
  const services = profile.services()
  const perService = (read: (service: (typeof services)[number]) => number): [MetricLabels, number][] =>
    services.map((service) => [{ service: service.service }, read(service)])
  const metrics = [
    summary('trimtab_request_latency_seconds', 'Latency of the requests that were analysed.', [[{}, profile.latency]]),
    summary(
      'trimtab_critical_path_self_seconds',
      'Time that a service owned on the critical path of a request.',
      services.map(({ service, self }) => [{ service }, self]),
    ),
    plain(
      'trimtab_critical_path_share_ratio',
      'gauge',
      'Part of all latency that a service owned; with edges, sums to 1.',
      perService(({ share }) => share),
    ),
    plain(
      'trimtab_critical_path_edge_share_ratio',
      'gauge',
      'Part of all latency on the way from one service to another.',
      profile.edges().map(({ caller, callee, kind, share }) => [{ caller, callee, kind }, share]),
    ),
    plain(
      'trimtab_relative_importance',
      'gauge',
      'Correlation of a service and the latency.',
      perService(({ relativeImportance }) => relativeImportance),
    ),
    plain(
      'trimtab_variance_share_ratio',
      'gauge',
      'Part of the variance of latency that a service explains; sums to 1.',
      perService(({ varianceShare }) => varianceShare),
    ),
    plain(
      'trimtab_span_errors_total',
      'counter',
      'Spans that failed.',
      perService(({ errors }) => errors),
    ),
    plain(
      'trimtab_trace_repairs_total',
      'counter',
      'What had to be mended in the traces.',
      (repairs?.list() ?? []).map(({ code, count }) => [{ code }, count]),
    ),
  ]
  return renderMetrics(metrics.filter(({ rows }) => rows.length > 0))
}

/** A metric whose series are known. */
interface Family extends Metric {
  readonly rows: readonly MetricSample[]
}

const family = (name: string, type: Metric['type'], help: string, rows: readonly MetricSample[]): Family => ({
  ...{ name, type, help, rows },
  samples: () => rows,
})

const plain = (
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  rows: readonly [MetricLabels, number][],
): Family =>
  family(
    name,
    type,
    help,
    rows.map(([labels, value]) => ({ labels: visible(labels), value })),
  )

function summary(name: string, help: string, rows: readonly (readonly [MetricLabels, Distribution])[]): Family {
  const samples = rows.flatMap(([given, times]) => {
    const labels = visible(given)
    return [
      ...QUANTILES.map((q) => ({ labels: { ...labels, quantile: String(q) }, value: times.quantile(q) / 1e9 })),
      { suffix: '_sum', labels, value: times.sumNs / 1e9 },
      { suffix: '_count', labels, value: times.count },
    ]
  })
  return family(name, 'summary', help, samples)
}

/** What no line can show becomes visible; line breaks the format can say. */
const visible = (labels: MetricLabels): MetricLabels =>
  Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, text.split('\n').map(printable).join('\n')]))
