// What a server does to those who wait: it is killed and comes back, is not there yet, or says when to come again. The clients do not
// repeat anything; what each request came to, and how often it was worked on, is counted.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './load.mjs'
import { messageOf, startProcess } from './processes.mjs'

const DOWN_MS = 2000

/** What happens to the server: `before` the requests come and `during` their wait, by its { kill(), start() }. */
export const OUTAGES = {
  restart: {
    label: 'killed (SIGKILL) while all wait, back after 2 s',
    kills: 1,
    async during({ kill, start }) {
      await sleep(1000)
      await kill()
      await sleep(DOWN_MS)
      await start()
    },
  },
  restarts: {
    label: 'killed three times, each time back after 2 s',
    kills: 3,
    async during({ kill, start }) {
      for (let i = 0; i < 3; i++) {
        await sleep(1000)
        await kill()
        await sleep(DOWN_MS)
        await start()
      }
    },
  },
  refusals: {
    label: 'not there when the requests come, there after 2 s',
    async before({ kill }) {
      await kill()
    },
    async during({ start }) {
      await sleep(DOWN_MS)
      await start()
    },
  },
  busy: {
    label: 'answers each request first with 429 and `Retry-After: 1`',
    refuses: { status: 429, retryAfter: '1', times: 1 },
  },
  unavailable: {
    label: 'answers each request first with 503 and `Retry-After: 1`',
    refuses: { status: 503, retryAfter: '1', times: 1 },
  },
}

/** @returns counts of requests: served, sent before the server was killed and cut by that, all others as lost; and worked on twice */
export async function measureOutage({ before, during, refuses }, { kind, requests, slots, secondsPerToken }) {
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-outage-'))
  const journal = join(folder, 'journal')
  writeFileSync(journal, '')
  const server = createServer({ slots, secondsPerToken, journal, refuses })
  let proxy
  try {
    const port = await server.start()
    const upstream = `http://127.0.0.1:${port}`
    proxy = startProcess('proxy.mjs', { kind, upstream, concurrency: slots })
    const address = await messageOf(proxy)
    await before?.(server)
    const agent = new http.Agent({ keepAlive: true })
    const asked = Array.from({ length: requests }, (_, user) => askOnce(address.port, agent, user))
    await during?.(server)
    const outcomes = await Promise.all(asked)
    agent.destroy()
    return summarise(outcomes, readFileSync(journal, 'utf8').trim().split('\n').filter(Boolean).map(Number))
  } finally {
    if (proxy?.connected) proxy.disconnect()
    await server.kill()
    rmSync(folder, { recursive: true })
  }
}

function summarise(outcomes, worked) {
  const times = new Map()
  for (const user of worked) times.set(user, (times.get(user) ?? 0) + 1)
  return {
    requests: outcomes.length,
    served: outcomes.filter((outcome) => outcome === 'served').length,
    cut: outcomes.filter((outcome) => outcome === 'cut').length,
    lost: outcomes.filter((outcome) => outcome === 'lost').length,
    twice: [...times.values()].filter((count) => count > 1).length,
  }
}

const TOKENS = 20

async function askOnce(port, agent, user) {
  const messages = [{ role: 'user', content: `Request ${user}` }]
  const body = JSON.stringify({ user, model: 'm', messages, stream: user % 2 === 0, double: { tokens: TOKENS } })
  try {
    const { status, text } = await ask(port, agent, body)
    if (status === 200 && text.includes(`"double-${user}"`) && text.split(' w').length - 1 === TOKENS) return 'served'
    return text.includes('upstream_failed') ? 'cut' : 'lost'
  } catch {
    return 'cut' // in the middle of a stream
  }
}

/** A server in a process of its own that can be killed, and started again on the same port. */
function createServer(options) {
  let child
  let port = 0
  return {
    async start() {
      child = startProcess('upstream.mjs', { ...options, port })
      port = (await messageOf(child)).port
      return port
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
  }
}
