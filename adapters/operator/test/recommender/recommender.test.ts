import { MemoryTrajectoryStore } from '@trimtab/control'
import { DEPLOYMENTS, PODS, resource } from '@trimtab/kubernetes'
import { renderMetrics } from '@trimtab/prometheus'
import { describe, expect, it } from 'vitest'
import { OperatorMetrics, type ScalerObject } from '../../src/index.js'
import { QueryBatch } from '../../src/recommender/query-batch.js'
import { autoscalerOf, EVENTS } from '../cluster.js'
import { conditionOf, declare, deploy, openWorld, type PrometheusDouble, signal } from './world.js'

const HPAS = resource<ScalerObject>('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers')

const BUSY = () => ({ cpu: '450m', memory: '100Mi' }) // 90 % of 500m

describe('a recommender', () => {
  it('writes what the rule wants into the status: replicas by HPA, sizes as they are', async () => {
    const world = await openWorld(BUSY)
    await deploy(world, 'web', 3)
    await declare(world, autoscalerOf('web'))
    await world.pass()
    const status = await world.status()
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: { current: 3, wanted: 4 }, // ceil(3 × 90 % / 70 %)
      containers: [{ name: 'main', cpu: '500m' }],
      decidedBy: 'rule',
      lastDecisionTime: expect.stringMatching(/^2026-01-01T00:00:16/),
      summary: { slo: 'CPU 90.0 %, target 70 %', budget: '99.9 % left', saving: expect.stringMatching(/USD\/h/) },
    })
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' })
    expect(conditionOf(status, 'Measured')).toMatchObject({ status: 'True' })
    expect(conditionOf(status, 'FollowingPolicy')).toMatchObject({ status: 'False', reason: 'NoLatencyObjective' })
  })

  it('changes nothing else in the cluster', async () => {
    const world = await openWorld(BUSY)
    const before = await deploy(world, 'web', 3)
    await declare(world, autoscalerOf('web', { mode: 'act' }))
    const { seen } = world.cluster.standIn
    const from = seen.length
    await world.pass(25)
    const writes = seen.slice(from).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    expect(new Set(writes.map(({ plural, subresource }) => [plural, subresource].join('/')))).toEqual(
      new Set(['multidimpodautoscalers/status', 'events/', 'configmaps/']), // what it says, and what it has learned
    )
    const after = await world.cluster.client.get(DEPLOYMENTS, { namespace: 'default', name: 'web' })
    expect(after.spec).toEqual(before.spec)
  })

  it('recommends beside an HPA, and says that nothing is carried out', async () => {
    const world = await openWorld(BUSY)
    await deploy(world, 'web', 3)
    await declare(world, autoscalerOf('web', { mode: 'act' }))
    await world.pass()
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    const hpa = { metadata: { namespace: 'default', name: 'old' }, spec: { scaleTargetRef } }
    await world.cluster.client.create(HPAS, hpa)
    await expect.poll(() => world.context.scalers.some((informer) => informer.size > 0)).toBe(true)
    await world.pass()
    const status = await world.status()
    expect(conditionOf(status, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ScaledByAnother',
      message: expect.stringContaining('HorizontalPodAutoscaler old'),
    })
    expect(status.replicas?.wanted).toBe(4)
    const said = (await world.cluster.client.list(EVENTS)).items.map(({ type, reason }) => `${type} ${reason}`)
    expect(said).toEqual(expect.arrayContaining(['Normal Recommended', 'Warning ScaledByAnother']))
  })

  it('counts pods of the workload alone, whatever labels others carry', async () => {
    const world = await openWorld(BUSY)
    await deploy(world, 'web', 3)
    const [pod] = [...world.context.pods.values()]
    const controller = { apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: 'another', controller: true }
    const { labels } = pod!.metadata!
    const stray = { metadata: { namespace: 'default', name: 'stray', labels: labels!, ownerReferences: [controller] } }
    await world.cluster.client.create(PODS, { ...stray, spec: pod!.spec! })
    await expect.poll(() => world.context.pods.size).toBe(4)
    await declare(world, autoscalerOf('web'))
    await world.pass()
    expect(await world.status()).toMatchObject({ replicas: { current: 3, wanted: 4 } })
  })

  it('sizes the main container, and counts what it alone uses', async () => {
    const world = await openWorld(BUSY)
    await deploy(world, 'web', 3, { containers: ['proxy', 'main'], main: 'main' })
    await declare(world, autoscalerOf('web'))
    await world.pass()
    const { containers, replicas } = await world.status()
    expect(containers?.map(({ name }) => name)).toEqual(['main'])
    expect(replicas?.wanted).toBe(4)
  })

  it('keeps every step where it is told to, and counts it', async () => {
    const store = new MemoryTrajectoryStore()
    const world = await openWorld(BUSY, {}, { openTrajectory: async () => ({ store, firstEpisode: 7 }) })
    const metrics = new OperatorMetrics(world.context.autoscalers)
    Object.assign(world.context, { metrics })
    await deploy(world, 'web', 3)
    await declare(world, autoscalerOf('web'))
    await world.pass(5)
    const steps = store.recent(10)
    expect(steps.map(({ episode, step }) => [episode, step])).toEqual([0, 1, 2, 3].map((step) => [7, step]))
    expect([...steps[0]!.action]).toEqual([4, 0.5, expect.any(Number)])
    expect(steps[0]!.reward).toBeCloseTo(-3 * (0.5 * 0.0335 + 0.25 * 0.0045), 6)
    expect(renderMetrics(metrics.all)).toContain('trimtab_loop_steps_total{source="rule"} 4')
  })

  it('costs no list a period but that of the metrics, and writes no status that is as it was', async () => {
    const world = await openWorld(() => ({ cpu: '350m', memory: '100Mi' })) // as the rule wants it
    await deploy(world, 'web', 3)
    await declare(world, autoscalerOf('web'))
    await world.pass(2)
    const { seen } = world.cluster.standIn
    const from = seen.length
    await world.pass(10)
    const asked = seen.slice(from).map(({ verb, plural, group }) => `${verb} ${group}/${plural}`)
    expect(asked).toEqual(new Array(10).fill('list metrics.k8s.io/pods'))
  })
})

describe('what the queries of a pass cost', () => {
  const ask = async (count: number, query: PrometheusDouble['query'], timeoutMs = 1000) =>
    new QueryBatch({ query }, { concurrency: 4, timeoutMs }).ask(
      Array.from({ length: count }, (_, i) => `q${i % 100}`),
      signal,
    )

  it('is one request a text, a few at a time', async () => {
    let [underWay, most, asked] = [0, 0, 0]
    const answers = await ask(1000, async (text) => {
      asked++
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      return { samples: [{ labels: {}, timeSeconds: 0, value: Number(text.slice(1)) }], warnings: [] }
    })
    expect([asked, most, answers.size, answers.get('q42')]).toEqual([100, 4, 100, 42])
  })

  it('is no more than the time that it may take: what is not answered by then is missing', async () => {
    const slow: PrometheusDouble['query'] = (_, options) =>
      new Promise((_resolve, reject) =>
        options?.signal?.addEventListener('abort', () => reject(options.signal!.reason)),
      )
    const answers = await ask(100, slow, 20)
    expect([...answers.values()]).toEqual(new Array(100).fill({ missing: expect.stringContaining('within 20 ms') }))
  })
})
