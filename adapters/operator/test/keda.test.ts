import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Client, credentials, loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { MULTIDIM_POD_AUTOSCALERS, type MultidimPodAutoscaler } from '@trimtab/kubernetes'
import { HttpServer } from '@trimtab/node/http'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { answerMetricsApi, ExternalScaler, Recommendations } from '../src/index.js'
import { operatorObjects } from '../src/manifests/index.js'
import { autoscalerOf, openCluster, openContext } from './cluster.js'

const SHOP = { namespace: 'default', name: 'shop' }
const MAX_AGE_MS = 60_000

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** A cluster with an autoscaler, what is recommended there, and a clock that is moved by hand. */
async function openRecommendations(name = SHOP.name) {
  const cluster = await openCluster()
  const clock = { nowMs: Date.parse('2026-11-02T12:00:00Z'), now: () => clock.nowMs }
  await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf(name))
  const decide = (wanted: number, agoMs = 0): Promise<MultidimPodAutoscaler> => {
    const lastDecisionTime = new Date(clock.nowMs - agoMs).toISOString()
    const decided = { replicas: { current: 2, wanted }, decidedBy: 'rule', lastDecisionTime }
    const ref = { namespace: 'default', name }
    return cluster.client.merge(MULTIDIM_POD_AUTOSCALERS, ref, { status: decided }, { subresource: 'status' })
  }
  const open = async () => {
    const context = await openContext(cluster, clock as never)
    const recommendations = new Recommendations(context, MAX_AGE_MS)
    opened.push(() => recommendations.dispose())
    return recommendations
  }
  return { ...cluster, clock, decide, open }
}

const stateOf = (recommendations: Recommendations) => {
  const found = recommendations.of(SHOP)
  return found.state === 'fresh' ? found.replicas : found.state
}

describe('a recommendation', () => {
  it('is there once something was decided, and stale when the recommender has been silent for too long', async () => {
    const { clock, decide, open } = await openRecommendations()
    const recommendations = await open()
    expect(stateOf(recommendations)).toBe('stale')
    await decide(5)
    await expect.poll(() => stateOf(recommendations)).toBe(5)
    clock.nowMs += MAX_AGE_MS
    expect(stateOf(recommendations)).toBe(5)
    clock.nowMs += 1
    expect(stateOf(recommendations)).toBe('stale')
    await decide(5)
    await expect.poll(() => stateOf(recommendations)).toBe(5)
  })

  it.each([
    ['ten minutes slow', 600_000],
    ['ten minutes fast', -600_000],
  ])('is fresh as long as it comes in, though the recommender’s clock is %s', async (_, agoMs) => {
    const { clock, decide, open } = await openRecommendations()
    await decide(3, agoMs)
    const recommendations = await open()
    expect(stateOf(recommendations)).toBe('stale') // was there already: nobody knows since when
    clock.nowMs += 1000
    await decide(4, agoMs)
    await expect.poll(() => stateOf(recommendations)).toBe(4)
  })

  it('does not become fresh by a change of something else', async () => {
    const { client, decide, open } = await openRecommendations()
    await decide(3, MAX_AGE_MS + 1)
    const recommendations = await open()
    const seen = new Promise<void>((resolve) => recommendations.watch(resolve))
    await client.merge(MULTIDIM_POD_AUTOSCALERS, SHOP, { metadata: { labels: { team: 'shop' } } })
    await seen
    expect(stateOf(recommendations)).toBe('stale')
  })
})

describe('the metrics-api endpoint', () => {
  it('answers the wanted replicas at `value`, 404 for what is not there, 503 for what is stale', async () => {
    const { clock, client, decide, open } = await openRecommendations()
    await decide(7)
    const server = await HttpServer.listen(answerMetricsApi(await open()), 0, '127.0.0.1')
    opened.push(() => server.close())
    const get = async (path: string): Promise<[number, Record<string, unknown>]> => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
      return [response.status, (await response.json()) as Record<string, unknown>]
    }
    const lastDecisionTime = '2026-11-02T12:00:00.000Z'
    expect(await get('/keda/default/shop')).toEqual([200, { value: 7, ...SHOP, decidedBy: 'rule', lastDecisionTime }])
    expect(await get('/keda/default/gone')).toEqual([404, { error: 'there is no MultidimPodAutoscaler default/gone' }])
    for (const path of ['/', '/keda/default', '/keda/default/shop/x', '/keda/../shop'])
      expect((await get(path))[0]).toBe(404)
    clock.nowMs += MAX_AGE_MS + 1
    const [code, body] = await get('/keda/default/shop')
    expect([code, body.value]).toEqual([503, undefined])
    expect(body.error).toMatch(/is of 2026-11-02T12:00:00.000Z: is the recommender up/)
    await client.delete(MULTIDIM_POD_AUTOSCALERS, SHOP)
    await expect.poll(async () => (await get('/keda/default/shop'))[0]).toBe(404)
  })
})

interface Service {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly ports: readonly { readonly port: number }[] }
}

describe('the ScaledObject of KEDA.md', () => {
  it('asks the Service that the manifests make, for a path and a value that are answered', async () => {
    const page = readFileSync(new URL('../KEDA.md', import.meta.url), 'utf8')
    const [sample] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text!))
    const { url, valueLocation, targetValue } = sample.spec.triggers[0].metadata
    const services = operatorObjects({}).filter(({ kind }) => kind === 'Service') as unknown as Service[]
    const hosts = services.flatMap(({ metadata: { name, namespace }, spec }) =>
      spec.ports.map(({ port }) => `${name}.${namespace}:${port}`),
    )
    const { host, pathname } = new URL(url)
    expect(hosts).toContain(host)
    const { decide, open } = await openRecommendations('web')
    await decide(3)
    const server = await HttpServer.listen(answerMetricsApi(await open()), 0, '127.0.0.1')
    opened.push(() => server.close())
    const body = await (await fetch(`http://127.0.0.1:${server.port}${pathname}`)).json()
    expect(Math.ceil((body as Record<string, number>)[valueLocation]! / Number(targetValue))).toBe(3) // as KEDA's HPA does
  })
})

type Call = (request: object, done: (error: { code: number; details: string } | null, answer: unknown) => void) => void
type Stream = AsyncIterable<object> & { cancel(): void; on(event: 'error', listener: () => void): void }
type ScalerClient = Record<'IsActive' | 'GetMetricSpec' | 'GetMetrics', Call> & {
  StreamIsActive(request: object): Stream
  close(): void
}

async function openScaler(recommendations: Recommendations) {
  const scaler = await ExternalScaler.listen(recommendations, 0, '127.0.0.1')
  opened.push(() => scaler.close())
  const proto = new URL('../proto/externalscaler.proto', import.meta.url).pathname
  const services = loadPackageDefinition(loadSync(proto, { longs: Number })) as never as {
    externalscaler: { ExternalScaler: new (...args: unknown[]) => ScalerClient }
  }
  const client = new services.externalscaler.ExternalScaler(`127.0.0.1:${scaler.port}`, credentials.createInsecure())
  opened.push(() => client.close())
  const call = (method: 'IsActive' | 'GetMetricSpec' | 'GetMetrics', request: object) =>
    new Promise((resolve, reject) =>
      client[method](request, (error, answer) => (error ? reject(error) : resolve(answer))),
    )
  return { scaler, client, call }
}

describe('the external scaler', () => {
  it('has one metric, the wanted replicas, of which a pod is one', async () => {
    const { decide, open } = await openRecommendations()
    await decide(7)
    const { call } = await openScaler(await open())
    const ref = { namespace: 'default', name: 'shop' }
    expect(await call('IsActive', ref)).toEqual({ result: true })
    expect(await call('GetMetricSpec', ref)).toEqual({
      metricSpecs: [{ metricName: 'wanted_replicas', targetSize: 1, targetSizeFloat: 1 }],
    })
    const metricValues = [{ metricName: 'wanted_replicas', metricValue: 7, metricValueFloat: 7 }]
    expect(await call('GetMetrics', { scaledObjectRef: ref, metricName: 'wanted_replicas' })).toEqual({ metricValues })
    const named = { namespace: 'default', name: 'another', scalerMetadata: { autoscaler: 'shop' } }
    expect(await call('GetMetrics', { scaledObjectRef: named })).toEqual({ metricValues })
  })

  it('speaks KEDA’s protocol to the byte', async () => {
    const { decide, open } = await openRecommendations()
    await decide(7)
    const { scaler } = await openScaler(await open())
    const client = new Client(`127.0.0.1:${scaler.port}`, credentials.createInsecure())
    opened.push(() => client.close())
    const ask = (method: string, request: Buffer) =>
      new Promise<string>((resolve, reject) =>
        client.makeUnaryRequest(
          `/externalscaler.ExternalScaler/${method}`,
          (bytes: Buffer) => bytes,
          (bytes) => bytes.toString('hex'),
          request,
          (error, answer) => (error ? reject(error) : resolve(answer!)),
        ),
      )
    const field = (number: number, text: Buffer | string) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, text.length]), Buffer.from(text)]) // length-delimited
    const ref = Buffer.concat([field(1, 'shop'), field(2, 'default')])
    const metric = (value: number, float: string) =>
      field(
        1,
        Buffer.concat([field(1, 'wanted_replicas'), Buffer.from([0x10, value]), Buffer.from(`19${float}`, 'hex')]),
      )
    expect(await ask('IsActive', ref)).toBe('0801')
    expect(await ask('GetMetricSpec', ref)).toBe(metric(1, '000000000000f03f').toString('hex'))
    expect(await ask('GetMetrics', field(1, ref))).toBe(metric(7, '0000000000001c40').toString('hex'))
  })

  it('has nothing for what is not there, and nothing that is stale', async () => {
    const { clock, decide, open } = await openRecommendations()
    await decide(7)
    const { call } = await openScaler(await open())
    const gone = { namespace: 'default', name: 'gone' }
    const unknown = { code: status.NOT_FOUND, details: 'there is no MultidimPodAutoscaler default/gone' }
    await expect(call('IsActive', gone)).rejects.toMatchObject(unknown)
    clock.nowMs += MAX_AGE_MS + 1
    for (const method of ['IsActive', 'GetMetricSpec'] as const)
      await expect(call(method, SHOP)).rejects.toMatchObject({ code: status.UNAVAILABLE })
    await expect(call('GetMetrics', { scaledObjectRef: SHOP })).rejects.toMatchObject({ code: status.UNAVAILABLE })
  })

  it('streams whether there should be pods: at once when it is known, and again when that changes', async () => {
    const { decide, open } = await openRecommendations()
    const recommendations = await open()
    const { client } = await openScaler(recommendations)
    const stream = client.StreamIsActive(SHOP)
    stream.on('error', () => {}) // it is cancelled in the end
    const told = stream[Symbol.asyncIterator]()
    for (const wanted of [2, 3, 0, 1]) {
      await decide(wanted)
      await expect.poll(() => stateOf(recommendations)).toBe(wanted)
    }
    for (const result of [true, false, true]) expect((await told.next()).value).toEqual({ result })
    stream.cancel()
  })

  it('refuses a port that is taken', async () => {
    const { open } = await openRecommendations()
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.on('listening', resolve))
    opened.push(() => taken.close())
    const { port } = taken.address() as { port: number }
    await expect(ExternalScaler.listen(await open(), port, '127.0.0.1')).rejects.toMatchObject({
      code: 'port_unusable',
    })
  })
})
