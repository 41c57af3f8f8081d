// Shortest-first in front of a server: how long requests wait at a gateway, and what the gateway itself costs. Everything is real but
// the model: sockets, processes, prompts and output lengths; the server is a double that streams at a model's pace and computes nothing.
// Time is real too, so that the figures differ from run to run. And what becomes of those who wait when the server goes away.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { percentile } from '@trimtab/core'
import { alternate, play } from './gateway/load.mjs'
import { measureOutage, OUTAGES } from './gateway/outages.mjs'
import { messageOf, startProcess } from './gateway/processes.mjs'
import { report } from './gateway/report.mjs'
import { createWorkload } from './gateway/workload.mjs'

const SLOTS = 8
const UTILISATION = 0.9

/** secondsPerToken: of one stream; real models take 10 to 50 ms, the ratios are the same. */
export const SCALES = {
  smoke: { requests: 80, secondsPerToken: 0.0005, seeds: [1], rounds: 3, block: 100, crowd: 500, waiting: 60 },
  gate: { requests: 800, secondsPerToken: 0.002, seeds: [1], rounds: 24, block: 200, crowd: 10_000, waiting: 300 },
  paper: {
    requests: 2000,
    secondsPerToken: 0.004,
    seeds: [1, 2, 3],
    rounds: 40,
    block: 300,
    crowd: 10_000,
    waiting: 3000,
  },
}

export const ARMS = {
  plain: 'plain proxy, first come first served',
  fifo: 'gateway, `--order fifo`',
  shipped: 'gateway, shipped weights, learning as it serves',
  taught: 'gateway, taught by `train.jsonl`, learning on',
  oracle: 'gateway that knows every length (a bound)',
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const { secondsPerToken } = scale
  const waits = Object.fromEntries(Object.keys(ARMS).map((kind) => [kind, []]))
  for (const seed of scale.seeds) {
    const workload = await createWorkload({ ...scale, slots: SLOTS, utilisation: UTILISATION, seed })
    for (const kind of Object.keys(ARMS)) {
      const seconds = (workload.at(-1).atMs / 1000).toFixed(0)
      progress(`seed ${seed}: ${ARMS[kind]}, ${workload.length} requests in ${seconds} s`)
      const results = await withProxies([kind], { slots: SLOTS, secondsPerToken }, ([port]) => play(port, workload))
      waits[kind].push(summarise(results, workload, secondsPerToken))
    }
  }
  progress('overhead: one request after the other')
  const overhead = await measureOverhead(scale)
  progress(`${scale.crowd} requests in the queue`)
  const crowd = await measureCrowd(scale.crowd)
  const outages = {}
  for (const [name, outage] of Object.entries(OUTAGES)) {
    progress(`the server: ${outage.label}`)
    const measure = (kind) =>
      measureOutage(outage, { kind, requests: scale.waiting, slots: SLOTS, secondsPerToken: 0.005 })
    const { label, kills = 0 } = outage
    outages[name] = { label, kills, plain: await measure('plain'), gateway: await measure('shipped') }
  }
  const figures = { waits, overhead, crowd, outages }
  return report({ scaleName, scale, slots: SLOTS, utilisation: UTILISATION, arms: ARMS, ...figures })
}

function summarise(results, workload, secondsPerToken) {
  const latencies = Float64Array.from(results, ({ latencyMs }) => latencyMs / 1000)
  const waits = latencies.map((latency, i) => latency - workload[i].tokens * secondsPerToken)
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length
  return {
    broken: results.filter(({ isWhole }) => !isWhole).length,
    meanWait: mean(waits),
    p50Wait: percentile(waits, 50),
    p99Wait: percentile(waits, 99),
    maxWait: Math.max(...waits),
    meanLatency: mean(latencies),
  }
}

/** p50 of blocks of requests in alternation: straight to the server, through the plain proxy, through the gateway. */
export async function measureOverhead({ rounds, block }) {
  const messages = [{ role: 'user', content: 'Write one sentence about rain.' }]
  const body = JSON.stringify({ model: 'm', messages, stream: true, double: { tokens: 20 } })
  return withProxies(['plain', 'shipped'], { slots: SLOTS, secondsPerToken: 0 }, async (ports, upstream) => {
    const all = [upstream, ...ports]
    await alternate(all, { rounds: 2, requests: block, body })
    const [direct, plain, gateway] = (await alternate(all, { rounds, requests: block, body })).map((blocks) =>
      blocks.map((times) => percentile(Float64Array.from(times), 50)),
    )
    return { direct, plain, gateway }
  })
}

/** A queue of many: none lost, none doubled, and what each of them costs in memory. */
async function measureCrowd(count) {
  const file = fileURLToPath(new URL('../../adapters/gateway/test/fixtures/crowd.mjs', import.meta.url))
  return withProxies(['shipped'], { slots: SLOTS, secondsPerToken: 0 }, async ([port], _, [proxy]) => {
    const memory = async () => {
      proxy.send('memory')
      return messageOf(proxy)
    }
    const before = await memory()
    proxy.send('pause')
    const clients = spawn(process.execPath, [file, port, count], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    clients.stdout.on('data', (text) => {
      said += text
    })
    const closed = new Promise((resolve) => clients.on('close', resolve))
    let full = await memory()
    while (full.waiting < count && clients.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      full = await memory()
    }
    const start = performance.now()
    proxy.send('start')
    await closed
    const seconds = (performance.now() - start) / 1000
    return { count, waiting: full.waiting, bytesEach: (full.rss - before.rss) / count, seconds, ...JSON.parse(said) }
  })
}

/** Starts a server and proxies before it, each in a process of its own, for as long as `use` takes. */
async function withProxies(kinds, { slots, secondsPerToken }, use) {
  const children = []
  try {
    const server = startProcess('upstream.mjs', { slots, secondsPerToken })
    children.push(server)
    const upstream = await messageOf(server)
    const proxies = kinds.map((kind) =>
      startProcess('proxy.mjs', { kind, upstream: `http://127.0.0.1:${upstream.port}`, concurrency: slots }),
    )
    children.push(...proxies)
    const ports = await Promise.all(proxies.map(messageOf))
    return await use(
      ports.map(({ port }) => port),
      upstream.port,
      proxies,
    )
  } finally {
    for (const child of children) if (child.connected) child.disconnect()
  }
}
