import { expect, it } from 'vitest'
import {
  DEPLOYMENTS,
  disruptionBudgets,
  LEASES,
  LeaderElection,
  PODS,
  type PodObject,
  REPLICA_SETS,
} from '../../src/index.js'
import { deployment } from '../objects.js'
import { PATIENCE, type Server } from './server.js'

const isReady = ({ status, metadata }: PodObject): boolean =>
  !metadata?.deletionTimestamp &&
  (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True')

async function ready({ client, namespace }: Server, name: string): Promise<PodObject[]> {
  const { items } = await client.list(PODS, { namespace, labelSelector: `app=${name}` })
  return items.filter(isReady)
}

/** A Deployment whose pods all run. */
async function run(server: Server, name: string, replicas: number): Promise<PodObject[]> {
  await server.client.apply(DEPLOYMENTS, deployment(server.namespace, name, replicas, server.image))
  await expect.poll(async () => (await ready(server, name)).length, PATIENCE).toBe(replicas)
  return ready(server, name)
}

const refOf = ({ metadata }: PodObject) => ({ namespace: metadata!.namespace!, name: metadata!.name! })

export function podsContract(server: () => Server): void {
  it('runs the pods of a Deployment, as many as its scale says, and says how many are ready', async () => {
    const { client, namespace } = server()
    const ref = { namespace, name: 'scaled' }
    const pods = await run(server(), 'scaled', 2)
    expect(pods[0]!.spec?.nodeName).toBeTruthy()
    expect(pods[0]!.metadata?.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', controller: true }])
    expect(await client.getScale(DEPLOYMENTS, ref)).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 2, selector: 'app=scaled' },
    })
    expect((await client.setScale(DEPLOYMENTS, ref, 3)).spec?.replicas).toBe(3)
    await expect.poll(async () => (await ready(server(), 'scaled')).length, PATIENCE).toBe(3)
    await client.setScale(DEPLOYMENTS, ref, 1)
    await expect.poll(async () => (await ready(server(), 'scaled')).length, PATIENCE).toBe(1)
    await expect.poll(async () => (await client.get(DEPLOYMENTS, ref)).status?.readyReplicas, PATIENCE).toBe(1)
    await expect(client.setScale(DEPLOYMENTS, ref, -1)).rejects.toMatchObject({ httpStatus: 422 })
    await client.delete(DEPLOYMENTS, ref)
    await expect
      .poll(async () => (await client.list(PODS, { namespace, labelSelector: 'app=scaled' })).items.length, PATIENCE)
      .toBe(0)
  })

  it('replaces all pods for a new template, and never has too few', async () => {
    const { client, namespace } = server()
    const before = await run(server(), 'rolled', 2)
    const annotations = { version: '2' }
    await client.merge(
      DEPLOYMENTS,
      { namespace, name: 'rolled' },
      { spec: { template: { metadata: { annotations } } } },
    )
    const old = new Set(before.map(({ metadata }) => metadata!.uid))
    let fewest = Number.POSITIVE_INFINITY
    const onlyNew = async (): Promise<boolean> => {
      const pods = await ready(server(), 'rolled')
      fewest = Math.min(fewest, pods.length)
      return pods.length === 2 && pods.every(({ metadata }) => !old.has(metadata!.uid))
    }
    await expect.poll(onlyNew, PATIENCE).toBe(true)
    expect(fewest).toBeGreaterThanOrEqual(2) // of two, a quarter rounded down may be away: none
    const { items } = await client.list(REPLICA_SETS, { namespace, labelSelector: 'app=rolled' })
    expect(items).toHaveLength(2)
    await client.delete(DEPLOYMENTS, { namespace, name: 'rolled' })
  })

  it('evicts a pod only where its disruption budget allows it (429)', async ({ skip }) => {
    const { client, namespace, capabilities } = server()
    if (!capabilities.eviction || !capabilities.disruptionBudgets) return skip('this server has no evictions')
    const options = { apiVersion: capabilities.eviction }
    const [one] = await run(server(), 'budgeted', 2)
    const budgets = disruptionBudgets(capabilities.disruptionBudgets)
    const selector = { matchLabels: { app: 'budgeted' } }
    await client.create(budgets, { metadata: { namespace, name: 'budget' }, spec: { selector, minAvailable: 2 } })
    const allowed = async () => (await client.get(budgets, { namespace, name: 'budget' })).status
    await expect.poll(allowed, PATIENCE).toMatchObject({ currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 })
    await expect(client.evict(refOf(one!), options)).rejects.toMatchObject({
      httpStatus: 429,
      code: 'api_too_many_requests',
    })
    expect(await ready(server(), 'budgeted')).toHaveLength(2)
    await client.merge(budgets, { namespace, name: 'budget' }, { spec: { minAvailable: 1 } })
    await expect.poll(allowed, PATIENCE).toMatchObject({ disruptionsAllowed: 1 })
    await client.evict(refOf(one!), options)
    const isReplaced = async (): Promise<boolean> => {
      const pods = await ready(server(), 'budgeted')
      return pods.length === 2 && pods.every(({ metadata }) => metadata!.uid !== one!.metadata!.uid)
    }
    await expect.poll(isReplaced, PATIENCE).toBe(true)
    await client.delete(DEPLOYMENTS, { namespace, name: 'budgeted' })
    await client.delete(budgets, { namespace, name: 'budget' })
  })

  it('resizes a container that runs in place, or says that it cannot (404, before 1.32)', async () => {
    const { client, namespace, capabilities } = server()
    const [pod] = await run(server(), 'resized', 1)
    const resized = client.resize(refOf(pod!), { main: { requests: { cpu: '20m' } } })
    if (!capabilities.canResizeInPlace) await expect(resized).rejects.toMatchObject({ httpStatus: 404 })
    else {
      await resized
      const inForce = async () => (await client.get(PODS, refOf(pod!))).status?.containerStatuses?.[0]
      const requests = { cpu: '20m', memory: '16Mi' }
      await expect.poll(inForce, PATIENCE).toMatchObject({ restartCount: 0, resources: { requests } })
      const aboveLimit = client.resize(refOf(pod!), { main: { requests: { cpu: '200m' } } })
      await expect(aboveLimit).rejects.toMatchObject({ httpStatus: 422 })
    }
    await client.delete(DEPLOYMENTS, { namespace, name: 'resized' })
  })

  it('gives one lease to one of several', async () => {
    const { client, namespace } = server()
    const leading = new Set<string>()
    let most = 0
    const ending = new AbortController()
    const lead =
      (identity: string) =>
      async (signal: AbortSignal): Promise<void> => {
        most = Math.max(most, leading.add(identity).size)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        leading.delete(identity)
      }
    const elections = ['a', 'b', 'c'].map((identity) => {
      const election = new LeaderElection(client, {
        namespace,
        name: 'leader',
        identity,
        leaseSeconds: 15,
        retrySeconds: 0.1,
      })
      return election.run(lead(identity), ending.signal)
    })
    await expect.poll(() => leading.size, PATIENCE).toBe(1)
    const { spec } = await client.get(LEASES, { namespace, name: 'leader' })
    expect(spec?.holderIdentity).toBe([...leading][0])
    ending.abort()
    await Promise.all(elections)
    expect(most).toBe(1)
    expect((await client.get(LEASES, { namespace, name: 'leader' })).spec?.holderIdentity ?? '').toBe('')
  })
}
