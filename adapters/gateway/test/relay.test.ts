import { once } from 'node:events'
import http, { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { relay } from '../src/relay.js'

it('ends the upstream’s work without a noise when the client has already left', async () => {
  const client = new ServerResponse(new IncomingMessage(new Socket()))
  client.destroy()
  const upstream = http.request({ host: '127.0.0.1', port: 1, agent: false })
  const closed = once(upstream, 'close').catch((error) => error)
  const relayed = relay(upstream, client, { upstreamTimeoutMs: 1000, clientTimeoutMs: 1000, head: () => [] })
  await expect(relayed).rejects.toMatchObject({ code: 'client_gone' })
  await closed
  expect(upstream.listenerCount('error')).toBe(1)
})
