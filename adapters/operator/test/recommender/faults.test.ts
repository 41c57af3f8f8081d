import { AdapterError } from '@trimtab/core'
import { DEPLOYMENTS } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { deployment } from '../../../kubernetes/test/objects.js'
import { StatusError } from '../../../kubernetes/test/stand-in/status-error.js'
import { autoscalerOf } from '../cluster.js'
import { conditionOf, declare, deploy, openWorld, type World } from './world.js'

const LATENCY = 'p99 of web'
const LOAD = 'load of web'
const USE = { cpu: '1400m', memory: '100Mi' } // 70 % of 2 cores: as the rule wants it
const SPEC = { slo: { latency: { query: LATENCY, p99Ms: 250 } }, load: { query: LOAD } } as const

async function openHealthy(): Promise<World> {
  const world = await openWorld(() => USE, {}, { queries: { timeoutMs: 50 } })
  world.prometheus.answers.set(LOAD, 40).set(LATENCY, 0.03)
  await deploy(world, 'web', 4, { cpu: '2', memory: '1Gi' })
  await declare(world, autoscalerOf('web', SPEC))
  await world.pass(60)
  expect(await world.status()).toMatchObject({ decidedBy: 'policy' })
  return world
}

const NO_METRICS = ({ group }: { group: string }) =>
  group === 'metrics.k8s.io'
    ? new StatusError(503, 'ServiceUnavailable', 'no metrics', { retryAfterSeconds: 1000 })
    : undefined

const down = new AdapterError('http_unreachable', 'connection refused')
const FAULTS: readonly (readonly [name: string, fault: (world: World) => void, by: string, says: RegExp])[] = [
  [
    'Prometheus is down',
    ({ prometheus: { answers } }) => answers.set(LOAD, down).set(LATENCY, down),
    'rule',
    /refused/,
  ],
  ['Prometheus is slow', ({ prometheus: { answers } }) => answers.set(LATENCY, 'slow'), 'rule', /within 50 ms/],
  ['Prometheus says NaN', ({ prometheus: { answers } }) => answers.set(LATENCY, Number.NaN), 'rule', /not a finite/],
  ['Prometheus has nothing', ({ prometheus: { answers } }) => answers.delete(LOAD), 'rule', /load: no series/],
  ['Prometheus is below 0', ({ prometheus: { answers } }) => answers.set(LOAD, -3), 'rule', /-3 is below 0/],
  ['the metrics API has one of four pods', (world) => onlyFirst(world, 1), 'nobody', /1 of 4 have a sample/],
  ['the metrics API has nothing', (world) => onlyFirst(world, 0), 'nobody', /0 of 4 have a sample/],
  [
    'the metrics API is away',
    ({ cluster }) => Object.assign(cluster.standIn, { fault: NO_METRICS }),
    'nobody',
    /no metrics/,
  ],
]

/** Only the first pods are measured from now on. */
function onlyFirst(world: World, count: number): void {
  const names = [...world.context.pods.values()].map(({ metadata }) => metadata!.name!).sort()
  world.use = (pod) => (names.indexOf(pod.metadata!.name!) < count ? USE : undefined)
}

describe('when telemetry is missing', () => {
  it.each(FAULTS)('within one period something safe decides, and says why: %s', async (_, fault, by, says) => {
    const world = await openHealthy()
    const before = await world.status()
    fault(world)
    await world.pass()
    const status = await world.status()
    expect(conditionOf(status, 'Measured')).toMatchObject({ status: 'False', message: expect.stringMatching(says) })
    expect(conditionOf(status, 'FollowingPolicy')).toMatchObject({ status: 'False', reason: 'NotMeasured' })
    expect(status.decidedBy).toBe(by)
    if (by === 'nobody')
      expect([status.replicas?.wanted, status.containers]).toEqual([before.replicas?.wanted, before.containers])
    world.use = () => USE
    world.cluster.standIn.fault = () => undefined
    world.prometheus.answers.set(LOAD, 40).set(LATENCY, 0.03)
    await world.pass()
    expect(conditionOf(await world.status(), 'Measured')).toMatchObject({ status: 'True' })
    expect(await world.status()).toMatchObject({ decidedBy: 'policy' })
  })

  it('pods without a sample count as the others while at least half have one', async () => {
    const world = await openHealthy()
    onlyFirst(world, 2)
    await world.pass()
    expect(await world.status()).toMatchObject({ decidedBy: 'policy', summary: { slo: 'p99 30 ms, at most 250 ms' } })
  })

  it('a sample that stands still is missing after two minutes, whatever the clocks say', async () => {
    const world = await openHealthy()
    const frozen = { ...world.cluster.standIn.registry.clock, now: world.cluster.standIn.registry.clock.now }
    const at = frozen.now() - 600_000 // ten minutes behind ours, and it stays there
    const now = (): number => at
    Object.defineProperty(world.cluster.standIn.registry, 'clock', { value: { ...frozen, now } })
    await world.pass(8)
    expect(conditionOf(await world.status(), 'Measured')).toMatchObject({ status: 'True' })
    await world.pass(2)
    expect(conditionOf(await world.status(), 'Measured')).toMatchObject({ status: 'False' })
  })
})

describe('when the API server is in trouble', () => {
  it.each([
    ['409', new StatusError(409, 'Conflict', 'somebody was faster')],
    ['429', new StatusError(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 1000 })],
    ['500', new StatusError(500, 'InternalError', 'broken')],
  ])('a status that is not taken (%s) is written in a later pass', async (_, refusal) => {
    const world = await openWorld(() => USE)
    await deploy(world, 'web', 4, { cpu: '1', memory: '1Gi' })
    await declare(world, autoscalerOf('web'))
    world.cluster.standIn.fault = ({ subresource }) => (subresource === 'status' ? refusal : undefined)
    await world.pass(2)
    expect(await world.status()).toEqual({})
    world.cluster.standIn.fault = () => undefined
    await world.pass()
    expect(await world.status()).toMatchObject({ replicas: { current: 4, wanted: 8 } }) // ceil(4 × 140 % / 70 %)
  })

  it('one bad object does not stop the others', async () => {
    const world = await openWorld(() => USE)
    await deploy(world, 'web', 4, { cpu: '2', memory: '1Gi' })
    await declare(world, autoscalerOf('lost', { scaleTargetRef: { name: 'nowhere' } }))
    await declare(
      world,
      autoscalerOf('odd', { scaleTargetRef: { apiVersion: 'nowhere.dev/v1', kind: 'Odd', name: 'odd' } }),
    )
    await declare(world, autoscalerOf('wrong', { bounds: { cpu: { min: '4', max: '1' } } }))
    await declare(world, autoscalerOf('web'))
    await world.pass()
    const readyOf = async (name: string) => conditionOf(await world.status(name), 'Ready')
    expect(await readyOf('lost')).toMatchObject({ status: 'False', reason: 'TargetNotFound' })
    expect(await readyOf('odd')).toMatchObject({ status: 'False', reason: 'TargetUnreadable' })
    expect(await readyOf('wrong')).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining('spec.bounds.cpu'),
    })
    expect(await readyOf('web')).toMatchObject({ status: 'True' })
  })

  it('without pods that are ready it holds, and what was scaled to 0 by hand is left alone', async () => {
    const world = await openWorld(() => USE, { startUpMs: 1e9 })
    const { client } = world.cluster
    await expect(deployUnready(world)).resolves.toBeUndefined()
    await declare(world, autoscalerOf('web'))
    await world.pass()
    expect(await world.status()).toMatchObject({ decidedBy: 'nobody', replicas: { wanted: 3 } })
    await client.setScale(DEPLOYMENTS, { namespace: 'default', name: 'web' }, 0)
    await expect
      .poll(async () => {
        await world.pass()
        return conditionOf(await world.status(), 'Ready')?.reason
      })
      .toBe('ScaledToZero')
    expect((await world.status()).replicas).toBeUndefined()
  })
})

async function deployUnready({ cluster, context }: World): Promise<void> {
  await cluster.client.create(DEPLOYMENTS, deployment('default', 'web', 3))
  await expect.poll(() => context.pods.size).toBe(3)
}
