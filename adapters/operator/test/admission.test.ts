import { X509Certificate } from 'node:crypto'
import https from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import {
  DEPLOYMENTS,
  type KubernetesObject,
  LEASES,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  PODS,
  type PodObject,
  resource,
} from '@trimtab/kubernetes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeClock } from '../../kubernetes/test/fake-clock.js'
import { StatusError } from '../../kubernetes/test/stand-in/status-error.js'
import type { AdmissionServer, OperatorContext } from '../src/index.js'
import { autoscalerOf, openCluster, openContext, type TestCluster } from './cluster.js'
import { nowMs, REF, web } from './scene.js'
import { CONFIGURATION, CONFIGURATIONS, openServer, openWebhook } from './webhook.js'

const { signal } = new AbortController()
const DAY = 24 * 3_600_000

/** An autoscaler of `web`, whose updater carries this out. */
async function carryOut(
  { client }: TestCluster,
  context: OperatorContext,
  containers: object[],
  spec: Partial<MultidimPodAutoscaler['spec']> = {},
): Promise<void> {
  await client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { mode: 'act', ...spec }))
  const status = { carriedOut: { containers } }
  const { metadata } = await client.merge(MULTIDIM_POD_AUTOSCALERS, REF, { status }, { subresource: 'status' })
  await expect.poll(() => context.autoscalers.get(REF)?.metadata?.resourceVersion).toBe(metadata!.resourceVersion)
}

/** Makes the Deployment `web`, and says what its pods have. */
async function resourcesOfNew({ client }: TestCluster, replicas = 1) {
  await client.create(DEPLOYMENTS, web(replicas))
  const pods = async (): Promise<readonly PodObject[]> => (await client.list(PODS, { namespace: 'default' })).items
  await expect.poll(async () => (await pods()).length).toBe(replicas)
  return (await pods()).map(({ spec }) => spec!.containers[0]!.resources)
}

async function open() {
  const { clock, advance } = fakeClock(nowMs()) // TLS goes by the clock of this machine
  const cluster = await openCluster({ clock })
  const context = await openContext(cluster)
  const server = await openWebhook(cluster, context)
  return { cluster, context, server, advance }
}

const TEMPLATE = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } }

describe('the admission webhook', () => {
  it('sizes new pods as the updater carries it out, their limits in proportion, with one request for all', async () => {
    const { cluster, context } = await open()
    await carryOut(cluster, context, [{ name: 'main', cpu: '150m', memory: '192Mi' }])
    const sized = { requests: { cpu: '150m', memory: '192Mi' }, limits: { cpu: '300m', memory: '384Mi' } }
    expect(await resourcesOfNew(cluster, 5)).toEqual(Array.from({ length: 5 }, () => sized))
    const asked = cluster.standIn.seen.filter(
      ({ plural, verb, name }) => plural === 'replicasets' && verb === 'get' && name,
    )
    expect(asked).toHaveLength(1)
  })

  it.each<[string, object[], Partial<MultidimPodAutoscaler['spec']>, object]>([
    [
      'keeps bounds',
      [{ name: 'main', cpu: '9', memory: '1Mi' }],
      { bounds: { cpu: { max: '1' }, memory: { min: '64Mi' } } },
      { requests: { cpu: '1000m', memory: '64Mi' }, limits: { cpu: '2000m', memory: '128Mi' } },
    ],
    [
      'leaves alone what is not controlled',
      [{ name: 'main', cpu: '150m', memory: '192Mi' }],
      { controlled: ['cpu'] },
      { requests: { cpu: '150m', memory: '128Mi' }, limits: { cpu: '300m', memory: '256Mi' } },
    ],
    ['leaves alone containers of which nothing is said', [{ name: 'sidecar', cpu: '150m' }], {}, TEMPLATE],
    ['leaves alone what is only recommended', [{ name: 'main', cpu: '150m' }], { mode: 'recommend' }, TEMPLATE],
    ['leaves alone other workloads', [{ name: 'main', cpu: '150m' }], { scaleTargetRef: { name: 'api' } }, TEMPLATE],
  ])('%s', async (_, containers, spec, expected) => {
    const { cluster, context } = await open()
    await carryOut(cluster, context, containers, spec)
    expect(await resourcesOfNew(cluster)).toEqual([expected])
  })

  it('leaves pods alone that something else scales too', async () => {
    const { cluster, context } = await open()
    await carryOut(cluster, context, [{ name: 'main', cpu: '150m' }])
    await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('twin', { mode: 'act' }))
    await expect.poll(() => context.autoscalers.size).toBe(2)
    expect(await resourcesOfNew(cluster)).toEqual([TEMPLATE])
  })

  it('lets pods through as they are where their workload cannot be asked for', async () => {
    const { cluster, context } = await open()
    await carryOut(cluster, context, [{ name: 'main', cpu: '150m' }])
    cluster.standIn.fault = ({ plural, verb }) =>
      plural === 'replicasets' && verb === 'get' ? new StatusError(403, 'Forbidden', 'not you') : undefined
    expect(await resourcesOfNew(cluster)).toEqual([TEMPLATE])
  })

  it('answers what is no question with an error, whatever its length', async () => {
    const { cluster, server } = await open()
    const ca = await authorities(cluster)
    const asked = (path: string, body: string) => post(server, ca, path, body)
    expect(await asked('/mutate', 'x'.repeat(5 * 2 ** 20))).toBe(413)
    expect(await asked('/mutate', 'no json')).toBe(400)
    expect(await asked('/mutate', '{}')).toBe(400)
    expect(await asked('/other', '{}')).toBe(404)
    const strange = { request: { uid: '1', operation: 'CREATE', resource: { group: '', resource: 'pods' } } }
    expect(await asked('/mutate', JSON.stringify(strange))).toBe(200) // no object: allowed
  })

  it('renews its lease at every look, and not while it knows no autoscalers', async () => {
    const { cluster, context, server, advance } = await open()
    const ref = { namespace: context.namespace, name: 'trimtab-admission' }
    const renewed = async () => (await cluster.client.get(LEASES, ref)).spec?.renewTime
    const first = await renewed()
    advance(10_000)
    await server.step(signal)
    const second = await renewed()
    expect(Date.parse(second!) - Date.parse(first!)).toBe(10_000)
    const blind = openServer({ ...context, autoscalers: { isReady: false } as never }, 'b')
    advance(10_000)
    await blind.step(signal)
    expect(await renewed()).toBe(second)
  })
})

describe('its certificate', () => {
  it('is shared by all replicas, also when they begin at once', async () => {
    const { cluster, context } = await open()
    const names = { namespace: context.namespace, name: 'trimtab-admission-tls' }
    await cluster.client.delete(resource<KubernetesObject>('v1', 'Secret', 'secrets'), names)
    const replicas = ['b', 'c', 'd'].map((identity) => openServer(context, identity))
    await Promise.all(replicas.map((replica) => replica.step(signal)))
    const certificates = await Promise.all(replicas.map(served))
    expect(new Set(certificates.map(({ fingerprint256 }) => fingerprint256)).size).toBe(1)
    expect(certificates[0]!.subjectAltName).toContain('trimtab-admission.trimtab-system.svc')
    expect(isSignedBy(certificates[0]!, await authorities(cluster))).toBe(true)
  })

  it('is renewed before it ends, with connections kept and its old authority believed until the new one serves', async () => {
    const { cluster, server, advance } = await open()
    const first = await authorities(cluster)
    const kept = await handshake(server)
    const before = await served(server)
    advance(59 * DAY)
    await server.step(signal)
    expect((await served(server)).serialNumber).toBe(before.serialNumber) // a third of 90 days is left
    advance(2 * DAY)
    await server.step(signal)
    const second = await served(server)
    expect([second.serialNumber === before.serialNumber, isSignedBy(second, first)]).toEqual([false, true])
    advance(500 * DAY) // of the two years of the authority less than a third is left
    await server.step(signal)
    const both = await authorities(cluster)
    expect(both.split('BEGIN')).toHaveLength(1 + 2)
    expect(both).toContain(first)
    expect((await served(server)).serialNumber).toBe(second.serialNumber) // the API server has only just heard of the new one
    await server.step(signal)
    const third = await served(server)
    expect([isSignedBy(third, first), isSignedBy(third, both)]).toEqual([false, true])
    kept.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const answered = new Promise((resolve) => kept.once('data', (data) => resolve(String(data).slice(0, 12))))
    expect(await answered).toBe('HTTP/1.1 404') // on the connection that was there before
    advance(300 * DAY)
    await server.step(signal)
    expect(await authorities(cluster)).not.toContain(first) // it has ended
  })

  it('is made anew where the Secret holds none that is sound', async () => {
    const { cluster, context, server } = await open()
    const secrets = resource<KubernetesObject>('v1', 'Secret', 'secrets')
    const ref = { namespace: context.namespace, name: 'trimtab-admission-tls' }
    await cluster.client.merge(secrets, ref, { data: { 'tls.crt': 'eA==', 'ca.key': 'eA==' } })
    await server.step(signal)
    await server.step(signal)
    expect(isSignedBy(await served(server), await authorities(cluster))).toBe(true)
  })
})

/** What the API server believes, PEM. */
async function authorities({ client }: TestCluster): Promise<string> {
  const { webhooks } = await client.get(CONFIGURATIONS, CONFIGURATION)
  return Buffer.from(webhooks[0]!.clientConfig.caBundle!, 'base64').toString()
}

/** A connection, whatever the dates of its certificate are by the clock of this machine. */
async function handshake({ port }: AdmissionServer): Promise<TLSSocket> {
  const socket = connect({ port: port!, host: '127.0.0.1', servername: '', rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  return socket
}

/** The certificate that is served with. */
async function served(server: AdmissionServer): Promise<X509Certificate> {
  return new X509Certificate((await handshake(server)).getPeerCertificate().raw)
}

/** Whether one of these authorities signed it. */
const isSignedBy = (certificate: X509Certificate, bundle: string): boolean =>
  bundle.split(/(?=-----BEGIN)/).some((authority) => certificate.verify(new X509Certificate(authority).publicKey))

function post({ port }: AdmissionServer, ca: string, path: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', port: port!, host: '127.0.0.1', path, ca, rejectUnauthorized: false }
    const request = https.request(options, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.on('error', reject)
    request.end(body)
  })
}
