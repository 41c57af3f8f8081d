// Alerts on what the operator says of itself. Each leads to the section of the runbook that has its name.

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly summary: string
  readonly description: string
}

const ALERTS: readonly Alert[] = [
  {
    alert: 'TrimtabAbsent',
    expr: 'absent(trimtab_operator_leader)',
    for: '5m',
    severity: 'critical',
    summary: 'No part of the operator is scraped.',
    description: 'Workloads keep the size they have. See whether the pods run, and whether Prometheus may reach them.',
  },
  {
    alert: 'TrimtabNoLeader',
    expr: 'sum by (part) (trimtab_operator_leader) < 1',
    for: '2m',
    severity: 'critical',
    summary: 'No replica of the {{ $labels.part }} leads.',
    description: 'It does nothing until one does. Its lease says who held it last, its log why it was lost.',
  },
  {
    alert: 'TrimtabPassesFail',
    expr: 'sum by (part) (rate(trimtab_operator_passes_total{outcome="failed"}[5m])) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'Passes of the {{ $labels.part }} fail.',
    description: 'What could not be decided or done is tried again each period. Its log names the error.',
  },
  {
    alert: 'TrimtabPassesSlow',
    expr: 'histogram_quantile(0.99, sum by (le, part) (rate(trimtab_operator_pass_duration_seconds_bucket[10m]))) > 10',
    for: '10m',
    severity: 'warning',
    summary: 'A pass of the {{ $labels.part }} takes {{ $value | humanizeDuration }}.',
    description: 'Beyond its period, decisions come late. Prometheus and the API server are asked in each pass.',
  },
  {
    alert: 'TrimtabApiFails',
    expr: 'sum by (code) (rate(trimtab_operator_api_failures_total[5m])) > 0.1',
    for: '10m',
    severity: 'warning',
    summary: 'The API server answers with {{ $labels.code }}.',
    description:
      'With api_forbidden a role is not as it was shipped; otherwise the server is away or busy, and is asked again.',
  },
  {
    alert: 'TrimtabHeldBack',
    expr: 'sum by (reason) (increase(trimtab_operator_refusals_total[1h])) > 20',
    for: '1h',
    severity: 'info',
    summary: 'Changes are held back: {{ $labels.reason }}.',
    description: 'kubectl describe mdpa says of each object what was not done, and why.',
  },
]

/** The alerts as Prometheus reads a file of rules. */
export function alertRules(): { readonly groups: readonly object[] } {
  const rules = ALERTS.map(({ severity, summary, description, ...rule }) => ({
    ...rule,
    labels: { severity },
    annotations: { summary, description },
  }))
  return { groups: [{ name: 'trimtab', rules }] }
}
