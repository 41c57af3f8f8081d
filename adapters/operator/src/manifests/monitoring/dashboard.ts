// A dashboard for Grafana: who leads, what was decided, done and held back, and how long it took.

interface Panel {
  readonly title: string
  readonly description: string
  readonly expr: string
  readonly legend: string
  readonly unit: string
}

const PANELS: readonly Panel[] = [
  {
    title: 'Leaders',
    description: 'One of each part leads; the others wait.',
    expr: 'sum by (part) (trimtab_operator_leader)',
    legend: '{{part}}',
    unit: 'none',
  },
  {
    title: 'Autoscalers',
    description: 'Those that recommend, and those that act.',
    expr: 'max by (mode) (trimtab_operator_autoscalers)',
    legend: '{{mode}}',
    unit: 'none',
  },
  {
    title: 'Changes',
    description: 'Replicas set, pods resized in place, pods evicted for a new size; an hour.',
    expr: 'sum by (kind) (increase(trimtab_operator_changes_total[1h]))',
    legend: '{{kind}}',
    unit: 'none',
  },
  {
    title: 'Held back',
    description: 'Changes that were wanted and not made, by reason; an hour.',
    expr: 'sum by (reason) (increase(trimtab_operator_refusals_total[1h]))',
    legend: '{{reason}}',
    unit: 'none',
  },
  {
    title: 'Passes',
    description: 'By part and outcome, a second.',
    expr: 'sum by (part, outcome) (rate(trimtab_operator_passes_total[5m]))',
    legend: '{{part}} {{outcome}}',
    unit: 'ops',
  },
  {
    title: 'Duration of passes',
    description: 'The 99th percentile.',
    expr: 'histogram_quantile(0.99, sum by (le, part) (rate(trimtab_operator_pass_duration_seconds_bucket[5m])))',
    legend: '{{part}}',
    unit: 's',
  },
  {
    title: 'Failures of the API',
    description: 'By code, a second.',
    expr: 'sum by (code) (rate(trimtab_operator_api_failures_total[5m]))',
    legend: '{{code}}',
    unit: 'ops',
  },
]

const WIDTH = 12
const HEIGHT = 8

/** The dashboard as Grafana imports it, from version 9 on. */
export function grafanaDashboard(): object {
  const datasource = { type: 'prometheus', uid: `\${datasource}` }
  const panels = PANELS.map(({ title, description, expr, legend, unit }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', datasource, expr, legendFormat: legend }],
  }))
  return {
    uid: 'trimtab-operator',
    title: 'Trimtab operator',
    schemaVersion: 37,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels,
  }
}
