// Alerts and dashboard speak of what the operator exports; Prometheus itself reads the rules and lets them fire.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MultidimPodAutoscaler } from '@trimtab/kubernetes'
import { renderMetrics } from '@trimtab/prometheus'
import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { notChecked } from '../../../../test/not-checked.js'
import { makeFolder } from '../../../kubernetes/test/opened.js'
import { OperatorMetrics } from '../../src/index.js'
import { alertRules, grafanaDashboard } from '../../src/manifests/index.js'

describe('alerts and dashboard', () => {
  /** Every series that the operator exports, with its labels. */
  const exported = (): string => {
    const metrics = new OperatorMetrics({ values: () => new Map<string, MultidimPodAutoscaler>().values() })
    metrics.passed('updater', 1, 'failed')
    metrics.changed('resize')
    metrics.led('updater', true)
    metrics.refused('Paused')
    metrics.apiFailed('api_forbidden')
    return renderMetrics(metrics.all)
  }
  const expressions = [
    ...JSON.stringify([alertRules(), grafanaDashboard()]).matchAll(/"expr":"((?:[^"\\]|\\.)*)"/g),
  ].map(([, expression]) => JSON.parse(`"${expression}"`) as string)

  it.each(expressions)('%s asks for what is exported', (expression) => {
    const text = exported()
    for (const [name] of expression.matchAll(/trimtab_\w+/g)) expect(text).toMatch(new RegExp(`^${name}[{ ]`, 'm'))
    const [, labels = ''] = /by \(([^)]*)\)/.exec(expression) ?? []
    for (const label of labels.split(', ').filter(Boolean)) {
      const [name] = /trimtab_\w+/.exec(expression)!
      expect(text).toMatch(new RegExp(`^${name}\\{.*${label}="`, 'm'))
    }
  })
})

const HAS_PROMTOOL = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
)
if (!HAS_PROMTOOL) notChecked('the alerts by promtool', 'prometheus (apt)')

describe.runIf(HAS_PROMTOOL)('promtool', () => {
  let folder: string
  const promtool = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('promtool', args, { cwd: folder })).stdout
  beforeAll(async () => {
    const made = await makeFolder()
    folder = made.path
    await writeFile(join(folder, 'alerts.yaml'), stringify(alertRules()))
    return made.remove
  })

  it('finds the rules well made', async () => {
    expect(await promtool('check', 'rules', 'alerts.yaml')).toMatch(/SUCCESS: 6 rules found/)
  })

  const LEADS = { series: 'trimtab_operator_leader{part="updater"}', values: '1+0x120' }
  it.each([
    ['TrimtabAbsent', [], {}, 'critical', 'No part of the operator is scraped.'],
    [
      'TrimtabNoLeader',
      [{ ...LEADS, values: '0+0x120' }],
      { part: 'updater' },
      'critical',
      'No replica of the updater leads.',
    ],
    [
      'TrimtabPassesFail',
      [LEADS, { series: 'trimtab_operator_passes_total{part="updater",outcome="failed"}', values: '0+1x120' }],
      { part: 'updater' },
      'warning',
      'Passes of the updater fail.',
    ],
    [
      'TrimtabPassesSlow',
      ['30', '60', '+Inf']
        .map((le) => ({
          series: `trimtab_operator_pass_duration_seconds_bucket{part="updater",le="${le}"}`,
          values: le === '30' ? '0+0x120' : '0+4x120',
        }))
        .concat(LEADS),
      { part: 'updater' },
      'warning',
      'A pass of the updater takes 59.7s.',
    ],
    [
      'TrimtabApiFails',
      [LEADS, { series: 'trimtab_operator_api_failures_total{code="api_forbidden"}', values: '0+60x120' }],
      { code: 'api_forbidden' },
      'warning',
      'The API server answers with api_forbidden.',
    ],
    [
      'TrimtabHeldBack',
      [LEADS, { series: 'trimtab_operator_refusals_total{reason="WebhookDown"}', values: '0+4x240' }],
      { reason: 'WebhookDown' },
      'info',
      'Changes are held back: WebhookDown.',
    ],
  ])('%s fires when it should, and nothing else does', async (alert, series, labels, severity, summary) => {
    const at = '2h'
    const { rules } = alertRules().groups[0] as { rules: { alert: string; annotations: { description: string } }[] }
    const { description } = rules.find((rule) => rule.alert === alert)!.annotations
    const expected = { exp_labels: { ...labels, severity }, exp_annotations: { summary, description } }
    const others = rules.filter((rule) => rule.alert !== alert)
    const test = {
      rule_files: ['alerts.yaml'],
      tests: [
        {
          interval: '1m',
          input_series: series,
          alert_rule_test: [
            { eval_time: at, alertname: alert, exp_alerts: [expected] },
            ...others.map(({ alert: alertname }) => ({ eval_time: at, alertname, exp_alerts: [] })),
          ],
        },
      ],
    }
    await writeFile(join(folder, 'test.yaml'), stringify(test))
    expect(await promtool('test', 'rules', 'test.yaml')).toContain('SUCCESS')
  })
})
