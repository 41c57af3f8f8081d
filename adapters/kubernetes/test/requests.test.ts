import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Backoff, KubernetesClient, PODS } from '../src/index.js'
import { grant } from './grant.js'
import { CONFIG_MAPS, configMap } from './objects.js'
import { open, openClient, openStandIn, quick, random } from './opened.js'
import { StatusError, tooManyRequests } from './stand-in/status-error.js'

const unavailable = () => new StatusError(503, 'ServiceUnavailable', 'not now')
const POD = { namespace: 'default', name: 'web' }

describe('a request', () => {
  it.each([
    ['500', () => new StatusError(500, 'InternalError', 'etcd is away')],
    ['503', unavailable],
    ['a cut connection', () => 'drop' as const],
  ])('that reads is repeated after %s', async (_, fault) => {
    const { standIn, client } = await open()
    let failures = 2
    standIn.fault = () => (failures-- > 0 ? fault() : undefined)
    expect((await client.list(PODS)).items).toEqual([])
    expect(standIn.seen).toHaveLength(3)
  })

  it.each([
    ['503', unavailable, 'api_service_unavailable'],
    ['a cut connection', () => 'drop' as const, 'api_broken_off'],
  ])('that writes is not sent twice after %s: it may have been carried out', async (_, fault, code) => {
    const { standIn, client } = await open()
    standIn.fault = fault
    await expect(client.create(CONFIG_MAPS, configMap('default', 'a'))).rejects.toMatchObject({ code })
    expect(standIn.seen).toHaveLength(1)
  })

  it('that was not taken (429 with Retry-After) is sent again when the server said, writes too', async () => {
    const { standIn, client } = await open()
    let refusals = 1
    standIn.fault = () => (refusals-- > 0 ? tooManyRequests('too many', 1) : undefined)
    const started = performance.now()
    await client.create(CONFIG_MAPS, configMap('default', 'a'))
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
    expect(standIn.seen).toHaveLength(2)
  })

  it('is given up after its tries, with what the server said last', async () => {
    const { standIn, client } = await open()
    standIn.fault = unavailable
    await expect(client.list(PODS)).rejects.toMatchObject({
      httpStatus: 503,
      message: 'GET /api/v1/pods: 503 ServiceUnavailable: not now',
    })
    expect(standIn.seen).toHaveLength(5)
  })

  it('tells of each try that failed, also where it worked in the end', async () => {
    const standIn = await openStandIn()
    const codes: string[] = []
    const client = await openClient(standIn, undefined, { ...quick, onFailure: ({ code }) => codes.push(code) })
    let failures = 2
    standIn.fault = () => (failures-- > 0 ? unavailable() : undefined)
    await client.list(PODS)
    expect(codes).toEqual(['api_service_unavailable', 'api_service_unavailable'])
  })

  it('to a server that says nothing is given up', async () => {
    const standIn = await openStandIn()
    const client = await openClient(standIn, undefined, { ...quick, silenceMs: 1000, attempts: 2 })
    standIn.fault = () => 'hang'
    await expect(client.list(PODS)).rejects.toMatchObject({ code: 'api_silent' })
    expect(standIn.seen).toHaveLength(2)
  })

  it('ends at once when it is aborted, in a wait between tries too', async () => {
    const standIn = await openStandIn()
    const client = await openClient(standIn, undefined, { random, backoff: { firstMs: 60_000, mostMs: 60_000 } })
    standIn.fault = unavailable
    const ending = new AbortController()
    const listing = client.list(PODS, { signal: ending.signal })
    await expect.poll(() => standIn.seen.length).toBe(1)
    ending.abort(new Error('enough'))
    await expect(listing).rejects.toThrow('enough')
  })

  it('answered 401 is sent again with credentials read anew, and refused for good when these are refused too', async () => {
    const standIn = await openStandIn()
    await grant(standIn, 'default', 'robot', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }])
    const cluster = {
      server: new URL(standIn.url),
      authority: standIn.authority.certificate,
      isUnverified: false,
      namespace: 'default',
    }
    const tokens = ['expired', standIn.issueToken('default', 'robot')]
    const refused: unknown[] = []
    const credentials = async (after?: object) => {
      refused.push(after)
      return { headers: { authorization: `Bearer ${after ? tokens.at(-1) : tokens[0]}` } }
    }
    const client = new KubernetesClient({ ...cluster, credentials }, quick)
    expect((await client.list(PODS)).items).toEqual([])
    expect(refused).toEqual([undefined, { headers: { authorization: 'Bearer expired' } }])
    tokens[1] = 'expired as well'
    await expect(client.list(PODS)).rejects.toMatchObject({ code: 'api_unauthorized', httpStatus: 401 })
    client.close()
  })

  it('meets a server whose certificate is not that of its authority, and says so', async () => {
    const [standIn, other] = [await openStandIn(), await openStandIn()]
    const cluster = {
      server: new URL(standIn.url),
      authority: other.authority.certificate,
      isUnverified: false,
      namespace: 'default',
    }
    const client = new KubernetesClient({ ...cluster, credentials: async () => ({ headers: {} }) }, quick)
    await expect(client.list(PODS)).rejects.toMatchObject({
      code: 'api_untrusted',
      message: expect.stringContaining('certificate-authority'),
    })
    client.close()
  })

  it('repeats what a proxy before the server says in words of its own', async () => {
    const proxy = createServer((_, response) => response.writeHead(502).end('upstream is down'))
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const server = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/k8s/clusters/c-1`)
    const cluster = { server, isUnverified: false, namespace: 'default', credentials: async () => ({ headers: {} }) }
    const client = new KubernetesClient(cluster, { ...quick, attempts: 1 })
    await expect(client.get(PODS, POD)).rejects.toMatchObject({
      code: 'api_answer_502',
      message: expect.stringContaining('upstream is down'),
    })
    client.close()
    proxy.close()
  })

  it('to nobody says that the server cannot be reached', async () => {
    const standIn = await openStandIn()
    const client = await openClient(standIn, undefined, { ...quick, attempts: 2 })
    await standIn.close()
    await expect(client.get(PODS, POD)).rejects.toMatchObject({
      code: 'api_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

it('options that cannot be meant are refused, all at once', async () => {
  const standIn = await openStandIn()
  const wrong = { random, attempts: 0, silenceMs: -1, backoff: { firstMs: 0, factor: 3 }, retries: 2 }
  await expect(openClient(standIn, undefined, wrong)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /options\.retries is no option.*options\.backoff\.factor is no option.*attempts must.*silenceMs must.*backoff\.firstMs must/,
    ),
  })
})

describe('back-off', () => {
  it('doubles up to its bound, shortened by up to a half by chance', () => {
    const longest = new Backoff({ uniform: () => 0 }, { firstMs: 100, mostMs: 500 })
    expect([1, 2, 3, 4].map(() => longest.next())).toEqual([100, 200, 400, 500])
    const shortest = new Backoff({ uniform: () => 1 }, { firstMs: 100, mostMs: 500 })
    expect([1, 2, 3, 4].map(() => shortest.next())).toEqual([50, 100, 200, 250])
  })

  it('begins anew after a success', () => {
    const backoff = new Backoff({ uniform: () => 0 }, { firstMs: 100 })
    backoff.next()
    backoff.reset()
    expect(backoff.next()).toBe(100)
  })
})
