import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCore, Random } from '@trimtab/core'
import { afterEach, describe, expect, it } from 'vitest'
import { burstyRates, drawArrivals } from '../src/load/arrivals.js'
import { sendLoad } from '../src/load/load-generator.js'

const core = await createCore()

let server: Server
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A platform that answers as it is told. */
async function listen(answer: Parameters<typeof createServer>[1]): Promise<{ url: string; uuid: string; key: string }> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, uuid: 'u', key: 'k' }
}

const at = (atMs: number) => ({ atMs, action: 'hello', parameters: {} })
const record = (initTime?: number) =>
  JSON.stringify({
    annotations: [{ key: 'waitTime', value: 7 }, ...(initTime ? [{ key: 'initTime', value: initTime }] : [])],
  })

describe('the load generator', () => {
  it('charges a platform that stands still for every request that it held up, not for the first alone', async () => {
    const held: (() => void)[] = []
    let isStill = true
    const target = await listen((_, response) => {
      const answer = () => void response.end(record())
      if (isStill) held.push(answer)
      else answer()
      if (held.length === 8) {
        isStill = false
        for (const one of held.splice(0)) one()
      }
    })
    // Eight requests, 50 ms apart; nothing is answered before the last has come: one after the other they would wait for ever.
    const outcomes = await sendLoad([0, 50, 100, 150, 200, 250, 300, 350].map(at), target)
    for (const { atMs, latencyMs } of outcomes) expect(latencyMs).toBeGreaterThanOrEqual(350 - atMs - 1)
  })

  it('counts from when a request was due, also where it went out late itself', async () => {
    const target = await listen((_, response) => void response.end(record()))
    const [late] = await sendLoad([at(-300)], target) // due before the generator was there
    expect(late!.lagMs).toBeGreaterThanOrEqual(300)
    expect(late!.latencyMs).toBeGreaterThanOrEqual(late!.lagMs)
  })

  it('says which starts were cold, what failed and who did not answer', async () => {
    const asked: unknown[] = []
    const target = await listen(({ url, headers }, response) => {
      asked.push([url, headers.authorization])
      if (url!.includes('cold')) response.end(record(90))
      else if (url!.includes('warm')) response.end(record())
      else if (url!.includes('failing')) response.writeHead(502).end('{"error":"no"}')
    })
    const send = (actions: readonly string[], patienceMs?: number) =>
      sendLoad(
        actions.map((action) => ({ ...at(0), action })),
        { ...target, ...(patienceMs !== undefined && { patienceMs }) },
      )
    const [cold, warm, failed] = await send(['cold', 'warm', 'failing'])
    const [silent] = await send(['silent'], 300)
    const authorization = `Basic ${Buffer.from('u:k').toString('base64')}`
    expect(asked).toContainEqual(['/api/v1/namespaces/_/actions/cold?blocking=true', authorization])
    expect([cold!.isOk, cold!.waitTimeMs, cold!.initTimeMs]).toEqual([true, 7, 90])
    expect([warm!.isOk, warm!.initTimeMs]).toEqual([true, undefined])
    expect([failed!.isOk, failed!.error]).toEqual([false, '502 {"error":"no"}'])
    expect([silent!.isOk, silent!.error]).toEqual([false, 'no answer in 300 ms'])
  })

  it('ends when it is told to', async () => {
    const target = await listen(() => {})
    const stop = new AbortController()
    const load = sendLoad([at(0)], { ...target, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(load).rejects.toThrow('enough')
  })
})

describe('arrivals', () => {
  const load = (action: string, rate: number, seconds = 200) => ({
    action,
    parameters: {},
    ratesPerSecond: new Array<number>(seconds).fill(rate),
  })

  it('are the same for one seed, others for another, and those of a function do not depend on the other functions', () => {
    const both = drawArrivals(core, [load('a', 3), load('b', 5)], 7)
    expect(drawArrivals(core, [load('a', 3), load('b', 5)], 7)).toEqual(both)
    expect(drawArrivals(core, [load('a', 3), load('b', 5)], 8)).not.toEqual(both)
    expect(both.filter(({ action }) => action === 'a')).toEqual(drawArrivals(core, [load('a', 3)], 7))
  })

  it('come in order, as many as their rate says, with the gaps of a Poisson process', () => {
    const times = drawArrivals(core, [load('a', 20, 1000)], 1).map(({ atMs }) => atMs)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(Math.abs(times.length - 20_000)).toBeLessThan(4 * Math.sqrt(20_000))
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    const mean = gaps.reduce((a, b) => a + b) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    expect(variance / mean ** 2).toBeCloseTo(1, 1) // of exponential gaps
  })

  it('keep to the seconds of their rates', () => {
    const ratesPerSecond = [0, 50, 0, 50]
    const seconds = drawArrivals(core, [{ action: 'a', parameters: {}, ratesPerSecond }], 1).map(({ atMs }) =>
      Math.floor(atMs / 1000),
    )
    expect(new Set(seconds)).toEqual(new Set([1, 3]))
  })

  it('of no rate are refused', () => {
    expect(() => drawArrivals(core, [load('a', -1)], 1)).toThrow(/load of a: ratesPerSecond\[0\] must be >= 0, got -1/)
  })

  it('burst as often and as long as they are told', () => {
    const random = new Random(core, 3)
    const rates = burstyRates(random, 100_000, {
      quietPerSecond: 1,
      burstPerSecond: 9,
      everySeconds: 20,
      burstSeconds: 4,
    })
    const share = rates.filter((rate) => rate === 9).length / rates.length
    expect(share).toBeGreaterThan(0.18)
    expect(share).toBeLessThan(0.22)
    expect(rates).toHaveLength(100_000)
    random.dispose()
  })
})
