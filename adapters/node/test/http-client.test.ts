import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http, { type RequestListener, type Server } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { basicAuthorization, HttpClient } from '../src/http.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serve = async (answer: RequestListener): Promise<string> => `http://${await listen(http.createServer(answer))}`

const GET = { method: 'GET', path: '/' } as const

describe('an HTTP client', () => {
  it('sends path, query, headers and body below its URL, and reads answers of any status', async () => {
    const url = await serve(async (request, response) => {
      const body = await request.toArray()
      response.writeHead(418, { 'x-kind': 'tea' })
      response.end(`${request.method} ${request.url} ${request.headers['x-a']} ${Buffer.concat(body)}`)
    })
    using client = new HttpClient({ url: `${url}/prefix/` })
    const request = {
      method: 'POST',
      path: '/write',
      query: { db: 'a b&c' },
      headers: { 'x-a': '1' },
      body: '☃',
    } as const
    const { statusCode, headers, body } = await client.send(request)
    expect([statusCode, headers['x-kind'], body]).toEqual([418, 'tea', 'POST /prefix/write?db=a+b%26c 1 ☃'])
  })

  it.each([
    ['nothing', '', undefined, undefined],
    ['the URL’s user and password', 'us%40er:p%3Aw@', undefined, basicAuthorization('us@er', 'p:w')],
    ['a header', 'user:pw@', 'Bearer t', 'Bearer t'],
  ])('is known by %s', async (_, inUrl, authorization, expected) => {
    const url = await serve((request, response) => response.end(request.headers.authorization ?? 'nobody'))
    using client = new HttpClient({ url: url.replace('//', `//${inUrl}`), ...(authorization && { authorization }) })
    expect((await client.send(GET)).body).toBe(expected ?? 'nobody')
    expect(client.url).toBe(url)
  })

  it('asks for the token again with every request', async () => {
    const url = await serve((request, response) => response.end(request.headers.authorization))
    let token = 1
    using client = new HttpClient({ url, authorization: () => `Bearer ${token++}` })
    expect([(await client.send(GET)).body, (await client.send(GET)).body]).toEqual(['Bearer 1', 'Bearer 2'])
  })

  it('trusts the authority that it is given, and no other', async () => {
    const pem = readFileSync(new URL('./fixtures/loopback.pem', import.meta.url), 'utf8')
    const server = https.createServer({ key: pem, cert: pem }, (_, response) => response.end('safe'))
    const url = `https://${await listen(server)}`
    using trusting = new HttpClient({ url, ca: pem })
    expect((await trusting.send(GET)).body).toBe('safe')
    using doubting = new HttpClient({ url })
    await expect(doubting.send(GET)).rejects.toThrow(/self-signed certificate \(name the authority in ca\)/)
  })

  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['answers drop by drop', (_, response) => void setInterval(() => response.write('.'), 20).unref()],
  ])('gives up a server that %s, in time', async (_, answer) => {
    const url = await serve(answer)
    using client = new HttpClient({ url, timeoutMs: 150 })
    await expect(client.send(GET)).rejects.toMatchObject({ code: 'http_timeout' })
    await expect(client.send(GET, AbortSignal.abort('enough'))).rejects.toBe('enough')
    const later = new AbortController()
    setTimeout(() => later.abort('enough'), 50)
    await expect(client.send(GET, later.signal)).rejects.toBe('enough')
  })

  it('reads no more than it was told', async () => {
    const url = await serve((request, response) => response.end('x'.repeat(Number(request.url!.slice(1)))))
    using client = new HttpClient({ url, mostBytes: 1000 })
    expect((await client.send({ ...GET, path: '/1000' })).body).toHaveLength(1000)
    await expect(client.send({ ...GET, path: '/1001' })).rejects.toMatchObject({ code: 'http_too_large' })
    await expect(client.send({ ...GET, path: '/100000000' })).rejects.toMatchObject({ code: 'http_too_large' })
  })

  it('says that a server is down, or went away in mid-answer', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half', () => response.destroy())
    })
    using client = new HttpClient({ url })
    await expect(client.send(GET)).rejects.toMatchObject({ code: 'http_broken_off' })
    const server = servers.pop()!.close()
    server.closeAllConnections()
    await expect(client.send(GET)).rejects.toMatchObject({ code: 'http_unreachable' })
    await expect(client.send(GET)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('sends no more at once than it may', async () => {
    let [now, most] = [0, 0]
    const url = await serve((_, response) => {
      most = Math.max(most, ++now)
      setTimeout(() => response.end('', () => now--), 5)
    })
    using client = new HttpClient({ url, mostConnections: 3 })
    await Promise.all(Array.from({ length: 12 }, () => client.send(GET)))
    expect(most).toBe(3)
  })

  it('sends again on a new connection when the idle one was closed under it', async () => {
    let connections = 0
    const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => response.end(request.url))
    server.on('connection', (socket) => {
      connections++
      let requests = 0 // the second request of a connection meets its end
      socket.prependListener('data', () => {
        if (requests++ > 0) socket.resetAndDestroy()
      })
    })
    using client = new HttpClient({ url: `http://${await listen(server)}` })
    const bodies = []
    for (const path of ['/a', '/b', '/c']) bodies.push((await client.send({ ...GET, path })).body)
    expect([bodies, connections]).toEqual([['/a', '/b', '/c'], 3])
  })

  it('names everything that is wrong with its options, and no password', () => {
    const bad = { url: 'ftp://user:secret@host', timeoutMs: 0, mostBytes: -1, mostConnections: 0, retries: 3 }
    const make = () => new HttpClient(bad as never)
    expect(make).toThrow(/retries is no option.*timeoutMs.*mostBytes.*mostConnections.*http:/s)
    expect(make).not.toThrow(/secret/)
  })
})
