import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { readExposition } from '../../prometheus/test/exposition.js'
import { HAS_PROMETHEUS, lint, sayUnchecked } from '../../prometheus/test/real-prometheus.js'
import { start } from './closing.js'
import { ask, send } from './send.js'
import { type Double, until } from './start.js'

if (!HAS_PROMETHEUS) sayUnchecked('names of metrics')

const sentBy = (double: Double, index = 0): Buffer => Buffer.concat(double.requests[index]!.sent)

describe('a stream', () => {
  it('reaches the client byte for byte, and the request the upstream', async () => {
    const { port, double } = await start()
    const text = JSON.stringify(
      { model: 'm', stream: true, messages: [], double: { tokens: 50, text: ' ü\u2028€ "x"' } },
      undefined,
      3,
    )
    const { status, headers, body } = await ask(port, {}, { body: text })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(body.equals(sentBy(double))).toBe(true)
    expect(double.requests[0]!.body.toString()).toBe(text)
  })

  it('comes as it is made: the first token is there before the second is', async () => {
    const { port, double } = await start()
    const agent = new http.Agent()
    const first = new Promise<string>((resolve, reject) => {
      const body = JSON.stringify({
        model: 'm',
        stream: true,
        messages: [],
        double: { tokens: 9, fault: 'hang', after: 1 },
      })
      const headers = { 'content-length': Buffer.byteLength(body) }
      const request = http.request(
        { port, method: 'POST', path: '/v1/chat/completions', headers, agent },
        (response) => {
          response.on('error', () => {})
          response.on('data', (piece: Buffer) => {
            if (!piece.includes(' w')) return
            resolve(piece.toString())
            request.destroy()
          })
        },
      )
      request.on('error', reject)
      request.end(body)
    })
    expect(await first).toContain('"content":" w"')
    expect(double.requests[0]!.tokens).toBe(1)
  })

  it('teaches by its usage, or by its text where none is told', async () => {
    const { port, observed } = await start()
    await ask(port, { stream_options: { include_usage: true }, double: { tokens: 7 } })
    await ask(port, { double: { tokens: 9 } })
    await ask(port, { stream: false, double: { tokens: 11 } })
    await ask(port, { stream: false, n: 2, double: { tokens: 15 } })
    await ask(port, { n: 2, double: { tokens: 16 } })
    expect(observed.map(({ tokens }) => tokens)).toEqual([7, 9, 11, 15, 16])
    expect(observed[0]!.request).toMatchObject({ model: 'm' })
    expect(observed[0]!.request.prompt).toContain('Say something')
  })

  it.each(['/v1/responses', '/v1/messages'])('of %s waits, passes and teaches as well', async (path) => {
    const { port, observed, double } = await start()
    const content = 'Say something'
    const fields = path.endsWith('responses') ? { input: content } : { messages: [{ role: 'user', content }] }
    for (const stream of [true, false]) {
      const body = JSON.stringify({ model: 'm', stream, ...fields, double: { tokens: 7 } })
      const answer = await ask(port, {}, { path, body })
      expect([answer.status, answer.headers['server-timing']]).toEqual([200, expect.stringMatching(/^queue;dur=/)])
      expect(answer.body.equals(sentBy(double, double.requests.length - 1))).toBe(true)
    }
    expect(observed.map(({ request, tokens }) => [request.prompt, tokens])).toEqual([
      [content, 7],
      [content, 7],
    ])
  })

  it('teaches nothing when it was cut, held an error, or said nothing of its length', async () => {
    const { port, observed } = await start()
    await expect(ask(port, { double: { tokens: 9, fault: 'reset', after: 3 } })).rejects.toThrow()
    await ask(port, { double: { tokens: 9, fault: 'error-event', after: 3 } })
    await ask(port, { stream: false, double: { tokens: 9, usage: false } })
    await ask(port, { double: { tokens: 9, reason: '' } })
    await ask(port, { double: { status: 500 } })
    expect(observed).toEqual([])
  })
})

describe('what passes through', () => {
  it('does not wait: models are listed while every place is taken', async () => {
    const { port, double, scheduler } = await start({ concurrency: 1 })
    const held = ask(port, { double: { held: true } })
    await double.until((requests) => requests.length === 1)
    const { status, body } = await send(port, { path: '/v1/models?limit=1' })
    expect([status, JSON.parse(body.toString()).data[0].id]).toEqual([200, 'double'])
    expect(double.requests[1]!.path).toBe('/v1/models?limit=1')
    expect(scheduler.pending).toBe(1)
    double.requests[0]!.release()
    await held
  })

  it('keeps its method, its body and its headers, those of one connection apart', async () => {
    const { port, double } = await start()
    const headers = { 'X-Tenant': 'a', Connection: 'close, X-Hop', 'X-Hop': '1', 'Transfer-Encoding': 'chunked' }
    await send(port, { method: 'DELETE', path: '/v1/files/7', headers, body: 'because' })
    const [request] = double.requests
    expect([request!.method, request!.path, request!.body.toString()]).toEqual(['DELETE', '/v1/files/7', 'because'])
    expect(request!.headers).toMatchObject({ 'x-tenant': 'a', host: `127.0.0.1:${double.port}`, via: '1.1 trimtab' })
    expect(request!.headers['x-hop']).toBeUndefined()
  })

  it('finds an upstream that is named with its /v1, and one below a path', async () => {
    const { double } = await start()
    for (const [base, path] of [
      ['/v1', '/v1/models'],
      ['/v1/', '/v1/models'],
      ['/llm/v1', '/llm/v1/models'],
      ['/llm', '/llm/v1/models'],
    ]) {
      const other = await start({ upstream: double.url + base })
      await send(other.port, { path: '/v1/models' })
      expect(double.requests.at(-1)!.path).toBe(path)
    }
  })
})

describe('the places at the upstream', () => {
  it('are never more than allowed, and all are used', async () => {
    const { port, double, scheduler } = await start({ concurrency: 3 })
    const asked = Array.from({ length: 40 }, (_, user) => ask(port, { user, double: { held: true } }))
    await until(() => scheduler.size === 37 && double.requests.length === 3)
    for (let i = 0; i < 40; i++) {
      await until(() => double.requests.length > i)
      double.requests[i]!.release()
    }
    await Promise.all(asked)
    expect([double.requests.length, double.peak()]).toEqual([40, 3])
  })

  it('go to a request for many answers as to one that is as long', async () => {
    const { port, double, scheduler } = await start({ concurrency: 1, order: 'exact' })
    const held = ask(port, { double: { held: true } })
    await double.until((requests) => requests.length === 1)
    const asked = []
    for (const [content, n] of [
      ['expect 50', 8],
      ['expect 300', 1],
    ] as const) {
      asked.push(ask(port, { content, n, user: n }))
      await until(() => scheduler.size === asked.length)
    }
    double.requests[0]!.release()
    await Promise.all([held, ...asked])
    expect(double.requests.slice(1).map(({ body }) => JSON.parse(body.toString()).user)).toEqual([1, 8])
  })

  it('go to the shortest first, and to the oldest when asked for fifo', async () => {
    for (const [order, expected] of [
      ['exact', [9, 20, 300, 4000]],
      ['fifo', [4000, 20, 300, 9]],
    ] as const) {
      const { port, double, scheduler } = await start({ concurrency: 1, order })
      const held = ask(port, { double: { held: true } })
      await double.until((requests) => requests.length === 1)
      const asked = []
      for (const tokens of [4000, 20, 300, 9]) {
        asked.push(ask(port, { content: `expect ${tokens}`, user: tokens }))
        await until(() => scheduler.size === asked.length)
      }
      double.requests[0]!.release()
      await Promise.all([held, ...asked])
      expect(double.requests.slice(1).map(({ body }) => JSON.parse(body.toString()).user)).toEqual(expected)
    }
  })
})

describe('the gateway’s own pages', () => {
  it('tell its health', async () => {
    const { port } = await start()
    const { status, body } = await send(port, { path: '/healthz' })
    expect([status, JSON.parse(body.toString())]).toEqual([200, { status: 'ok', waiting: 0, running: 0 }])
  })

  it('tell its metrics in the format of Prometheus', async () => {
    const { port, double } = await start()
    await ask(port, { stream_options: { include_usage: true }, double: { tokens: 7 } })
    await ask(port, { double: { status: 429 } })
    await send(port, { path: '/v1/models' })
    await expect(ask(port, { double: { fault: 'reset' } })).resolves.toMatchObject({ status: 502 })
    const held = ask(port, { double: { held: true } })
    await double.until((requests) => requests.length === 5)
    const { headers, body } = await send(port, { path: '/metrics' })
    double.requests.at(-1)!.release()
    await held
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const families = readExposition(body.toString())
    const value = (name: string, labels = '') =>
      families.get(`trimtab_gateway_${name}`)!.samples.get(`trimtab_gateway_${name}${labels}`)
    expect(value('requests_total', '{route="chat",code="200"}')).toBe(1)
    expect(value('requests_total', '{route="chat",code="429"}')).toBe(1)
    expect(value('requests_total', '{route="chat",code="502"}')).toBe(1)
    expect(value('requests_total', '{route="other",code="200"}')).toBe(1)
    expect(value('failures_total', '{reason="upstream_failed"}')).toBe(1)
    expect(value('output_tokens_total', '{model="other",source="usage"}')).toBe(7)
    expect(value('running_requests')).toBe(1)
    expect(value('concurrency')).toBe(4)
    const waits = families.get('trimtab_gateway_wait_seconds')!.samples
    expect(waits.get('trimtab_gateway_wait_seconds_count{model="other"}')).toBe(4)
  })

  it.runIf(HAS_PROMETHEUS)('are named by the convention', async () => {
    const { gateway } = await start()
    expect(lint(gateway.renderMetrics())).toBe('')
  })
})
