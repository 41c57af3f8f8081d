import { DEPLOYMENTS, LEASES, MULTIDIM_POD_AUTOSCALERS } from '@trimtab/kubernetes'
import { OPERATOR_NAMESPACE } from '@trimtab/operator'
import { operatorObjects } from '@trimtab/operator/manifests'
import { describe, expect, it } from 'vitest'
import { InfluxDouble, TOKEN } from '../../../adapters/influxdb/test/influx-double.js'
import { HAS_INFLUXD, RealInflux, sayUnchecked } from '../../../adapters/influxdb/test/real-influx.js'
import { deployment } from '../../../adapters/kubernetes/test/objects.js'
import { temporaryFile } from '../../../adapters/kubernetes/test/opened.js'
import { autoscalerOf, openCluster } from '../../../adapters/operator/test/cluster.js'
import { freePort } from '../../../test/free-port.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'

const WEB = { namespace: 'default', name: 'web' }

/** A cluster in which the Deployment `web` uses half of what it requests. */
async function openWeb() {
  const cluster = await openCluster({ podUsage: () => ({ main: { cpu: '5m', memory: '8Mi' } }) })
  const { client, standIn } = cluster
  await client.create(DEPLOYMENTS, deployment('default', 'web', 2))
  await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { bounds: { cpu: { min: '5m' } } }))
  return { ...cluster, kubeconfig: await temporaryFile(standIn.kubeconfig()) }
}

const argumentsOf = (workload: object): readonly string[] =>
  (workload as { spec: { template: { spec: { containers: { args: string[] }[] } } } }).spec.template.spec.containers[0]!
    .args

describe('trimtab operator', () => {
  it('recommends, answers probes and KEDA, and gives its lease back when it is told to stop', async () => {
    const { client, kubeconfig } = await openWeb()
    const ending = new AbortController()
    const host = createFakeHost({ signal: ending.signal })
    const [metrics, keda] = [await freePort(), await freePort()]
    const ports = ['--metrics-port', String(metrics), '--keda-port', String(keda)]
    const running = main(
      ['operator', '--kubeconfig', kubeconfig, '--parts', 'recommender', '--period', '1', ...ports],
      host,
    )
    const statusOf = async () => (await client.get(MULTIDIM_POD_AUTOSCALERS, WEB)).status
    await expect.poll(async () => (await statusOf())?.replicas?.wanted).toBe(2)
    expect((await fetch(`http://127.0.0.1:${metrics}/readyz`)).status).toBe(200)
    const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
    expect(page).toMatch(/^trimtab_operator_passes_total\{part="recommender",outcome="done"\} [1-9]/m)
    expect(page).toContain('trimtab_operator_autoscalers{mode="recommend"} 1')
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${keda}/keda/default/web`)).json())
      .toMatchObject({ value: 2 })
    ending.abort()
    expect(await running).toBe(0)
    const lease = await client.get(LEASES, { namespace: OPERATOR_NAMESPACE, name: 'trimtab-recommender' })
    expect(lease.spec?.holderIdentity).toBe('')
    const log = host
      .err()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(log.map(({ message }) => message)).toEqual(['started', 'leads', 'leads no longer', 'stopped'])
    expect(log[0]).toMatchObject({
      level: 'info',
      parts: ['recommender'],
      cluster: expect.stringMatching(/^v1\.32\./),
      metrics,
      keda,
    })
  })

  it('carries out what it recommends where it may act, and counts it', async () => {
    const { client, kubeconfig } = await openWeb()
    await client.setScale(DEPLOYMENTS, WEB, 4)
    const rule = { scaleDownStabilizationSeconds: 0 } // half of the request is used where 70 % should be: three pods do
    const spec = { mode: 'act', controlled: ['replicas'], rule }
    await client.merge(MULTIDIM_POD_AUTOSCALERS, WEB, { spec })
    const ending = new AbortController()
    const host = createFakeHost({ signal: ending.signal })
    const metrics = await freePort()
    const argv = ['--parts', 'recommender,updater', '--period', '1', '--metrics-port', String(metrics), '--log', 'text']
    const running = main(['operator', '--kubeconfig', kubeconfig, ...argv], host)
    await expect.poll(async () => (await client.get(DEPLOYMENTS, WEB)).spec?.replicas).toBe(3)
    const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
    expect(page).toContain('trimtab_operator_changes_total{kind="replicas"} 1')
    expect(page).toContain('trimtab_operator_leader{part="updater"} 1')
    ending.abort()
    expect(await running).toBe(0)
    expect(host.err()).toMatch(/^\S+Z info started parts=\["recommender","updater"\]/)
  })

  it('keeps the steps of each workload in InfluxDB (a double of 2.x)', async () => {
    const { kubeconfig } = await openWeb()
    const influx = await InfluxDouble.start()
    try {
      const ending = new AbortController()
      const host = createFakeHost({ signal: ending.signal, env: { INFLUX_TOKEN: TOKEN } })
      const argv = ['--parts', 'recommender', '--period', '1', '--metrics-port', '0']
      const call = ['operator', '--kubeconfig', kubeconfig, '--influxdb', `${influx.url}/?org=o&bucket=b`, ...argv]
      const running = main(call, host)
      await expect.poll(() => influx.size).toBeGreaterThanOrEqual(2)
      ending.abort()
      expect(await running, host.err()).toBe(0)
      expect(influx.writes[0]).toMatch(/^trimtab_trajectory,trajectory=default\/web /)
    } finally {
      influx.stop()
    }
  })

  if (!HAS_INFLUXD) sayUnchecked('the steps of workloads')
  it.skipIf(!HAS_INFLUXD)('keeps them in a real InfluxDB 1.x', async () => {
    const { kubeconfig } = await openWeb()
    const influx = await RealInflux.start()
    try {
      const ending = new AbortController()
      const host = createFakeHost({ signal: ending.signal })
      const argv = ['--parts', 'recommender', '--period', '1', '--metrics-port', '0']
      const running = main(['operator', '--kubeconfig', kubeconfig, '--influxdb', `${influx.url}/t`, ...argv], host)
      const count = async () => JSON.stringify(await influx.query('SELECT * FROM trimtab_trajectory'))
      await expect.poll(count).toContain('default/web')
      ending.abort()
      expect(await running, host.err()).toBe(0)
    } finally {
      await influx.stop()
    }
  })

  it.each([
    ['no database', 'http://127.0.0.1:8086', /--influxdb must be http/],
    ['a database and a bucket', 'http://127.0.0.1:8086/trimtab?org=a&bucket=b', /--influxdb must be http/],
    ['no token', 'http://127.0.0.1:8086/?org=a&bucket=b', /INFLUX_TOKEN/],
  ])('refuses an InfluxDB with %s', async (_, url, text) => {
    const { kubeconfig } = await openWeb()
    const host = createFakeHost()
    expect(await main(['operator', '--kubeconfig', kubeconfig, '--influxdb', url], host)).toBe(2)
    expect(host.err()).toMatch(text)
  })

  it.each([
    ['an unknown part', ['--parts', 'boss'], /--parts must name some of recommender, updater, admission/],
    ['a period of nothing', ['--period', '0'], /--period must be a whole number from 1 to 3600/],
    ['a Prometheus that is no URL', ['--prometheus', 'prometheus'], /url must be/],
  ])('refuses %s with 2', async (_, argv, text) => {
    const { kubeconfig } = await openWeb()
    const host = createFakeHost()
    expect(await main(['operator', '--kubeconfig', kubeconfig, ...argv], host)).toBe(2)
    expect(host.err()).toMatch(text)
  })

  it.each(
    operatorObjects({ watchedNamespaces: ['shop'] })
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => [object.metadata?.name, argumentsOf(object)] as const),
  )('takes what the manifests pass to %s', async (_, argv) => {
    const host = createFakeHost()
    expect(await main([...argv, '--kubeconfig', 'gone'], host)).toBe(2)
    expect(host.err()).toMatch(/^trimtab: no kubeconfig at gone[^\n]*\nRun [^\n]*\n$/)
  })

  it('refuses a word that is no verb', async () => {
    const host = createFakeHost()
    expect(await main(['operator', 'instal'], host)).toBe(2)
    expect(host.err()).toMatch(/operator: unknown command "instal"/)
  })

  it('refuses a kubeconfig that is not there', async () => {
    const host = createFakeHost()
    expect(await main(['operator', '--kubeconfig', 'gone'], host)).toBe(2)
    expect(host.err()).toMatch(/no kubeconfig at gone/)
  })
})
