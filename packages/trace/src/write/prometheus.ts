import { printable } from '@trimtab/core/text'
import type { Distribution, Profile } from '../profile/index.js'
import type { Repairs } from '../repairs.js'

const QUANTILES = [0.5, 0.9, 0.99] as const

type Labels = Readonly<Record<string, string>>

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
  const perService = (read: (service: (typeof services)[number]) => number): [Labels, number][] =>
    services.map((service) => [{ service: service.service }, read(service)])
  return [
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
  ].join('')
}

const header = (name: string, type: string, help: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

function plain(name: string, type: 'gauge' | 'counter', help: string, rows: readonly [Labels, number][]): string {
  const lines = rows.map(([labels, value]) => line(name, labels, value))
  return lines.length > 0 ? header(name, type, help) + lines.join('') : ''
}

function summary(name: string, help: string, rows: readonly (readonly [Labels, Distribution])[]): string {
  const lines = rows.flatMap(([labels, times]) => [
    ...QUANTILES.map((q) => line(name, { ...labels, quantile: String(q) }, times.quantile(q) / 1e9)),
    line(`${name}_sum`, labels, times.sumNs / 1e9),
    line(`${name}_count`, labels, times.count),
  ])
  return lines.length > 0 ? header(name, 'summary', help) + lines.join('') : ''
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n` // NaN is Prometheus' own word too
}

/** Line breaks as the format has them; what else no line can show becomes visible. */
const escaped = (text: string): string =>
  text
    .split('\n')
    .map((line) => printable(line).replace(/\\/g, '\\\\').replace(/"/g, '\\"'))
    .join('\\n')
