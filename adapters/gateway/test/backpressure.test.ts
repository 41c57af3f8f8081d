import http, { type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type Started, start, until } from './start.js'

let started: Started
afterEach(() => started.close())

/** Asks, and reads nothing until told. */
function askWithoutReading(port: number, tokens: number): Promise<IncomingMessage> {
  const body = JSON.stringify({ model: 'm', messages: [], stream: true, double: { tokens, text: 'x'.repeat(10_000) } })
  const headers = { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const request = http.request({ port, method: 'POST', path: '/v1/chat/completions', headers, agent: false }, resolve)
    request.on('error', reject)
    request.end(body)
  })
}

/** Tokens that the double got rid of, once that has stopped growing. */
async function settledTokens(): Promise<number> {
  const [request] = started.double.requests
  for (let before = -1; before !== request!.tokens; ) {
    before = request!.tokens
    await sleep(100) // buffers of the system fill without a sound: nothing tells that they are full
  }
  return request!.tokens
}

const TOKENS = 2500 // of 10 kB: far more than sockets hold

describe('a client that is slower than the upstream', () => {
  it('holds the upstream back, fills no memory, and gets every byte', async () => {
    started = await start()
    const answer = await askWithoutReading(started.port, TOKENS)
    const held = await settledTokens()
    expect(held).toBeLessThan(TOKENS / 2)
    const pieces: Buffer[] = []
    for await (const piece of answer) pieces.push(piece as Buffer)
    expect(Buffer.concat(pieces).equals(Buffer.concat(started.double.requests[0]!.sent))).toBe(true)
  })

  it('is cut off when it reads nothing at all, and its place is free', async () => {
    started = await start({ concurrency: 1, clientTimeoutMs: 100 })
    const answer = await askWithoutReading(started.port, TOKENS)
    await started.double.until(([request]) => request!.state === 'cut')
    await until(() => started.scheduler.pending === 0)
    expect(started.failures).toEqual(['client_stalled'])
    answer.on('error', () => {}).resume()
    await until(() => answer.destroyed)
    expect(answer.complete).toBe(false)
  })

  it('does not keep its place when the upstream is done and only its own buffer is full', async () => {
    started = await start({ concurrency: 1 })
    const answer = await askWithoutReading(started.port, 20)
    await until(() => started.scheduler.pending === 0)
    expect(started.double.requests[0]!.state).toBe('done')
    let bytes = 0
    for await (const piece of answer) bytes += (piece as Buffer).length
    expect(bytes).toBe(Buffer.concat(started.double.requests[0]!.sent).length)
  })
})

describe('an upstream that is slower than the client', () => {
  it('holds back a body that passes through', async () => {
    started = await start()
    const request = http.request({ port: started.port, method: 'POST', path: '/v1/hold', agent: false })
    request.on('error', () => {})
    const piece = Buffer.alloc(64 * 1024)
    let [taken, before] = [0, -1]
    request.on('drain', () => {})
    while (taken < 5000) {
      if (request.write(piece)) taken++
      else {
        taken++
        const drained = new Promise((resolve) => request.once('drain', () => resolve(true)))
        if (!(await Promise.race([drained, sleep(300, false)]))) break
      }
      before = taken
    }
    expect(before).toBeLessThan(1000)
    request.destroy()
  })
})
