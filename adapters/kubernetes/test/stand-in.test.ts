// What the stand-in does beyond the contract: what tests of operators ask of a cluster that real ones do only by accident.
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  DEPLOYMENTS,
  disruptionBudgets,
  issueCertificate,
  type KubernetesObject,
  PODS,
  type PodObject,
  resource,
} from '../src/index.js'
import { fakeClock } from './fake-clock.js'
import { grant } from './grant.js'
import { CONFIG_MAPS, configMap, deployment } from './objects.js'
import { open, openClient } from './opened.js'
import type { StandIn } from './stand-in/index.js'
import type { Fields } from './stand-in/objects.js'

const podsOf = async (
  client: Awaited<ReturnType<typeof open>>['client'],
  name: string,
): Promise<readonly PodObject[]> =>
  (await client.list(PODS, { namespace: 'default', labelSelector: `app=${name}` })).items
const phases = (pods: readonly PodObject[]) => pods.map(({ status }) => status?.phase)
const condition = (pod: PodObject | undefined, wanted: string) =>
  pod?.status?.conditions?.find(({ type }) => type === wanted)

describe('its kubelet', () => {
  it('starts pods after their start-up time, by the clock that it is given', async () => {
    const { clock, advance } = fakeClock()
    const { client } = await open({ clock, startUpMs: 30_000 })
    await client.create(DEPLOYMENTS, deployment('default', 'slow', 1))
    await expect.poll(async () => (await podsOf(client, 'slow'))[0]?.spec?.nodeName).toBe('node-1')
    advance(29_999)
    expect(phases(await podsOf(client, 'slow'))).toEqual(['Pending'])
    advance(1)
    await expect.poll(async () => phases(await podsOf(client, 'slow'))).toEqual(['Running'])
    expect((await podsOf(client, 'slow'))[0]?.status?.startTime).toBe('2026-01-01T00:00:30.000Z')
  })

  it('leaves pods pending where no node has room, says why, and starts them when there is', async () => {
    const { client } = await open({ nodes: { small: { cpu: '25m', memory: '1Gi' } } })
    await client.create(DEPLOYMENTS, deployment('default', 'web', 3)) // 10m each
    await expect.poll(async () => phases(await podsOf(client, 'web')).sort()).toEqual(['Pending', 'Running', 'Running'])
    const pending = (await podsOf(client, 'web')).find(({ status }) => status?.phase === 'Pending')
    expect(condition(pending, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' })
    await client.setScale(DEPLOYMENTS, { namespace: 'default', name: 'web' }, 2)
    await expect.poll(async () => phases(await podsOf(client, 'web'))).toEqual(['Running', 'Running'])
  })

  it('puts a resize off that does not fit now, and says that one never will', async () => {
    const { client } = await open({ nodes: { small: { cpu: '40m', memory: '1Gi' } } })
    await client.create(DEPLOYMENTS, deployment('default', 'web', 2))
    await expect.poll(async () => phases(await podsOf(client, 'web'))).toEqual(['Running', 'Running'])
    const name = (await podsOf(client, 'web'))[0]!.metadata!.name!
    const ref = { namespace: 'default', name }
    const pending = async () => condition(await client.get(PODS, ref), 'PodResizePending')?.reason
    await client.resize(ref, { main: { requests: { cpu: '35m' } } })
    await expect.poll(pending).toBe('Deferred')
    await client.resize(ref, { main: { requests: { cpu: '50m' } } })
    await expect.poll(pending).toBe('Infeasible')
    await client.resize(ref, { main: { requests: { cpu: '20m' } } })
    await expect.poll(pending).toBeUndefined()
    expect((await client.get(PODS, ref)).status?.containerStatuses?.[0]?.resources?.requests).toMatchObject({
      cpu: '20m',
    })
  })

  it('measures what the test says that pods use', async () => {
    const podUsage = (pod: PodObject) =>
      pod.status?.phase === 'Running' ? { main: { cpu: '7m', memory: '9Mi' } } : undefined
    const { client } = await open({ podUsage })
    await client.create(DEPLOYMENTS, deployment('default', 'web', 1))
    const path = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods'
    const measured = async () => (await client.request<{ items: Fields[] }>({ method: 'GET', path })).items
    await expect.poll(measured).toMatchObject([{ containers: [{ name: 'main', usage: { cpu: '7m', memory: '9Mi' } }] }])
  })
})

describe('its admission', () => {
  const servers: https.Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  interface Webhooks extends KubernetesObject {
    readonly webhooks: readonly Fields[]
  }
  const WEBHOOKS = resource<Webhooks>(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    false,
  )

  /** A webhook that answers as said, registered for new pods. */
  async function register(
    { standIn, client }: Awaited<ReturnType<typeof open>>,
    answer: (object: PodObject) => object,
    more: Fields = {},
  ): Promise<void> {
    const dates = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 1e6) }
    const { certificate, key } = issueCertificate(standIn.authority, {
      commonName: 'webhook',
      hosts: ['127.0.0.1'],
      ...dates,
    })
    const server = https.createServer({ cert: certificate, key }, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { request: asked } = JSON.parse(Buffer.concat(chunks).toString())
      response.end(JSON.stringify({ response: { uid: asked.uid, allowed: true, ...answer(asked.object) } }))
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mutate`
    const webhook = {
      name: 'requests.trimtab.dev',
      clientConfig: { url, caBundle: Buffer.from(standIn.authority.certificate).toString('base64') },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      ...more,
    }
    await client.create(WEBHOOKS, { metadata: { name: 'trimtab' }, webhooks: [webhook] })
  }

  const patch = (operations: readonly object[]) => ({
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  })
  const pod = (name: string): PodObject => ({
    metadata: { namespace: 'default', name },
    spec: { containers: [{ name: 'main', image: 'x' }] },
  })

  it('lets a webhook change new pods, over TLS', async () => {
    const opened = await open()
    await register(opened, ({ spec }) =>
      patch([
        {
          op: 'add',
          path: '/spec/containers/0/resources',
          value: { requests: { cpu: `${spec!.containers.length}m` } },
        },
      ]),
    )
    const made = await opened.client.create(PODS, pod('a'))
    expect(made.spec?.containers[0]?.resources).toEqual({ requests: { cpu: '1m' } })
    const other = await opened.client.create(CONFIG_MAPS, configMap('default', 'not-asked'))
    expect(other.data).toEqual({})
  })

  it('refuses what a webhook refuses, in its words', async () => {
    const opened = await open()
    await register(opened, () => ({ allowed: false, status: { code: 403, message: 'not today' } }))
    await expect(opened.client.create(PODS, pod('a'))).rejects.toMatchObject({
      httpStatus: 403,
      message: expect.stringContaining('denied the request: not today'),
    })
  })

  it.each([
    ['Fail', false],
    ['Ignore', true],
  ])('that is down decides by its failure policy: %s', async (failurePolicy, isMade) => {
    const opened = await open()
    await register(opened, () => ({}), { failurePolicy })
    for (const server of servers) server.close()
    const made = opened.client.create(PODS, pod('a'))
    if (isMade) await expect(made).resolves.toMatchObject({ metadata: { name: 'a' } })
    else
      await expect(made).rejects.toMatchObject({
        httpStatus: 500,
        message: expect.stringContaining('failed calling webhook'),
      })
  })

  it('whose certificate is another authority’s is not believed', async () => {
    const [opened, other] = [await open(), await open()]
    const caBundle = Buffer.from(other.standIn.authority.certificate).toString('base64')
    await register(opened, () => ({}), { clientConfig: { url: opened.standIn.url, caBundle } })
    await expect(opened.client.create(PODS, pod('a'))).rejects.toMatchObject({ httpStatus: 500 })
  })
})

describe('its disruption budgets', () => {
  it('let no second pod go before the first one is replaced', async () => {
    const { clock, advance } = fakeClock()
    const { client } = await open({ clock, startUpMs: 1000, shutDownMs: 0 })
    const running = async (): Promise<number> =>
      phases(await podsOf(client, 'web')).filter((phase) => phase === 'Running').length
    const bound = async (): Promise<number> => (await podsOf(client, 'web')).filter(({ spec }) => spec?.nodeName).length
    const budgets = disruptionBudgets('policy/v1')
    await client.create(DEPLOYMENTS, deployment('default', 'web', 2))
    await expect.poll(bound).toBe(2)
    advance(1000)
    const selector = { matchLabels: { app: 'web' } }
    await client.create(budgets, {
      metadata: { namespace: 'default', name: 'web' },
      spec: { selector, maxUnavailable: '50%' },
    })
    const allowed = async () =>
      (await client.get(budgets, { namespace: 'default', name: 'web' })).status?.disruptionsAllowed
    await expect.poll(allowed).toBe(1)
    const [one, other] = (await podsOf(client, 'web')).map(({ metadata }) => ({
      namespace: 'default',
      name: metadata!.name!,
    }))
    await client.evict(one!, { apiVersion: 'policy/v1' })
    advance(0)
    await expect(client.evict(other!, { apiVersion: 'policy/v1' })).rejects.toMatchObject({ httpStatus: 429 })
    await expect.poll(bound).toBe(2)
    await expect(client.evict(other!, { apiVersion: 'policy/v1' })).rejects.toMatchObject({ httpStatus: 429 }) // it starts
    advance(1000)
    await expect.poll(running).toBe(2)
    await expect.poll(allowed).toBe(1)
    await client.evict(other!, { apiVersion: 'policy/v1' })
  })
})

describe('its quotas', () => {
  it('refuse pods beyond them (403), say what is in use, and let the workload say why pods are missing', async () => {
    const { client } = await open()
    const quotas = resource<KubernetesObject & Fields>('v1', 'ResourceQuota', 'resourcequotas')
    const ref = { namespace: 'default', name: 'small' }
    await client.create(quotas, { metadata: ref, spec: { hard: { pods: '3', 'requests.cpu': '25m' } } })
    await client.create(DEPLOYMENTS, deployment('default', 'web', 3)) // of 10m each
    const conditions = async () =>
      (await client.get(DEPLOYMENTS, { namespace: 'default', name: 'web' })).status?.conditions
    const said = 'exceeded quota: small, requested: requests.cpu=10m, used: requests.cpu=20m, limited: requests.cpu=25m'
    const failure = { type: 'ReplicaFailure', status: 'True', message: expect.stringContaining(said) }
    await expect.poll(conditions).toContainEqual(expect.objectContaining(failure))
    await expect
      .poll(async () => (await client.get(quotas, ref)).status)
      .toMatchObject({ used: { pods: '2', 'requests.cpu': '20m' } })
    const [pod] = await podsOf(client, 'web')
    const podRef = { namespace: 'default', name: pod!.metadata!.name! }
    const larger = client.resize(podRef, { main: { requests: { cpu: '16m' } } })
    await expect(larger).rejects.toMatchObject({
      httpStatus: 403,
      message: expect.stringContaining('exceeded quota: small'),
    })
    await client.setScale(DEPLOYMENTS, { namespace: 'default', name: 'web' }, 2)
    await expect.poll(conditions).not.toContainEqual(expect.objectContaining({ type: 'ReplicaFailure' }))
  })
})

describe('its garbage collection', () => {
  it('lets the contents of a namespace go with it, and nothing else', async () => {
    const { standIn, client } = await open()
    const namespaces = standIn.registry.kind('', 'v1', 'namespaces')
    await client.create(resource('v1', 'Namespace', 'namespaces', false), { metadata: { name: 'shop' } })
    await client.create(CONFIG_MAPS, configMap('shop', 'a'))
    await client.create(CONFIG_MAPS, configMap('default', 'b'))
    standIn.registry.delete(namespaces, undefined, 'shop')
    expect((await client.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata?.name)).toEqual(['b'])
  })
})

describe('its rights', () => {
  const only = async (standIn: StandIn, rule: { verbs: string[]; resources: string[] }) => {
    await grant(standIn, 'default', 'robot', [{ apiGroups: ['', 'apps'], ...rule }])
    return openClient(standIn, { token: standIn.issueToken('default', 'robot') })
  }

  it('are given verb by verb: one that is missing is named', async () => {
    const { standIn, client } = await open()
    await client.create(DEPLOYMENTS, deployment('default', 'web', 1))
    const ref = { namespace: 'default', name: 'web' }
    const robot = await only(standIn, { verbs: ['get'], resources: ['deployments', 'deployments/scale'] })
    expect((await robot.getScale(DEPLOYMENTS, ref)).spec?.replicas).toBe(1)
    await expect(robot.setScale(DEPLOYMENTS, ref, 2)).rejects.toMatchObject({
      message: expect.stringContaining('cannot patch resource "deployments/scale"'),
    })
    await expect(robot.list(DEPLOYMENTS)).rejects.toMatchObject({
      httpStatus: 403,
      message: expect.stringContaining('cannot list resource "deployments"'),
    })
  })

  it('for a kind are none for its subresources', async () => {
    const { standIn, client } = await open()
    await client.create(DEPLOYMENTS, deployment('default', 'web', 1))
    const robot = await only(standIn, { verbs: ['*'], resources: ['deployments'] })
    await expect(robot.getScale(DEPLOYMENTS, { namespace: 'default', name: 'web' })).rejects.toMatchObject({
      httpStatus: 403,
    })
  })
})
