import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readStatus } from '@trimtab/linux'
import type { Order, OrderOutcome, ResourceVector } from '@trimtab/tasks/microservices'
import { type Span, type Trace, toSpans, traceFromSpans } from '@trimtab/trace'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { EdgeProxy } from '../../src/inject.js'
import {
  LiveApplication,
  type LiveApplicationOptions,
  openProcessLimiter,
  type ProcessLimiter,
  type ServiceInstance,
  SignalProcessLimiter,
} from '../../src/microservices.js'
import { fixture, isAlive } from '../start.js'

const GRANT: ResourceVector = { cpu: 0.2, memoryBandwidth: Infinity, llc: Infinity, diskIo: Infinity, network: 10 }
const { controllers } = readStatus(undefined, [])
const hasGroups = controllers.some(({ controller, isWritable }) => controller === 'cpu' && isWritable)
if (!hasGroups) notChecked('a live application held by control groups', 'root, and the controller cpu writable')

let folder: string
let server: Server
let proxy: EdgeProxy
let limiter: ProcessLimiter | undefined
let application: LiveApplication | undefined
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-application-'))
  server = createServer((_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = await EdgeProxy.listen({ port: (server.address() as AddressInfo).port })
})
afterEach(async () => {
  await application?.dispose()
  limiter?.dispose()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await proxy.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

/** A process that takes all CPU time it can get. */
function burn(replica: number): ServiceInstance & { readonly stop: () => void } {
  const child = fork(fixture('burn-for-ever.mjs'))
  children.push(child)
  const gone = new Promise((resolve) => child.once('exit', resolve))
  return { name: `cart-${replica}`, replica, pid: child.pid!, gone, stop: () => child.kill('SIGKILL') }
}

/** In a collector's place: traces are complete when a test says so. */
class TestWindow {
  readonly #traces: Trace[] = []
  get traces(): number {
    return this.#traces.length
  }
  recent(): Trace[] {
    return this.#traces
  }
  add(...traces: readonly Trace[]): void {
    this.#traces.push(...traces)
  }
}

const ANSWER: Span = {
  ...{ id: 's', parentId: 'c', service: 'cart', instance: 'cart-0', operation: 'cart/read', kind: 'server' },
  ...{ startUs: 9_000, durationUs: 10_000 },
}
/** What comes of an answer alone. */
const unansweredRest = traceFromSpans([{ ...ANSWER, traceId: '1' }])

/** A request of 30 ms of which the cart worked 10, and which waited 15 on the way there. */
const request = (number: number, { isAnswered = true } = {}): Trace => {
  const front = { service: 'front', instance: 'front-0', startUs: 0 }
  return traceFromSpans([
    { ...front, id: 'r', traceId: `${number}`, operation: 'front/browse', kind: 'server', durationUs: 30_000 },
    { ...front, id: 'c', parentId: 'r', operation: 'cart/read', kind: 'client', durationUs: 25_000 },
    ...(isAnswered ? [ANSWER] : []),
  ])
}

const limits = (grant: Partial<ResourceVector>, instance = 'cart-0'): Order => ({
  ...{ kind: 'limits', instance, grant: { ...GRANT, ...grant }, because: 'slo' },
})

describe.each([
  ...(hasGroups
    ? [['control groups', () => openProcessLimiter({ stateFolder: join(folder, 'state'), folder })] as const]
    : []),
  ['signals', () => new SignalProcessLimiter()] as const,
])('a live application held by %s', (_, open) => {
  const window = () => new TestWindow()
  async function start(
    options: Partial<LiveApplicationOptions> = {},
    replace?: () => Promise<ServiceInstance>,
  ): Promise<{ live: LiveApplication; cart: ReturnType<typeof burn> }> {
    limiter = open()
    const cart = burn(0)
    const service = { name: 'cart', instance: cart, proxies: [proxy], ...(replace && { replace }) }
    application = await LiveApplication.start({
      ...{ window: window(), services: [service], limiter, deployed: new Map([['cart', GRANT]]) },
      ...{ requests: ['front/browse'], stepSeconds: 0.2, cores: 0.5, ...options },
    })
    return { live: application, cart }
  }

  it('shows each trace in one window, and what its spans say of requests and instances', async () => {
    const collected = window()
    const { live } = await start({ window: collected })
    collected.add(request(0), request(1))
    const first = await live.next()
    collected.add(request(2))
    const second = await live.next()
    expect([first, second].map(({ traces }) => traces.map(({ traceId }) => traceId))).toEqual([['0', '1'], ['2']])
    expect(second.telemetry.fromSecond).toBe(first.telemetry.toSecond)
    const { requests, instances } = first.telemetry
    expect(requests).toMatchObject([{ name: 'front/browse', arrivals: 2, served: 2 }])
    expect([...requests[0]!.latenciesMs]).toEqual([30, 30])
    const seconds = first.telemetry.toSecond - first.telemetry.fromSecond
    expect(instances).toMatchObject([
      { name: 'cart-0', state: 'serving', arrivals: 2, meanSojournMs: 10, meanWaitMs: 15 },
    ])
    expect(instances[0]!.meanWaiting).toBeCloseTo(0.03 / seconds, 9)
    expect([...instances[0]!.mix]).toEqual([1])
    expect(instances[0]!.utilisation01.llc).toBeNaN() // nobody counts it
  })

  it('takes whoever is late to tell to be late to work: an answer that has not come is all of its call', async () => {
    const collected = window()
    const { live } = await start({ window: collected })
    const unanswered = request(1, { isAnswered: false })
    collected.add(request(0), unanswered)
    const spans = (await live.next()).traces.map((trace) =>
      toSpans(trace).map(({ instance, durationUs }) => ({ instance, durationUs })),
    )
    expect(spans[0]).toContainEqual({ instance: 'cart-0', durationUs: 10_000 })
    expect(spans[1]).toContainEqual({ instance: 'cart-0', durationUs: 25_000 })
    collected.add(unansweredRest)
    const late = await live.next()
    expect(late.traces).toEqual([]) // no request of its own
    expect(late.telemetry.instances).toMatchObject([{ arrivals: 1 }])
  })

  it('holds processes to their grant, raises it as far as there is room, and says how far', async () => {
    const { live } = await start({ stepSeconds: 1 })
    await live.next()
    const { used, utilisation01, busy01 } = (await live.next()).telemetry.instances[0]!
    expect(used.cpu).toBeLessThan(0.3) // of all that it wants
    expect(utilisation01.cpu).toBeGreaterThan(0)
    expect(busy01).toBeGreaterThan(0)
    const order = limits({ cpu: 1.6, network: 80 })
    expect(await live.apply([order])).toEqual([
      { order, done: 'part', reason: 'its machine has no more cpu', granted: { cpu: 0.5 } },
    ])
    expect(proxy.bytesPerSecond).toBe(80e6)
    expect((await live.next()).telemetry.instances[0]!.grant).toMatchObject({ cpu: 0.5, network: 80 })
    await live.restore()
    expect((await live.next()).telemetry.instances[0]!.grant).toEqual(GRANT)
    expect(proxy.bytesPerSecond).toBe(10e6)
  })

  it('replaces a process beside its work, and says what became of it when that is known', async () => {
    const next = burn(1)
    let serve = () => {}
    const { live, cart } = await start({}, async () => {
      await new Promise<void>((resolve) => (serve = resolve))
      return next
    })
    const order: Order = { kind: 'replace', instance: 'cart-0', because: 'slo' }
    const again = { order, done: 'nothing', reason: 'another one starts already' }
    expect(await live.apply([order, order])).toEqual([again])
    expect((await live.next()).telemetry.instances).toMatchObject([{ name: 'cart-0', state: 'serving' }])
    serve()
    const outcomes: OrderOutcome[] = []
    await expect.poll(async () => outcomes.push(...(await live.apply([])))).toBe(1)
    expect(outcomes).toEqual([{ order, done: 'whole' }])
    expect((await live.next()).telemetry.instances).toMatchObject([
      { name: 'cart-0', state: 'leaving' },
      { name: 'cart-1', state: 'serving', replica: 1, grant: GRANT },
    ])
    cart.stop()
    await cart.gone
    expect((await live.next()).telemetry.instances.map(({ name }) => name)).toEqual(['cart-1'])
    expect(await live.apply([limits({})])).toMatchObject([
      { done: 'nothing', reason: 'cart-0 does not serve, or no more' },
    ])
  })

  it('says what it cannot do, and lets everybody go at the end', async () => {
    const { live, cart } = await start()
    const orders: Order[] = [
      { kind: 'scale', service: 'cart', replicas: 2, because: 'utilisation' },
      { kind: 'replace', instance: 'cart-0', because: 'slo' },
    ]
    expect(await live.apply(orders)).toMatchObject([
      { done: 'nothing', reason: expect.stringContaining('one process') },
      { done: 'nothing', reason: 'nothing can take the place of cart' },
    ])
    await expect(live.next(AbortSignal.abort('enough'))).rejects.toBe('enough')
    await live.dispose()
    expect(isAlive(cart.pid)).toBe(true)
  })
})

it('is refused where nobody says what a service is granted', async () => {
  limiter = new SignalProcessLimiter()
  const services = [{ name: 'cart', instance: burn(0), proxies: [] }]
  const options = { window: new TestWindow(), services, limiter, deployed: new Map(), requests: [] }
  await expect(LiveApplication.start(options)).rejects.toThrow(/deployed must say what cart is granted/)
})
