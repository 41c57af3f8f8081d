// What a team of agents sends over a real NATS server: messages and bytes a second when every process steps once a second, counted
// over some steps of real processes in which one of them passed on. No peer, no target: the count is what is shown.
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export const name = 'agents over NATS: messages a second, at a step a second'

const TEAMS = [1, 3, 10, 30].flatMap((processes) => [100, 1000].map((agents) => ({ processes, agents })))
const HEARTBEAT_MS = 1000
const STEPS = 10

export async function run({ log }) {
  if (spawnSync('nats-server', ['--version']).status !== 0) {
    log('NOT MEASURED: needs nats-server (apt-get install nats-server)')
    return []
  }
  const port = await freePort()
  const store = mkdtempSync(join(tmpdir(), 'nats-bench-'))
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store], { stdio: 'ignore' })
  try {
    const rows = []
    for (const team of TEAMS) rows.push(...(await measure(port, team)))
    return rows
  } finally {
    server.kill()
    await once(server, 'exit')
    rmSync(store, { recursive: true })
  }
}

/** Counts between two steps of all processes, once each has heard all agents, and in between one of them has passed on. */
async function measure(port, { processes, agents }) {
  const children = Array.from({ length: processes }, (_, i) => {
    const orders = { port, team: `t${processes}-${agents}`, name: `p${i}`, heartbeatMs: HEARTBEAT_MS }
    const own = Math.floor((agents * (i + 1)) / processes) - Math.floor((agents * i) / processes)
    return startProcess({ ...orders, agents: own })
  })
  try {
    while (!children.every(({ last }) => last?.agents === agents)) await wait(HEARTBEAT_MS)
    let [from, to] = [[], []]
    do {
      from = children.map(({ last }) => last)
      while (!children.every(({ last }, i) => last.steps >= from[i].steps + STEPS)) await wait(HEARTBEAT_MS)
      to = children.map(({ last }) => last)
    } while (to.filter(({ passedOn }, i) => passedOn > from[i].passedOn).length !== 1)
    const aStep = (field) =>
      to.reduce((sum, last, i) => sum + (last[field] - from[i][field]) / (last.steps - from[i].steps), 0)
    const title = `${agents} agents, ${processes} process${processes > 1 ? 'es' : ''}`
    return [
      { name: `${title}: sent`, ours: aStep('outMsgs'), unit: 'messages/s' },
      { name: `${title}: received`, ours: aStep('inMsgs'), unit: 'messages/s' },
      { name: `${title}: both`, ours: (aStep('inBytes') + aStep('outBytes')) / 1000, unit: 'kB/s' },
    ]
  } finally {
    for (const { child } of children) child.kill('SIGKILL')
  }
}

function startProcess(orders) {
  const child = fork(new URL('nats/process.mjs', import.meta.url), [JSON.stringify(orders)])
  const started = { child, last: undefined }
  child.on('message', (report) => {
    started.last = report
  })
  return started
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
