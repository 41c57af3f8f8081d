import { LABELS, type ManifestObject, manifest } from '../object.js'
import type { InstallSettings } from '../options.js'
import { PORTS } from '../workloads.js'
import { alertRules } from './alerts.js'
import { grafanaDashboard } from './dashboard.js'

const PROMETHEUS_OPERATOR = 'monitoring.coreos.com/v1'

/** What shows the operator to the Prometheus operator and to Grafana's sidecar: metrics, alerts, dashboard. */
export function monitoring({ namespace }: InstallSettings): ManifestObject[] {
  const metrics = { name: 'trimtab-metrics', namespace }
  const isMetrics = { 'trimtab.dev/endpoint': 'metrics' }
  const name = 'trimtab'
  const selector = { 'app.kubernetes.io/name': LABELS['app.kubernetes.io/name'] }
  const ports = [{ name: 'metrics', port: PORTS.metrics, targetPort: 'metrics' }]
  const dashboard = JSON.stringify(grafanaDashboard(), undefined, 2)
  return [
    manifest('v1', 'Service', { ...metrics, labels: isMetrics }, { spec: { clusterIP: 'None', selector, ports } }),
    manifest(
      PROMETHEUS_OPERATOR,
      'ServiceMonitor',
      { name, namespace },
      { spec: { selector: { matchLabels: isMetrics }, endpoints: [{ port: 'metrics' }] } },
    ),
    manifest(PROMETHEUS_OPERATOR, 'PrometheusRule', { name, namespace }, { spec: alertRules() }),
    manifest(
      'v1',
      'ConfigMap',
      { name: 'trimtab-dashboard', namespace, labels: { grafana_dashboard: '1' } },
      { data: { 'trimtab.json': `${dashboard}\n` } },
    ),
  ]
}
