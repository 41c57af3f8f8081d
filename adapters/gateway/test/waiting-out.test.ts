import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { retryAfterMs } from '@trimtab/node/http'
import { beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/free-port.js'
import { dispatch } from '../src/dispatch.js'
import { HttpError } from '../src/http-error.js'
import { Upstreams } from '../src/upstreams.js'
import { double, start } from './closing.js'
import { ask } from './send.js'
import { type Double, until } from './start.js'

const usersOf = ({ requests }: Double) => requests.map(({ body }) => JSON.parse(body.toString()).user).sort()
const byNumber = (a: number, b: number) => a - b

describe('an upstream that refuses connections', () => {
  let port: number
  beforeEach(async () => {
    port = await freePort()
  })

  it('is waited for: everybody who waits is served once when it is there', async () => {
    const { port: gateway, scheduler, failures } = await start({ upstream: `http://127.0.0.1:${port}`, concurrency: 4 })
    const asked = Array.from({ length: 60 }, (_, user) => ask(gateway, { user }))
    await until(() => scheduler.size === 56)
    const back = await double({ port })
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200))
    expect(usersOf(back).sort(byNumber)).toEqual(asked.map((_, user) => user))
    expect(failures).toEqual([])
  })

  it('that restarts costs those that it worked on, and nobody who waits', async () => {
    const first = await double()
    const { port: gateway, scheduler } = await start({ upstream: first.url, concurrency: 2 })
    const asked = Array.from({ length: 20 }, (_, user) => ask(gateway, { user, double: { held: user < 2 } }))
    await until(() => scheduler.size === 18 && first.requests.length === 2)
    const sent = usersOf(first)
    await first.close()
    const second = await double({ port: first.port })
    await until(() => second.requests.length > 0)
    for (const request of second.requests) request.release()
    second.until((requests) => {
      for (const request of requests) request.release()
      return false
    })
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 502)).toHaveLength(2)
    expect([...sent, ...usersOf(second)].sort(byNumber)).toEqual(asked.map((_, user) => user))
  })

  it('is nothing more sent to when it breaks off, until it is seen to take connections', async () => {
    const upstreams = new Upstreams([(await double()).url], undefined, () => {})
    const client = new ServerResponse(new IncomingMessage(new Socket()))
    const untilMs = performance.now() + 30_000
    const patience = { tokens: 1, untilMs, deadlineMs: Number.POSITIVE_INFINITY, client }
    const broken = async () => {
      throw new HttpError(502, 'upstream_failed', 'broke off')
    }
    const failed = dispatch(upstreams, broken, { ...patience, onRefusal() {} })
    await expect(failed).rejects.toMatchObject({ code: 'upstream_failed' })
    const seen: boolean[] = []
    const next = dispatch(upstreams, async () => void seen.push(upstreams.up === 1), { ...patience, onRefusal() {} })
    expect([upstreams.up, seen]).toEqual([0, []])
    await next
    expect(seen).toEqual([true])
    upstreams.close()
  })

  it('is waited for so long and no longer, and the client may leave', async () => {
    const started = await start({ upstream: `http://127.0.0.1:${port}`, concurrency: 4, upstreamWaitMs: 300 })
    const leaver = ask(started.port, {}, { watch: (request) => void setTimeout(() => request.destroy(), 50) })
    await expect(leaver).rejects.toThrow()
    const { status, body } = await ask(started.port)
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([502, 'upstream_unreachable'])
    await until(() => started.scheduler.pending === 0)
    expect(started.failures.sort()).toEqual(['client_gone', 'upstream_unreachable'])
  })

  it('is not waited for beyond the deadline of a request', async () => {
    const { port: gateway } = await start({ upstream: `http://127.0.0.1:${port}`, deadlineMs: 100 })
    expect((await ask(gateway)).status).toBe(504)
  })
})

describe('an upstream that says when to come again', () => {
  it.each([429, 503])('with %d gets the request again then, and not before; it is worked on once', async (status) => {
    const taken: unknown[] = []
    const upstream = await double({ onTake: (user: unknown) => taken.push(user) })
    const { port, failures, gateway } = await start({ upstream: upstream.url })
    const startMs = performance.now()
    const answer = await ask(port, { user: 5, double: { status, retryAfter: '1', times: 1 } })
    expect(answer.status).toBe(200)
    expect(performance.now() - startMs).toBeGreaterThan(950)
    expect([upstream.requests.length, taken, failures]).toEqual([2, [5], []])
    expect(gateway.renderMetrics()).toContain('\ntrimtab_gateway_upstream_refusals_total{reason="retry_after"} 1\n')
  })

  it('later than a request is held is quoted at once', async () => {
    const { port, double } = await start()
    const { status, headers, body } = await ask(port, { double: { status: 429, retryAfter: '60' } })
    expect([status, headers['retry-after']]).toEqual([429, '60'])
    expect(body.equals(Buffer.concat(double.requests[0]!.sent))).toBe(true)
  })

  it('at once is not asked again and again without a pause', async () => {
    const { port, double } = await start({ upstreamWaitMs: 450 })
    expect((await ask(port, { double: { status: 429, retryAfter: '0' } })).status).toBe(429)
    expect(double.requests.length).toBeGreaterThan(1)
    expect(double.requests.length).toBeLessThan(7)
  })

  it('is left to another one meanwhile', async () => {
    const [full, idle] = [await double({ refuses: { status: 503, retryAfter: '20' } }), await double()]
    const { port } = await start({ upstream: [full.url, idle.url] })
    const answers = await Promise.all([ask(port), ask(port)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(full.requests.length).toBeGreaterThan(0)
    expect(idle.requests).toHaveLength(2)
  })

  it('may say it in seconds or as a date; a 500, or no word of it, is an answer', () => {
    const of = (statusCode: number, retryAfter?: string) =>
      retryAfterMs({ statusCode, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })
    expect(of(429, '3')).toBe(3000)
    const date = of(503, new Date(Date.now() + 10_000).toUTCString())!
    expect(date).toBeGreaterThan(8000)
    expect(date).toBeLessThanOrEqual(10_000)
    expect(of(503, new Date(0).toUTCString())).toBe(0)
    expect([of(500, '3'), of(429), of(429, 'soon')]).toEqual([undefined, undefined, undefined])
  })
})
