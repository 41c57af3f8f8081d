// Three minutes of real time: a real Prometheus scrapes the simulated application, and the recommender asks it about now.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createCore } from '@trimtab/core'
import { DEPLOYMENTS, MULTIDIM_POD_AUTOSCALERS } from '@trimtab/kubernetes'
import { PrometheusClient } from '@trimtab/prometheus'
import { afterEach, describe, expect, it } from 'vitest'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from '../../prometheus/test/real-prometheus.js'
import { Recommender } from '../src/index.js'
import { openCluster, openContext } from './cluster.js'
import { objectiveOf, REF, web } from './simulation/simulated-cluster.js'
import { SimulatedService } from './simulation/simulated-service.js'

const STEP_SECONDS = 5
const MINUTES = 3
const MOST = 0.75 // the first rate wants two scrapes, and a busy machine is late with some

const core = await createCore()
const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** What Prometheus scrapes: the samples of now, in its text format. */
async function serveMetrics(service: SimulatedService): Promise<string> {
  const server = createServer((_, response) => {
    const lines = service
      .samples(0)
      .map(({ labels: { __name__, app }, value }) => `${__name__}{app="${app}"} ${value}\n`)
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(lines.join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

if (!HAS_PROMETHEUS) sayUnchecked('three minutes of scraping')
describe.skipIf(!HAS_PROMETHEUS)('a recommender in real time', { timeout: 400_000 }, () => {
  it('decides from what Prometheus has scraped', async () => {
    const service = new SimulatedService(core, { app: 'web', seed: 31, second: 6 * 3600, stepSeconds: STEP_SECONDS })
    const target = await serveMetrics(service)
    const config = [
      'global: { scrape_interval: 5s }',
      `scrape_configs: [{ job_name: web, static_configs: [{ targets: ['${target}'] }] }]`,
    ].join('\n')
    const prometheus = await RealPrometheus.start({ config })
    opened.push(() => prometheus.stop())
    const cluster = await openCluster({ podUsage: (pod) => service.use(pod) })
    await cluster.client.create(DEPLOYMENTS, web(2, { cpu: '1', memory: '729Mi' }))
    const spec = { scaleTargetRef: { name: 'web' }, ...objectiveOf(service) }
    await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, { metadata: REF, spec })
    const context = await openContext(cluster)
    const client = new PrometheusClient({ url: prometheus.url })
    const recommender = new Recommender(context, { core, prometheus: client, periodSeconds: STEP_SECONDS })
    opened.push(
      () => client.dispose(),
      () => recommender.dispose(),
    )
    const conditions = new Map<string, number>()
    const steps = (60 * MINUTES) / STEP_SECONDS
    const { signal } = new AbortController()
    const startMs = performance.now()
    for (let step = 1; step <= steps; step++) {
      await service.step(cluster.standIn)
      await wait(Math.max(0, startMs + 1000 * STEP_SECONDS * step - performance.now()))
      await recommender.step(signal)
      const { status } = await cluster.client.get(MULTIDIM_POD_AUTOSCALERS, REF)
      const { status: holds = '' } = status?.conditions?.find(({ type }) => type === 'Measured') ?? {}
      conditions.set(holds, (conditions.get(holds) ?? 0) + 1)
    }
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(60_000 * MINUTES)
    expect(conditions.get('True')).toBeGreaterThanOrEqual(MOST * steps)
    const { samples } = await client.query(`count_over_time(http_requests_total{app="web"}[${MINUTES}m])`)
    expect(samples[0]!.value).toBeGreaterThanOrEqual(MOST * steps)
    const { status } = await cluster.client.get(MULTIDIM_POD_AUTOSCALERS, REF)
    expect(status?.summary?.slo).toMatch(/^p99 \d+ ms, at most \d+ ms/)
    expect(status?.replicas?.wanted).toBeGreaterThanOrEqual(1)
  })
})
