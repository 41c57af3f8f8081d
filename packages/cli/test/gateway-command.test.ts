import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startDouble } from '../../../adapters/gateway/test/protocol-double.mjs'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

let double: Awaited<ReturnType<typeof startDouble>> | undefined
afterEach(async () => {
  await double?.close()
  double = undefined
})

/** The command, running; its URL is the first thing that it says. */
async function start(...argv: string[]): Promise<{ url: string; host: FakeHost; stop(): Promise<number> }> {
  double = await startDouble()
  const abort = new AbortController()
  const host = createFakeHost({ signal: abort.signal })
  const ended = main(
    ['gateway', '--upstream', double.url, '--concurrency', '2', '--port', '0', '--json', ...argv],
    host,
  )
  let hasEnded = false
  ended.then(() => {
    hasEnded = true
  })
  while (!host.out() && !hasEnded) await turn()
  return {
    url: JSON.parse(host.out() || '{"url":""}').url,
    host,
    stop() {
      abort.abort()
      return ended
    },
  }
}

const ask = (url: string, double: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], double }),
  })

describe('a prompt', () => {
  const CANARY = 'CANARY-7f3a'
  const body = (double: object) =>
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `${CANARY} tell me` }], user: CANARY, double })

  it('is in no log and no metric, whatever goes wrong with its request', async () => {
    const { url, host, stop } = await start('--max-body-mib', '0.01', '--upstream-timeout', '0.2')
    const post = async (body: string, headers = {}) => {
      try {
        const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers })
        return `${answer.status} ${await answer.text()}`
      } catch {
        return 'cut'
      }
    }
    const answers = [
      await post(CANARY), // no JSON, and so are the next ones
      await post(`{"messages":[{"content":${CANARY}}]}`),
      await post(`{"messages":"${CANARY}`),
      await post(JSON.stringify([CANARY])),
      await post(body({}).padEnd(20_000, ' ')), // too large
      await post(body({}), { 'x-trimtab-deadline-ms': 'soon' }),
      await post(body({ fault: 'hang' })),
      await post(body({ fault: 'reset' })),
      await post(body({ fault: 'reset', after: 1 })),
      await post(body({ fault: 'error-event', after: 1 })),
      await post(body({ status: 500 })),
    ]
    const metrics = await (await fetch(`${url}/metrics`)).text()
    await stop()
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual([
      '400',
      '400',
      '400',
      '400',
      '413',
      '400',
      '504',
      '502',
      '502',
      '200',
      '500',
    ])
    for (const answer of answers.slice(0, 8)) expect(answer).not.toContain('CANARY')
    expect(host.err()).toMatch(/400 body_invalid: the body is not JSON in UTF-8/)
    expect(`${host.err()}${host.out()}${metrics}`).not.toContain('CANARY')
  })
})

describe('trimtab gateway', () => {
  it('serves until it is told to stop, then says what it did', async () => {
    const { url, host, stop } = await start()
    const answer = await ask(url, { tokens: 12 })
    expect([answer.status, (await answer.json()).usage.completion_tokens]).toEqual([200, 12])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await stop()).toBe(0)
    const [listening, stopped] = host
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(listening).toEqual({ event: 'listening', url, upstream: double!.url, concurrency: 2, order: 'class' })
    expect(stopped).toMatchObject({ event: 'stopped', isDone: true, added: 1, finished: 1, failed: 0 })
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  it('ends with 1 when requests were cut off at the end of its patience', async () => {
    const { url, host, stop } = await start('--drain-timeout', '0.05')
    const hung = ask(url, { fault: 'hang' }).catch(() => 'cut')
    await double!.until((requests) => requests.length === 1)
    expect(await stop()).toBe(1)
    expect(await hung).toBe('cut')
    expect(host.err()).toContain('draining: 0 wait, 1 run')
  })

  it('stands before several upstreams, and shows its metrics to who knows the token', async () => {
    const second = await startDouble()
    const { url, host, stop } = await start('--upstream', second.url, '--health-path', '/v1/models')
    expect(JSON.parse(host.out())).toMatchObject({ upstream: `${double!.url}, ${second.url}`, concurrency: 2 })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('\ntrimtab_gateway_concurrency 4\n')
    expect(await stop()).toBe(0)
    await second.close()
  })

  it('keeps its metrics for who shows the token of a file', async () => {
    const abort = new AbortController()
    const host = createFakeHost({ signal: abort.signal })
    host.files.set('token', 'sesame\n')
    double = await startDouble()
    const argv = ['--upstream', double.url, '--concurrency', '2', '--port', '0', '--json', '--metrics-token', 'token']
    const ended = main(['gateway', ...argv], host)
    while (!host.out()) await turn()
    const { url } = JSON.parse(host.out())
    const headers = { authorization: 'Bearer sesame' }
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200)
    abort.abort()
    expect(await ended).toBe(0)
  })

  it('tells a kind of failure once, not once a request', async () => {
    const { url, host, stop } = await start()
    for (let i = 0; i < 5; i++) await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{' })
    await stop()
    expect(host.err().match(/body_invalid/g)).toHaveLength(1)
    expect(host.err()).toMatch(/^400 body_invalid: the body is not JSON/m)
  })

  it.each([
    [['--concurrency', '8'], /--upstream URL and --concurrency N are needed/],
    [['--upstream', 'http://127.0.0.1:8000'], /--upstream URL and --concurrency N are needed/],
    [['--upstream', 'ftp://x', '--concurrency', '8'], /upstream must be the URL of a server.*got "ftp:\/\/x"/],
    [['--upstream', 'http://x', '--concurrency', '0'], /--concurrency must be a whole number from 1/],
    [
      ['--upstream', 'http://x', '--concurrency', '8', '--bypass', '1', '--max-bypass', '9'],
      /bypass and maxBypassSeconds/,
    ],
    [
      ['--upstream', 'http://x', '--concurrency', '8', '--metrics-token', 'none'],
      /--metrics-token none cannot be read/,
    ],
    [
      ['--upstream', 'http://x', '--concurrency', '8', '--health-path', 'health'],
      /healthPath must be a path as \/health/,
    ],
    [
      ['--upstream', 'http://x', '--concurrency', '8', '--state', '/forbidden/s'],
      /--state \/forbidden\/s cannot be written/,
    ],
  ])('refuses %j with 2 and a way out', async (argv, text) => {
    const host = createFakeHost()
    expect(await main(['gateway', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(text)
  })
})
