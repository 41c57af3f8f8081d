import { PAUSE_ANNOTATION } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { autoscalerOf } from '../cluster.js'
import { conditionOf, declare, deploy, openWorld, type World } from './world.js'

const LATENCY = 'p99 of web'
const LOAD = 'load of web'
const SPEC = {
  slo: { latency: { query: LATENCY, p99Ms: 250 } },
  load: { query: LOAD },
  bounds: { replicas: { min: 2, max: 10 }, cpu: { min: '100m', max: '4' }, memory: { min: '64Mi', max: '4Gi' } },
} as const

/** 40 requests a second that cost 10 ms of CPU each, on four pods of two cores: far too much. */
async function openIdle(): Promise<World> {
  const world = await openWorld(() => ({ cpu: '100m', memory: '100Mi' }))
  world.prometheus.answers.set(LOAD, 40).set(LATENCY, 0.03)
  await deploy(world, 'web', 4, { cpu: '2', memory: '1Gi' })
  return world
}

describe('a policy', () => {
  it('is followed once the load has been seen; what is only recommended is neither late nor charged', async () => {
    const world = await openIdle()
    await declare(world, autoscalerOf('web', SPEC))
    await world.pass(120)
    const status = await world.status()
    expect(conditionOf(status, 'FollowingPolicy')).toMatchObject({ status: 'True', reason: 'Following' })
    expect(status).toMatchObject({
      decidedBy: 'policy',
      stage: 'offline',
      summary: { slo: 'p99 30 ms, at most 250 ms' },
    })
    expect(status.evidence).toMatchObject({ hours: expect.closeTo(0.5, 1), brokenPercent: 0 })
    const { recommendedPerHour = 0, requestedPerHour = 0, expectedP99Ms } = status.evidence!
    expect(requestedPerHour).toBeCloseTo(4 * (2 * 0.0335 + 0.0045), 3)
    expect(recommendedPerHour).toBeLessThan(requestedPerHour / 2)
    expect(expectedP99Ms!.low).toBeLessThan(expectedP99Ms!.high!)
  })

  it('that acts is left where nobody carries out what it asks for: then the rule decides', async () => {
    const world = await openIdle()
    await declare(world, autoscalerOf('web', { ...SPEC, mode: 'act' }))
    await world.pass(60)
    const status = await world.status()
    expect(conditionOf(status, 'FollowingPolicy')).toMatchObject({ status: 'False', reason: 'LateResize' })
    expect(status).toMatchObject({ decidedBy: 'rule', stage: 'online' })
  })

  it('that is paused goes on recommending, and is not blamed for what is in force', async () => {
    const world = await openIdle()
    const object = autoscalerOf('web', { ...SPEC, mode: 'act' })
    const metadata = { ...object.metadata, annotations: { [PAUSE_ANNOTATION]: 'sale' } }
    await declare(world, { ...object, metadata })
    await world.pass(60)
    expect(conditionOf(await world.status(), 'FollowingPolicy')).toMatchObject({ status: 'True' })
  })

  it.each([
    [{ load: undefined }, 'NoLoadQuery'],
    [{ policy: { configMap: { name: 'mine' } } }, 'PolicyNotRead'],
  ])('is not there without what it needs (%j), and the status says so', async (less, reason) => {
    const world = await openIdle()
    await declare(world, autoscalerOf('web', { ...SPEC, ...less } as object))
    await world.pass()
    const status = await world.status()
    expect(conditionOf(status, 'FollowingPolicy')).toMatchObject({ status: 'False', reason })
    expect(status).toMatchObject({ decidedBy: 'rule' })
    expect(status.stage).toBeUndefined()
  })

  it('never leaves what is controlled, bounds and step limits', async () => {
    const world = await openIdle()
    const limits = { requestsPercentPerStep: 10, replicasPercentPerStep: 1 }
    const spec = { ...SPEC, controlled: ['replicas', 'cpu'], limits, fallback: 'hold' } as const
    await declare(world, autoscalerOf('web', spec as object))
    let cores = 2
    for (let i = 0; i < 40; i++) {
      await world.pass()
      const { containers, replicas } = await world.status()
      expect(containers![0]).not.toHaveProperty('memory')
      const wanted = Number.parseInt(String(containers![0]!.cpu), 10) / 1000
      expect(wanted).toBeGreaterThanOrEqual(0.9 * cores - 0.001)
      expect(wanted).toBeLessThanOrEqual(4) // what grows may be needed at once: up to the bound
      expect(replicas!.wanted).toBeGreaterThanOrEqual(2)
      cores = wanted
    }
    expect(cores).toBeLessThan(1)
  })
})
