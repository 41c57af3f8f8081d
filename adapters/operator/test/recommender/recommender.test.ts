import { DEPLOYMENTS } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { autoscalerOf } from '../cluster.js'
import { conditionOf, declare, deploy, openWorld } from './world.js'

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
    await world.pass(10)
    const writes = seen.slice(from).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    expect(new Set(writes.map(({ plural, subresource }) => [plural, subresource].join('/')))).toEqual(
      new Set(['multidimpodautoscalers/status']),
    )
    const after = await world.cluster.client.get(DEPLOYMENTS, { namespace: 'default', name: 'web' })
    expect(after.spec).toEqual(before.spec)
  })
})
