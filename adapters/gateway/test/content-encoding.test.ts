import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { ask } from './send.js'
import { type Started, start, until } from './start.js'

let started: Started
afterEach(() => started.close())

const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Say something' }] })
const errorOf = (body: Buffer) => JSON.parse(body.toString()).error

describe('a body that is compressed', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('with %s is read, and goes on as it came', async (encoding, pack) => {
    started = await start({ concurrency: 1 })
    const { port, scheduler, double } = started
    scheduler.pause()
    const body = pack(text)
    const asked = ask(port, {}, { body, headers: { 'content-encoding': encoding } })
    await until(() => scheduler.size === 1)
    scheduler.start()
    await double.until((requests) => requests.length === 1)
    expect(double.requests[0]!.body.equals(body)).toBe(true)
    expect(double.requests[0]!.headers['content-encoding']).toBe(encoding)
    expect((await asked).status).toBe(200)
  })

  it('in another way is 415, in a wrong way 400, and one that unpacks to more than is allowed 413', async () => {
    started = await start({ maxBodyBytes: 5000 })
    const { port, double } = started
    const send = (body: Buffer, encoding: string) => ask(port, {}, { body, headers: { 'content-encoding': encoding } })
    const answers = [
      await send(Buffer.from(text), 'zstd'),
      await send(Buffer.from(text), 'gzip'),
      await send(gzipSync(text.padEnd(1_000_000)), 'gzip'),
    ]
    expect(answers.map(({ status, body }) => [status, errorOf(body).code])).toEqual([
      [415, 'encoding_unsupported'],
      [400, 'body_invalid'],
      [413, 'body_too_large'],
    ])
    expect(double.requests).toEqual([])
  })
})

it('an answer that is compressed though it was asked for plain passes, and is said not to be counted', async () => {
  started = await start()
  const { port, double, gateway, observed } = started
  const { headers, body } = await ask(port, { stream: false, double: { encoding: 'gzip' } })
  expect(headers['content-encoding']).toBe('gzip')
  expect(body.equals(Buffer.concat(double.requests[0]!.sent))).toBe(true)
  expect(observed).toEqual([])
  expect(gateway.renderMetrics()).toContain('\ntrimtab_gateway_uncounted_answers_total{reason="compressed"} 1\n')
})
