import { type KubernetesObject, resource, type StringMap } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { autoscalerOf, EVENTS } from '../cluster.js'
import { conditionOf, declare, deploy, openWorld, type World } from './world.js'

const CONFIG_MAPS = resource<KubernetesObject & { data?: StringMap; binaryData?: StringMap }>(
  'v1',
  'ConfigMap',
  'configmaps',
)
const STATE = { namespace: 'default', name: 'trimtab-state-web' }
const MINUTES = 4 // passes in one

/** Busy for six minutes: eight replicas are wanted, and HPA remembers that for five. */
async function openBusy(): Promise<World> {
  const world = await openWorld(() => ({ cpu: '1400m', memory: '100Mi' }))
  await deploy(world, 'web', 4, { cpu: '1', memory: '1Gi' })
  await declare(world, autoscalerOf('web'))
  await world.pass(6 * MINUTES)
  expect(await world.status()).toMatchObject({ replicas: { wanted: 8 } })
  world.use = () => ({ cpu: '100m', memory: '100Mi' })
  return world
}

const eventsOf = async ({ cluster }: World): Promise<string[]> =>
  (await cluster.client.list(EVENTS)).items.map(({ reason }) => reason)

describe('what was learned', () => {
  it('is kept beside the autoscaler, and goes with it', async () => {
    const { cluster } = await openBusy()
    const { metadata, data } = await cluster.client.get(CONFIG_MAPS, STATE)
    expect(metadata?.ownerReferences).toMatchObject([{ kind: 'MultidimPodAutoscaler', name: 'web' }])
    expect(data).toEqual({ version: '1' })
  })

  it('is where the next leader goes on: a lull right after is no reason to shrink', async () => {
    const world = await openBusy()
    await world.succeed()
    await world.pass(4)
    const { replicas, evidence } = await world.status()
    expect(replicas?.wanted).toBe(8)
    expect(evidence?.hours).toBeGreaterThan(0.08) // five minutes and more
    await world.pass(6 * MINUTES)
    expect((await world.status()).replicas?.wanted).toBeLessThan(4)
  })

  it.each([
    ['damaged', { binaryData: { decider: 'AAAA' } }],
    ['of another version', { data: { version: '7' } }],
  ])('begins anew where it is %s, and says so', async (_, patch) => {
    const world = await openBusy()
    await world.cluster.client.merge(CONFIG_MAPS, STATE, patch)
    await world.succeed()
    await world.pass()
    expect(conditionOf(await world.status(), 'Ready')).toMatchObject({ status: 'True' })
    expect(await eventsOf(world)).toContain('BeginsAnew')
  })

  it('is neither read from nor written over what is somebody else’s', async () => {
    const world = await openWorld(() => ({ cpu: '700m', memory: '100Mi' }))
    const theirs = { metadata: { ...STATE }, data: { version: '1', key: 'theirs' } }
    await world.cluster.client.create(CONFIG_MAPS, theirs)
    await deploy(world, 'web', 4, { cpu: '1', memory: '1Gi' })
    await declare(world, autoscalerOf('web'))
    await world.pass(6 * MINUTES)
    const { metadata, data, binaryData } = await world.cluster.client.get(CONFIG_MAPS, STATE)
    expect([metadata?.ownerReferences, data, binaryData]).toEqual([undefined, theirs.data, undefined])
    expect(await eventsOf(world)).toContain('BeginsAnew')
  })

  it('is not begun anew because the server could not say: the object waits', async () => {
    const world = await openBusy()
    await world.succeed()
    const { standIn } = world.cluster
    standIn.fault = ({ plural }) => (plural === 'configmaps' ? 'drop' : undefined)
    await world.pass()
    expect(conditionOf(await world.status(), 'Ready')).toMatchObject({ status: 'False', reason: 'StateUnreadable' })
    standIn.fault = () => undefined
    await world.pass()
    expect(await world.status()).toMatchObject({ replicas: { wanted: 8 } })
  })

  it('goes on through a changed spec', async () => {
    const world = await openBusy()
    await declare(world, autoscalerOf('web', { bounds: { replicas: { min: 3 } } }))
    await world.pass()
    expect(await world.status()).toMatchObject({ observedGeneration: 2, replicas: { wanted: 8 } })
  })

  it('is kept when the recommender is told to end', async () => {
    const world = await openWorld(() => ({ cpu: '700m', memory: '100Mi' }))
    await deploy(world, 'web', 4, { cpu: '1', memory: '1Gi' })
    await declare(world, autoscalerOf('web'))
    const ending = new AbortController()
    const running = world.recommender.run(ending.signal)
    await expect.poll(async () => (await world.status()).decidedBy).toBe('rule')
    ending.abort()
    await running
    await expect(world.cluster.client.get(CONFIG_MAPS, STATE)).resolves.toMatchObject({ data: { version: '1' } })
  })
})
