// examples/shop as its README runs it: real processes, spans by the official SDK, and the built command on what was collected.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCore } from '@trimtab/core'
import type { InjectionTruth } from '@trimtab/local/inject'
import { LiveApplication, SignalProcessLimiter } from '@trimtab/local/microservices'
import { stateOf } from '@trimtab/node'
import { byTraces, CulpritPolicy, healthyFrom, Localiser, mitigate, vectorOf } from '@trimtab/tasks/microservices'
import { parseTraces, type Trace, toSpans } from '@trimtab/trace'
import { afterAll, describe, expect, it } from 'vitest'
import { OpenShop } from '../examples/shop/open-shop.mjs'

const SHOP = fileURLToPath(new URL('../examples/shop/shop.mjs', import.meta.url))
const CAMPAIGN = fileURLToPath(new URL('../examples/shop/slow-payment.json', import.meta.url))
const COMMAND = fileURLToPath(new URL('../packages/cli/dist/bin.js', import.meta.url))
const SLOW_MS = 900_000 // eleven processes start, on a machine that does other things too

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'trimtab-shop-'))
afterAll(() => rmSync(folder, { recursive: true }))

const runShop = async (name: string, ...argv: string[]): Promise<{ out: string; files: string[] }> => {
  const to = join(folder, name)
  const { stdout } = await run(process.execPath, [SHOP, '--seconds', '2', '--rate', '4', '--to', to, ...argv])
  return { out: stdout, files: readdirSync(join(to, 'traces')).map((file) => join(to, 'traces', file)) }
}

const trimtab = async (...argv: string[]): Promise<string> => (await run(process.execPath, [COMMAND, ...argv])).stdout

/** A customer who buys again once there is an answer: as fast as the machine is, whatever else that does. */
async function shopAgain(shop: OpenShop, isOver: AbortSignal, tell: (isOk: boolean) => void = () => {}): Promise<void> {
  while (!isOver.aborted) tell(await shop.ask('buy', 1))
}

describe('the shop', () => {
  it(
    'puts another process in the place of one, and loses no request by it',
    async () => {
      const shop = await OpenShop.open({ folder })
      const isOver = new AbortController()
      try {
        const answers: boolean[] = []
        const customers = [1, 2, 3].map(() => shopAgain(shop, isOver.signal, (isOk) => answers.push(isOk)))
        const before = shop.services.find(({ name }) => name === 'payment')!
        const after = await before.replace!()
        await before.instance.gone // which it does once whoever was there has an answer
        const served = answers.length
        await expect.poll(() => answers.length, { timeout: SLOW_MS }).toBeGreaterThan(served + 5)
        isOver.abort()
        await Promise.all(customers)
        expect(answers).toEqual(answers.map(() => true))
        expect(after).toMatchObject({ name: 'payment-1', replica: 1 })
        expect(shop.shop.process('payment').pid).toBe(after.pid)
        expect(await shop.shop.unhealthy()).toEqual([])

        // One without CPU time, whose callers the system has let in and that has not taken them yet.
        process.kill(after.pid, 'SIGSTOP')
        const url = `http://127.0.0.1:${before.proxies[0]!.port}/charge?size=0.1`
        const waiting = Array.from({ length: 200 }, () => fetch(url, { method: 'POST' }).then(({ ok }) => ok))
        await setTimeout(500)
        await before.replace!()
        process.kill(after.pid, 'SIGCONT')
        expect(await Promise.all(waiting)).toEqual(waiting.map(() => true))
      } finally {
        isOver.abort()
        await shop.close()
      }
    },
    SLOW_MS,
  )

  it(
    'is under the mitigation loop of the simulator, which names the way to a service whose answers are held',
    async () => {
      const shop = await OpenShop.open({ folder, exportMs: 200, sweepSeconds: 2 })
      const limiter = new SignalProcessLimiter()
      const grant = vectorOf([Infinity, Infinity, Infinity, Infinity, 12.5])
      const isOver = new AbortController()
      const customer = shopAgain(shop, isOver.signal)
      let live: LiveApplication | undefined
      try {
        live = await LiveApplication.start({
          ...{ window: shop.collector.window, services: shop.services, limiter, requests: ['gateway/buy'] },
          deployed: new Map(shop.services.map(({ name }) => [name, grant] as const)),
          stepSeconds: 1,
        })
        const usual: Trace[] = []
        while (usual.length < 20) usual.push(...(await live.next()).traces)
        const healthy = healthyFrom(usual, 2)
        const localiser = new Localiser(healthy)
        const math = (await createCore()).math
        const deployed = new Map(shop.services.map(({ name }) => [name, grant] as const))
        const policy = new CulpritPolicy({ name: 'test', math, deployed, namers: [byTraces(localiser)] })
        // Far beyond what a busy machine adds by itself.
        const heldMs = 200 + healthy.slosMs.get('gateway/buy')!
        const shape = { drawDelayMs: () => heldMs, bandwidthTaken01: 0, onPassed: () => {} }
        for (const proxy of shop.services.find(({ name }) => name === 'payment')!.proxies) proxy.add(shape)
        for await (const { orders } of mitigate({ source: live, actuators: live, policy })) {
          const order = orders.find((one) => one.kind === 'limits' && one.instance === 'payment-0')
          if (order?.kind !== 'limits' || typeof order.because !== 'object' || !order.because.edge) continue
          expect(order.because.edge).toEqual({ caller: 'checkout', callee: 'payment', kind: 'call' })
          expect(order.grant.network).toBeCloseTo(8 * 12.5, 9)
          break
        }
        localiser.dispose()
      } finally {
        isOver.abort()
        await customer
        await live?.dispose()
        limiter.dispose()
        await shop.close()
      }
    },
    SLOW_MS,
  )

  it(
    'is traced whole: every call of every request, over ten processes, and the commands of its README read it',
    async () => {
      const usual = await runShop('usual')
      // A browse is 11 spans and a purchase 15, by the table of services; of each there were four.
      expect(usual.out).toMatch(/^8 requests, 0 failed\n104 spans: /m)
      const traces = usual.files.flatMap((file) => parseTraces(readFileSync(file)))
      expect(traces.map(({ size }) => size).sort()).toEqual([11, 11, 11, 11, 15, 15, 15, 15])
      const services = traces.flatMap((trace) => toSpans(trace).map(({ service }) => service))
      expect(new Set(services).size).toBe(10)
      expect(await trimtab('trace', 'profile', ...usual.files)).toMatch(/requests 8 · spans 104/)
      expect(await trimtab('trace', 'critical-path', ...usual.files)).toMatch(/gateway/)
    },
    SLOW_MS,
  )

  it(
    'is disturbed where a campaign says, which its traces show and the truth beside them',
    async () => {
      const { files } = await runShop('slow', '--campaign', CAMPAIGN)
      const spans = files.flatMap((file) => parseTraces(readFileSync(file))).flatMap(toSpans)
      const calls = spans.filter(({ operation, kind }) => operation === 'payment/charge' && kind === 'client')
      const waysMs = calls.map((call) => {
        const served = spans.find(({ parentId }) => parentId === call.id)!
        return (call.durationUs - served.durationUs) / 1000
      })
      expect(waysMs.length).toBe(4)
      // Two delays of 25 ms each, by ± 5: slower on a busy machine, never faster.
      for (const ms of waysMs) expect(ms).toBeGreaterThan(25)
      const { anomalies } = JSON.parse(readFileSync(join(folder, 'slow', 'truth.json'), 'utf8')) as InjectionTruth
      const heldMs = anomalies.map(({ seconds }) => seconds.reduce((sum, { measured }) => sum + measured.heldMs!, 0))
      for (const each of heldMs) expect(each).toBeGreaterThan(4 * 25)
    },
    SLOW_MS,
  )

  it(
    'takes its services along when it is killed',
    async () => {
      const shop = spawn(process.execPath, [SHOP, '--seconds', '1000', '--to', join(folder, 'killed')])
      let out = ''
      shop.stdout.on('data', (text) => (out += text))
      const pids = (): number[] => [...out.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid))
      await expect.poll(() => pids().length, { timeout: SLOW_MS }).toBe(10)
      shop.kill('SIGKILL')
      const alive = (): number[] =>
        pids().filter((pid) => stateOf({ pid, startTime: undefined, pidNamespace: undefined }) === 'alive')
      await expect.poll(alive, { timeout: SLOW_MS }).toEqual([])
    },
    SLOW_MS,
  )
})
