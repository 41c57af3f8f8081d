import { readFileSync } from 'node:fs'
import { type MultidimPodAutoscaler, PAUSE_ANNOTATION } from '@trimtab/kubernetes'
import { HttpServer } from '@trimtab/node/http'
import { renderMetrics } from '@trimtab/prometheus'
import { describe, expect, it } from 'vitest'
import { readExposition } from '../../prometheus/test/exposition.js'
import { HAS_PROMETHEUS, lint, sayUnchecked } from '../../prometheus/test/real-prometheus.js'
import { answerHealth, OperatorMetrics } from '../src/index.js'

if (!HAS_PROMETHEUS) sayUnchecked('names of the operator’s metrics')

const autoscaler = (name: string, mode?: 'recommend' | 'act', annotations = {}): MultidimPodAutoscaler => ({
  metadata: { namespace: 'default', name, annotations },
  spec: { scaleTargetRef: { name }, ...(mode !== undefined && { mode }) },
})

const metricsOf = (...objects: MultidimPodAutoscaler[]): OperatorMetrics =>
  new OperatorMetrics({ values: () => objects.values() as ReturnType<MultidimPodAutoscaler[]['values']> })

const valuesOf = (metrics: OperatorMetrics, name: string) =>
  Object.fromEntries(readExposition(renderMetrics(metrics.all)).get(name)!.samples)

describe('metrics of the operator', () => {
  it('count what was told', () => {
    const metrics = metricsOf()
    metrics.passed('updater', 0.2, 'done')
    metrics.passed('updater', 4, 'failed')
    metrics.changed('evict')
    metrics.refused('Settling')
    metrics.led('recommender', true)
    metrics.apiFailed('api_conflict')
    expect(valuesOf(metrics, 'trimtab_operator_passes_total')).toMatchObject({
      'trimtab_operator_passes_total{part="updater",outcome="done"}': 1,
      'trimtab_operator_passes_total{part="updater",outcome="failed"}': 1,
      'trimtab_operator_passes_total{part="recommender",outcome="done"}': 0,
    })
    expect(valuesOf(metrics, 'trimtab_operator_pass_duration_seconds')).toMatchObject({
      'trimtab_operator_pass_duration_seconds_sum{part="updater"}': 4.2,
      'trimtab_operator_pass_duration_seconds_bucket{part="updater",le="0.3"}': 1,
    })
    expect(valuesOf(metrics, 'trimtab_operator_changes_total')).toEqual({
      'trimtab_operator_changes_total{kind="replicas"}': 0,
      'trimtab_operator_changes_total{kind="resize"}': 0,
      'trimtab_operator_changes_total{kind="evict"}': 1,
    })
    expect(valuesOf(metrics, 'trimtab_operator_refusals_total')).toEqual({
      'trimtab_operator_refusals_total{reason="Settling"}': 1,
    })
    expect(valuesOf(metrics, 'trimtab_operator_leader')).toEqual({
      'trimtab_operator_leader{part="recommender"}': 1, // none of a part that does not run here: an alert would take it for leaderless
    })
    expect(valuesOf(metrics, 'trimtab_operator_api_failures_total')).toEqual({
      'trimtab_operator_api_failures_total{code="api_conflict"}': 1,
    })
  })

  it('count autoscalers by what they may do: those without a mode recommend, paused ones do nothing', () => {
    const paused = { [PAUSE_ANNOTATION]: 'sale' }
    const metrics = metricsOf(autoscaler('a'), autoscaler('b', 'act'), autoscaler('c', 'act', paused), autoscaler('d'))
    expect(valuesOf(metrics, 'trimtab_operator_autoscalers')).toEqual({
      'trimtab_operator_autoscalers{mode="recommend"}': 2,
      'trimtab_operator_autoscalers{mode="act"}': 1,
      'trimtab_operator_autoscalers{mode="paused"}': 1,
    })
  })

  it('have as many series for a thousand autoscalers, and for a server that makes up codes, as for few', () => {
    const count = (metrics: OperatorMetrics) =>
      [...readExposition(renderMetrics(metrics.all)).values()].reduce((sum, { samples }) => sum + samples.size, 0)
    const many = metricsOf(...Array.from({ length: 1000 }, (_, i) => autoscaler(`web-${i}`)))
    expect(count(many)).toBe(count(metricsOf()))
    for (let i = 0; i < 1000; i++) many.apiFailed(`api_reason_${i}`)
    const failures = valuesOf(many, 'trimtab_operator_api_failures_total')
    expect(Object.keys(failures)).toHaveLength(31)
    expect(failures['trimtab_operator_api_failures_total{code="other"}']).toBe(970)
  })

  it('are all in METRICS.md, with their labels', () => {
    const metrics = metricsOf(autoscaler('a'))
    metrics.led('updater', true)
    metrics.refused('Paused')
    metrics.apiFailed('api_conflict')
    const page = readFileSync(new URL('../METRICS.md', import.meta.url), 'utf8')
    const written = [...page.matchAll(/^\| `(trimtab_operator_\w+)\{([\w,]+)\}`/gm)].map(([, name, labels]) => [
      name,
      labels,
    ])
    const own = metrics.all.filter(({ name }) => name.startsWith('trimtab_operator_'))
    expect(written).toEqual(
      own.map((metric) => [metric.name, Object.keys([...metric.samples()].at(-1)!.labels).join()]),
    )
  })

  it.runIf(HAS_PROMETHEUS)('are named as promtool wants them', () => {
    const metrics = metricsOf(autoscaler('a'))
    metrics.refused('Paused')
    metrics.apiFailed('api_conflict')
    expect(lint(renderMetrics(metrics.all))).toBe('')
  })
})

describe('the server beside the operator', () => {
  it('is alive at once, ready when nothing is missing, and shows its metrics', async () => {
    const missing = ['pods are not listed yet']
    const answer = answerHealth({ metrics: metricsOf().all, unready: () => missing })
    const server = await HttpServer.listen(answer, 0, '127.0.0.1')
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
      return [response.status, await response.text()]
    }
    try {
      expect(await get('/healthz')).toEqual([200, 'ok\n'])
      expect(await get('/readyz')).toEqual([503, 'pods are not listed yet\n'])
      missing.pop()
      expect(await get('/readyz')).toEqual([200, 'ok\n'])
      expect(await get('/metrics')).toEqual([200, renderMetrics(metricsOf().all)])
      expect(await get('/')).toEqual([404, 'there are /metrics, /healthz and /readyz\n'])
      expect((await get('/metrics', 'POST'))[0]).toBe(405)
      await expect(HttpServer.listen(answer, server.port, '127.0.0.1')).rejects.toMatchObject({ code: 'port_unusable' })
    } finally {
      await server.close()
    }
  })
})
