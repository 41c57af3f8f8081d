import type { ClientRequest } from 'node:http'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { start } from './closing.js'
import { type Ask, ask, type Sent, send } from './send.js'
import { type Started, until } from './start.js'

const errorOf = ({ body }: Sent) => JSON.parse(body.toString()).error
/** No request, byte or place is left behind. */
async function expectIdle({ port, scheduler }: Started): Promise<void> {
  await until(() => scheduler.pending === 0 && scheduler.size === 0)
  const { body } = await send(port, { path: '/metrics' })
  expect(body.toString()).toContain('\ntrimtab_gateway_buffered_bytes 0\n')
}

describe('requests that a client sends without waiting for answers', () => {
  const request = (body: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  it('leave nothing behind when it goes before their turn', async () => {
    const started = await start({ concurrency: 2 })
    const { port, gateway, double } = started
    const socket = net.connect(port, '127.0.0.1')
    for (let i = 0; i < 3; i++) socket.write(request('{"model":"m","messages":[],"double":{"held":true}}'))
    await double.until((requests) => requests.length > 0)
    socket.destroy()
    await expectIdle(started)
    expect(double.requests).toHaveLength(1)
    expect(await gateway.drain(1000)).toBe(true)
  })

  it('are answered one after the other', async () => {
    const { port } = await start()
    const received = await new Promise<string>((resolve) => {
      const socket = net.connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (data) => {
        text += data
        if (text.split('HTTP/1.1 400').length > 2) socket.destroy()
      })
      socket.on('close', () => resolve(text))
      socket.write(request('{') + request('[]'))
    })
    expect(received).toMatch(/not JSON.*must be a JSON object/s)
  })
})

describe('a request that cannot be taken', () => {
  it('is refused in the words of OpenAI’s clients, before the upstream sees it', async () => {
    const started = await start({ maxBodyBytes: 1000 })
    const { port, double, failures } = started
    const refused = await ask(port, {}, { body: '{"model":' })
    expect([refused.status, errorOf(refused)]).toEqual([
      400,
      {
        message: expect.stringContaining('not JSON'),
        type: 'invalid_request_error',
        param: null,
        code: 'body_invalid',
      },
    ])
    const large = await ask(port, { content: 'x'.repeat(2000) })
    expect([large.status, errorOf(large).code]).toEqual([413, 'body_too_large'])
    expect(double.requests).toEqual([])
    expect(failures).toEqual(['body_invalid', 'body_too_large'])
    await expectIdle(started)
  })

  it('is refused while it is still sent, when it did not say how long it is', async () => {
    const started = await start({ maxBodyBytes: 1000 })
    const { port } = started
    const answer = await new Promise<string>((resolve) => {
      const socket = net.connect(port, '127.0.0.1')
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (let i = 0; i < 20; i++) socket.write(`64\r\n${'x'.repeat(100)}\r\n`)
      socket.once('data', (data) => {
        socket.destroy()
        resolve(data.toString())
      })
    })
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    await expectIdle(started)
  })

  it('is refused before it is sent, when the client waits for 100 Continue', async () => {
    const { port, double } = await start({ maxBodyBytes: 1000 })
    const expectation = (bytes: number, body: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1')
        let received = ''
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`,
        )
        socket.on('data', (data) => {
          received += data
          if (received.endsWith('100 Continue\r\n\r\n')) socket.write(body)
          if (received.startsWith('HTTP/1.1 413')) socket.destroy()
        })
        socket.on('close', () => resolve(received))
      })
    expect(await expectation(5000, '')).toMatch(/^HTTP\/1.1 413 /)
    const body = '{"model":"m","messages":[]}'
    expect(await expectation(body.length, body)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/)
    expect(double.requests[0]!.headers.expect).toBeUndefined()
  })

  it('gets 413 when its prompt alone is larger than a limit of tokens', async () => {
    const { port } = await start({ limit: { tokenBudget: 50 } })
    const large = await ask(port, { content: 'word '.repeat(60) })
    expect([large.status, errorOf(large).code]).toEqual([413, 'never_fits'])
    expect((await ask(port, { content: 'word '.repeat(40) })).status).toBe(200)
  })

  it('gets 429 and when to come again, when too many wait or they hold too many bytes', async () => {
    const started = await start({ concurrency: 1, capacity: 1, maxBufferedBytes: 3000 })
    const { port, scheduler, double } = started
    const first = ask(port, { double: { held: true } })
    await until(() => scheduler.pending === 1)
    const second = ask(port)
    await until(() => scheduler.size === 1)
    const third = await ask(port)
    expect([third.status, third.headers['retry-after'], errorOf(third)]).toEqual([
      429,
      '1',
      { message: expect.any(String), type: 'rate_limit_error', param: null, code: 'queue_full' },
    ])
    const large = await ask(port, { content: 'x'.repeat(3000) })
    expect([large.status, large.headers['retry-after'], errorOf(large).code]).toEqual([429, '1', 'buffer_full'])
    double.requests[0]!.release()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    await expectIdle(started)
  })

  it('gets 504 when its deadline passes in the queue, its own or the gateway’s', async () => {
    const started = await start({ concurrency: 1, deadlineMs: 60_000 })
    const { port, scheduler, double } = started
    const held = ask(port, { double: { held: true } })
    await until(() => scheduler.pending === 1)
    const late = await ask(port, {}, { headers: { 'X-Trimtab-Deadline-Ms': '20' } })
    expect([late.status, errorOf(late).code]).toEqual([504, 'deadline_passed'])
    const odd = await ask(port, {}, { headers: { 'X-Trimtab-Deadline-Ms': 'soon' } })
    expect([odd.status, errorOf(odd).code]).toEqual([400, 'deadline_invalid'])
    double.requests[0]!.release()
    await held
    expect(double.requests).toHaveLength(1)
    await expectIdle(started)
  })
})

describe('an upstream that fails', () => {
  it('is quoted: its errors reach the client as they are', async () => {
    const started = await start()
    const limited = await ask(started.port, { double: { status: 429, retryAfter: '60' } })
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '60'])
    expect(limited.body.equals(Buffer.concat(started.double.requests[0]!.sent))).toBe(true)
    const broken = await ask(started.port, { double: { status: 500 } })
    expect([broken.status, errorOf(broken).message]).toEqual([500, 'a double was asked for 500'])
    expect(started.failures).toEqual([])
    await expectIdle(started)
  })

  it('is given up with 504 when it hangs, and its place is free', async () => {
    const started = await start({ concurrency: 1, upstreamTimeoutMs: 500 })
    const { port, double } = started
    const hung = await ask(port, { double: { fault: 'hang' } })
    expect([hung.status, errorOf(hung).code]).toEqual([504, 'upstream_timeout'])
    await double.until(([request]) => request!.state === 'cut')
    expect((await ask(port)).status).toBe(200)
    await expectIdle(started)
  })

  it('that hangs in the middle of a stream ends it without an end', async () => {
    const started = await start({ upstreamTimeoutMs: 500 })
    await expect(ask(started.port, { double: { tokens: 9, fault: 'hang', after: 3 } })).rejects.toThrow('aborted')
    await started.double.until(([request]) => request!.state === 'cut')
    expect(started.failures).toEqual(['upstream_timeout'])
    await expectIdle(started)
  })

  it('that breaks off is 502 before its answer, a broken stream in it, and never asked twice', async () => {
    const started = await start()
    const { port, double, failures } = started
    const reset = await ask(port, { double: { fault: 'reset' } })
    expect([reset.status, errorOf(reset).code]).toEqual([502, 'upstream_failed'])
    await expect(ask(port, { double: { tokens: 9, fault: 'reset', after: 3 } })).rejects.toThrow('aborted')
    expect(double.requests).toHaveLength(2)
    expect(failures).toEqual(['upstream_failed', 'upstream_failed'])
    await expectIdle(started)
  })

  it('that is not there is 502 when it is not waited for', async () => {
    const started = await start({ upstream: 'http://127.0.0.1:1', upstreamWaitMs: 0 })
    const gone = await ask(started.port)
    expect([gone.status, errorOf(gone).code]).toEqual([502, 'upstream_unreachable'])
    expect(errorOf(gone).message).toContain('ECONNREFUSED')
    await expectIdle(started)
  })

  it('that closes connections between requests loses none', async () => {
    const started = await start({ concurrency: 1 })
    for (let i = 0; i < 5; i++) {
      expect((await ask(started.port)).status).toBe(200)
      started.double.closeIdle()
      await until(() => started.double.connections() === 0)
    }
    expect(started.double.requests).toHaveLength(5)
  })
})

describe('a client that leaves', () => {
  const leave = (port: number, fields: Ask, when: Promise<unknown>): Promise<unknown> =>
    expect(ask(port, fields, { watch: (request) => void when.then(() => request.destroy()) })).rejects.toThrow()

  it('while it waits gives up its place in the queue', async () => {
    const started = await start({ concurrency: 1 })
    const { port, scheduler, double } = started
    const held = ask(port, { double: { held: true } })
    await until(() => scheduler.pending === 1)
    await leave(
      port,
      {},
      until(() => scheduler.size === 1),
    )
    await until(() => scheduler.size === 0)
    double.requests[0]!.release()
    await held
    expect(double.requests).toHaveLength(1)
    await expectIdle(started)
  })

  it('before the answer ends the upstream’s work, and frees its place', async () => {
    const started = await start({ concurrency: 1 })
    const { port, double, failures } = started
    await leave(
      port,
      { double: { fault: 'hang' } },
      double.until((requests) => requests.length === 1),
    )
    await double.until(([request]) => request!.state === 'cut')
    expect((await ask(port)).status).toBe(200)
    expect(failures).toEqual(['client_gone'])
    await expectIdle(started)
  })

  it('in the middle of the answer does so too', async () => {
    const started = await start({ concurrency: 1 })
    const { port, double } = started
    const middle = double.until(([request]) => request !== undefined && request.tokens >= 3)
    await leave(port, { double: { tokens: 9, fault: 'hang', after: 3 } }, middle)
    await double.until(([request]) => request!.state === 'cut')
    expect((await ask(port)).status).toBe(200)
    await expectIdle(started)
  })

  it('while its large body is read does not wait', async () => {
    const started = await start()
    started.scheduler.pause()
    const body = JSON.stringify({ model: 'm', messages: Array(200_000).fill({ role: 'user', content: 'Hi' }) })
    const watch = (request: ClientRequest) => void request.on('finish', () => request.destroy())
    await expect(ask(started.port, {}, { body, watch })).rejects.toThrow()
    await until(() => started.failures.length === 1)
    expect([started.failures, started.scheduler.size]).toEqual([['client_gone'], 0])
  })

  it('while it sends its body is forgotten', async () => {
    const started = await start()
    const socket = net.connect(started.port, '127.0.0.1')
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 1000\r\n\r\n{"model":')
    await until(() => started.gateway.renderMetrics().includes('buffered_bytes 9\n'))
    socket.destroy()
    await until(() => started.failures.length === 1)
    expect(started.failures).toEqual(['client_gone'])
    await expectIdle(started)
  })
})
