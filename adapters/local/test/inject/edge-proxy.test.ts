import { createHash } from 'node:crypto'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EdgeProxy, type TrafficShape } from '../../src/inject.js'

const PAYLOAD = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 251))

let server: Server
let proxy: EdgeProxy
beforeEach(async () => {
  server = createServer((request, response) => {
    const hash = createHash('sha256')
    request.on('data', (chunk) => hash.update(chunk))
    request.on('end', () => response.setHeader('hash', hash.digest('hex')).end(PAYLOAD))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = await EdgeProxy.listen({ port: (server.address() as AddressInfo).port, bytesPerSecond: 1e6 })
})
afterEach(async () => {
  await proxy.close()
  await new Promise((resolve) => server.close(resolve))
})

interface Exchange {
  readonly hash: unknown
  /** Whether the body is the one that was sent. */
  readonly isWhole: boolean
  readonly firstByteMs: number
  readonly ms: number
}

/** A request with a body through the proxy, timed by its client. */
const exchange = (): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const sent = request({ host: '127.0.0.1', port: proxy.port, method: 'POST', agent: false }, (response) => {
      const firstByteMs = performance.now() - began
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
      response.on('end', () =>
        resolve({
          hash: response.headers.hash,
          isWhole: Buffer.concat(chunks).equals(PAYLOAD),
          firstByteMs,
          ms: performance.now() - began,
        }),
      )
    })
    sent.on('error', reject).end(PAYLOAD)
  })

const shapeOf = (delayMs: number, bandwidthTaken01: number) => {
  const seen = { pieces: 0, bytes: 0, leastHeldMs: Number.POSITIVE_INFINITY }
  const shape: TrafficShape = {
    drawDelayMs: () => delayMs,
    bandwidthTaken01,
    onPassed(bytes, heldMs) {
      seen.pieces++
      seen.bytes += bytes
      seen.leastHeldMs = Math.min(seen.leastHeldMs, heldMs)
    },
  }
  return { shape, seen }
}

describe('a proxy between two services', () => {
  const sha = createHash('sha256').update(PAYLOAD).digest('hex')

  it('passes every byte in both directions, with a shape and without', async () => {
    expect(await exchange()).toMatchObject({ hash: sha, isWhole: true })
    proxy.add(shapeOf(5, 0).shape)
    expect(await exchange()).toMatchObject({ hash: sha, isWhole: true })
  })

  it('holds what is answered as long as a shape says, and tells it how long that was', async () => {
    const { shape, seen } = shapeOf(150, 0)
    proxy.add(shape)
    expect((await exchange()).firstByteMs).toBeGreaterThanOrEqual(149) // a timer may fire a millisecond early
    proxy.remove(shape)
    const { bytes } = seen
    expect(bytes).toBeGreaterThanOrEqual(2 * PAYLOAD.length)
    await exchange()
    expect(seen.bytes).toBe(bytes) // nothing of it is left
  })

  it('lets through so many bytes a second as others leave', async () => {
    const { shape, seen } = shapeOf(0, 0.75)
    proxy.add(shape)
    // 200 kB each way at a quarter of 1 MB/s, one way after the other
    expect((await exchange()).ms).toBeGreaterThanOrEqual(1500)
    expect(seen.pieces).toBeGreaterThan(1)
  })

  it('adds up the delays of several shapes', async () => {
    for (const delayMs of [60, 90]) proxy.add(shapeOf(delayMs, 0).shape)
    expect((await exchange()).firstByteMs).toBeGreaterThanOrEqual(149)
  })

  it('leads whoever comes next elsewhere, and leaves those where they are who are there', async () => {
    const other = createServer((_, response) => response.end('other'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (agent: Agent | false): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port: proxy.port, method: 'POST', agent }, (response) => {
          let text = ''
          response.on('data', (part) => (text += part)).on('end', () => resolve(text))
        })
        sent.on('error', reject).end()
      })
    await ask(kept)
    proxy.leadTo((other.address() as AddressInfo).port)
    expect(await ask(false)).toBe('other')
    expect(await ask(kept)).not.toBe('other')
    kept.destroy()
    other.closeAllConnections()
    await new Promise((resolve) => other.close(resolve))
  })

  it('counts what passes, and how long the link was busy at the width that it has then', async () => {
    const { shape } = shapeOf(0, 0)
    await exchange()
    const { bytes, busyMs } = proxy.measure()
    expect(bytes).toBeGreaterThan(2 * PAYLOAD.length)
    expect(busyMs).toBe(0) // nobody else is on it
    proxy.add(shape)
    proxy.bytesPerSecond = 1e7
    await exchange()
    const after = proxy.measure()
    expect(after.busyMs).toBeCloseTo((1000 * (after.bytes - bytes)) / 1e7, 6)
  })
})
