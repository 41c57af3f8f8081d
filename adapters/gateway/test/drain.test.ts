import http from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, send } from './send.js'
import { type Started, start, until } from './start.js'

let started: Started
afterEach(() => started.close())

describe('draining', () => {
  it('serves who is there, refuses who comes, and closes', async () => {
    started = await start({ concurrency: 1 })
    const { port, gateway, double, scheduler } = started
    const running = ask(port, { double: { held: true, tokens: 5 } })
    await until(() => scheduler.pending === 1)
    const waiting = ask(port, { user: 2 })
    await until(() => scheduler.size === 1)
    const drained = gateway.drain(60_000)
    const late = await ask(port)
    expect([late.status, late.headers['retry-after'], JSON.parse(late.body.toString()).error.code]).toEqual([
      503,
      '1',
      'draining',
    ])
    const health = await send(port, { path: '/healthz' })
    expect([health.status, JSON.parse(health.body.toString())]).toEqual([
      503,
      { status: 'draining', waiting: 1, running: 1 },
    ])
    double.requests[0]!.release()
    for (const answer of [await running, await waiting]) expect(answer.body.toString()).toContain('[DONE]')
    expect((await running).headers.connection).toBe('close')
    expect(await drained).toBe(true)
    await expect(ask(port)).rejects.toThrow('ECONNREFUSED')
    expect(double.requests).toHaveLength(2)
  })

  it('may be asked for twice', async () => {
    started = await start()
    const { port, gateway, double } = started
    const running = ask(port, { double: { held: true, tokens: 5 } })
    await double.until((requests) => requests.length === 1)
    const drained = [gateway.drain(60_000), gateway.drain(60_000)]
    double.requests[0]!.release()
    expect(await Promise.all(drained)).toEqual([true, true])
    expect((await running).status).toBe(200)
  })

  it('ends at once when nobody is there, whatever connections are idle', async () => {
    started = await start()
    const agent = new http.Agent({ keepAlive: true })
    await ask(started.port, {}, { agent })
    expect(await started.gateway.drain(60_000)).toBe(true)
    agent.destroy()
  })

  it('cuts off what is left when its time has passed, and says so', async () => {
    started = await start({ concurrency: 1 })
    const { port, gateway, double, scheduler } = started
    const hung = expect(ask(port, { double: { tokens: 9, fault: 'hang', after: 2 } })).rejects.toThrow()
    await double.until(([request]) => request?.tokens === 2)
    const waiting = expect(ask(port)).rejects.toThrow()
    await until(() => scheduler.size === 1)
    expect(await gateway.drain(20)).toBe(false)
    await Promise.all([hung, waiting])
    await double.until(([request]) => request!.state === 'cut')
    expect(double.requests).toHaveLength(1)
    await until(() => scheduler.pending === 0 && scheduler.size === 0)
  })
})
