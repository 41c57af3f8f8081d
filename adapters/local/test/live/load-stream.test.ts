import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { LoadStream } from '../../src/live/load-stream.js'

const never = new AbortController().signal

let server: Server
let stream: LoadStream
afterEach(async () => {
  await stream?.stop()
  server?.closeAllConnections()
  server?.close()
})

async function listen(answer: RequestListener): Promise<number> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const requestsAt = (timesMs: readonly number[]) => timesMs.map((atMs) => ({ atMs, path: '/7/3' }))

describe('the load of a live run', () => {
  it('goes out whether or not answers come, and counts who has waited longer than the SLO before there is one', async () => {
    const held: (() => void)[] = []
    const paths: (string | undefined)[] = []
    const port = await listen((request, response) => {
      paths.push(request.url)
      held.push(() => response.end())
    })
    stream = new LoadStream(0)
    stream.begin(requestsAt([0, 100, 900]), { port, periodMs: 1000, periods: 2, sloMs: 800 })
    const first = await stream.next(never)
    expect(first).toMatchObject({ arrivals: 3, failures: 0 })
    // Two have waited for a second and for nine tenths; the third has not waited long enough to say anything.
    expect(first.latenciesMs).toHaveLength(2)
    expect(Math.min(...first.latenciesMs)).toBeGreaterThanOrEqual(899)
    expect(paths).toEqual(['/7/3', '/7/3', '/7/3'])
    for (const answer of held) answer()
    const second = await stream.next(never)
    expect(second.arrivals).toBe(0)
    expect(second.latenciesMs).toHaveLength(3)
    expect(Math.max(...second.latenciesMs)).toBeGreaterThanOrEqual(1000) // from when it was meant to go out
  })

  it('says what failed, and goes on with the next load', async () => {
    const port = await listen((_, response) => void response.writeHead(502).end())
    stream = new LoadStream(0)
    stream.begin(requestsAt([10]), { port, periodMs: 300, periods: 1, sloMs: 100 })
    expect(await stream.next(never)).toMatchObject({ arrivals: 1 })
    stream.begin(requestsAt([10, 20]), { port, periodMs: 100, periods: 1000, sloMs: 100 })
    let failures = 0
    while (failures < 2) failures += (await stream.next(never)).failures
    expect(failures).toBe(2)
  })

  it('is given up on a signal, and says when its process is gone', async () => {
    const port = await listen(() => {})
    stream = new LoadStream(0)
    stream.begin([], { port, periodMs: 60_000, periods: 1, sloMs: 100 })
    await expect(stream.next(AbortSignal.timeout(50))).rejects.toThrow(/timeout/)
    const next = stream.next(never)
    process.kill(stream.pid, 'SIGKILL')
    await expect(next).rejects.toMatchObject({ code: 'process_ended' })
  })
})
