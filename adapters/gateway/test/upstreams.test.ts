import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { closing, double, start } from './closing.js'
import { ask, send } from './send.js'
import { type Double, until } from './start.js'

const doubles = (count: number): Promise<Double[]> => Promise.all(Array.from({ length: count }, () => double()))
const urls = (list: readonly Double[]) => list.map(({ url }) => url)

describe('several upstreams', () => {
  it('get the next request where the least work is left', async () => {
    const [a, b] = (await doubles(2)) as [Double, Double]
    const { port } = await start({ upstream: urls([a, b]), concurrency: 8 })
    const asked: Promise<unknown>[] = []
    const count = () => a.requests.length + b.requests.length
    for (const tokens of [1000, 10, 10, 10]) {
      asked.push(ask(port, { content: `expect ${tokens}`, double: { held: true } }))
      await until(() => count() === asked.length)
    }
    expect([a.requests.length, b.requests.length].sort()).toEqual([1, 3])
    for (const { requests } of [a, b]) for (const request of requests) request.release()
    await Promise.all(asked)
  })

  it('share the places; one that is gone loses its own, and has them again when it is back', async () => {
    const [a, b] = (await doubles(2)) as [Double, Double]
    const { port, scheduler, gateway } = await start({ upstream: urls([a, b]), concurrency: 8 })
    await a.close()
    for (let i = 0; i < 4; i++) expect((await ask(port)).status).toBe(200)
    expect(scheduler.concurrency).toBe(4)
    expect(gateway.renderMetrics()).toContain(`\ntrimtab_gateway_upstream_up{upstream="127.0.0.1:${a.port}"} 0\n`)
    await double({ port: a.port })
    await until(() => scheduler.concurrency === 8)
    expect(b.requests).toHaveLength(4)
  })

  it('that say they are not well get nothing until they are', async () => {
    let status = 200
    const sick = createServer((request, response) => {
      response.writeHead(request.url === '/health' ? status : 500).end()
    })
    await new Promise<void>((resolve) => sick.listen(0, '127.0.0.1', resolve))
    closing({ close: () => new Promise<void>((resolve) => void sick.close(() => resolve()).closeAllConnections()) })
    status = 503
    const [well] = (await doubles(1)) as [Double]
    const { port } = sick.address() as AddressInfo
    const { port: gateway, scheduler } = await start({
      upstream: [`http://127.0.0.1:${port}`, well.url],
      healthPath: '/health',
      concurrency: 2,
    })
    await until(() => scheduler.concurrency === 1)
    for (let i = 0; i < 4; i++) expect((await ask(gateway)).status).toBe(200)
    expect((await send(gateway, { path: '/v1/models' })).status).toBe(200)
    status = 200
    await until(() => scheduler.concurrency === 2)
  })
})

it('tells by model how long waits, answers and first tokens took, and how predictions did', async () => {
  const { port, gateway } = await start()
  for (let i = 0; i < 9; i++) await ask(port, { model: 'big', content: 'expect 30', double: { tokens: 20 } })
  await ask(port, { model: 'seldom', stream: false, double: { tokens: 5 } })
  const page = gateway.renderMetrics()
  const value = (name: string, labels: string) =>
    Number(new RegExp(`^trimtab_gateway_${name}\\{${labels}\\} (.*)$`, 'm').exec(page)?.[1])
  expect(value('output_tokens_total', 'model="big",source="text"')).toBe(2 * 20)
  expect(value('output_tokens_total', 'model="other",source="usage"')).toBe(5)
  expect(value('predicted_tokens_total', 'model="big"')).toBe(2 * 30)
  expect(value('prediction_ratio_bucket', 'model="big",le="1.25"')).toBe(0)
  expect(value('prediction_ratio_bucket', 'model="big",le="1.5"')).toBe(2)
  expect(value('time_to_first_token_seconds_count', 'model="big"')).toBe(2)
  expect(value('time_to_first_token_seconds_count', 'model="other"')).toBe(7)
  expect(value('wait_seconds_count', 'model="big"')).toBe(2)
  for (let i = 0; i < 200; i++) await ask(port, { model: `junk-${i}` })
  expect(gateway.renderMetrics()).not.toContain('junk')
})

it('keeps its metrics for this machine, or for who shows the token', async () => {
  const { port } = await start()
  expect((await send(port, { path: '/metrics' })).status).toBe(200)
  const guarded = await start({ metricsToken: 'sesame' })
  const ask = async (authorization?: string) =>
    (await send(guarded.port, { path: '/metrics', headers: authorization ? { authorization } : {} })).status
  expect([await ask(), await ask('Bearer sesam'), await ask('Bearer sesame')]).toEqual([401, 401, 200])
  const exposed = await start({ host: '0.0.0.0' })
  expect((await send(exposed.port, { path: '/metrics' })).status).toBe(401)
  expect((await send(exposed.port, { path: '/healthz' })).status).toBe(200)
})

it('reads a large body without holding up everybody else', async () => {
  const { port, scheduler, double } = await start({ concurrency: 1 })
  scheduler.pause()
  const part = { type: 'text', text: 'one of many' }
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: Array(200_000).fill(part) }] })
  const asked = Array.from({ length: 4 }, () => ask(port, {}, { body }))
  let pages = 0
  while (scheduler.size < 4) {
    await send(port, { path: '/healthz' })
    pages++
  }
  scheduler.start()
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
  expect(pages).toBeGreaterThan(20)
  expect(double.requests.every((request) => request.body.length === body.length)).toBe(true)
})
