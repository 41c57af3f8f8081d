// What the collector costs: CPU time of its process for 20,000 spans, which come by HTTP as an exporter sends them, are read once, written
// to files and joined into traces; and the memory it takes while it does. Busy machines change neither by much.
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCore } from '@trimtab/core'
import { bytesOf, requestTraces, WRITERS } from '../traces/index.mjs'

export const name = 'collector'

const SPANS = 20_000 // a second's, by the promise
const TRACES_A_BATCH = 10 // of 50 spans: as large as exporters make them by default
const ROUNDS = 10
const WARM_UP = 3
const SECONDS = 120
const TYPES = { 'otlp-json': 'application/json', 'otlp-protobuf': 'application/x-protobuf' }
const SERVER = fileURLToPath(new URL('collect/server.mjs', import.meta.url))

/** A collector in a process of its own; `ask()` says what it used so far. */
async function startServer(folder) {
  const child = fork(SERVER, [folder])
  const next = () => new Promise((resolve) => child.once('message', resolve))
  const { port } = await next()
  return {
    port,
    ask() {
      child.send('usage')
      return next()
    },
    stop: () => new Promise((resolve) => child.once('exit', resolve).kill('SIGTERM')),
    peakMiB: () => Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
  }
}

function post(port, agent, body, contentType) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'content-length': body.length }
    const sent = http.request({ port, host: '127.0.0.1', path: '/v1/traces', method: 'POST', agent, headers })
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject).end(body)
  })
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** One round is sent; what is told to come again does so, as exporters do it. Returns how often that was. */
async function sendRound(port, bodies, contentType) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }) // one that idles between rounds would be closed
  let refusals = 0
  for (const body of bodies) {
    let status = await post(port, agent, body, contentType)
    for (; status === 429 || status === 503; status = await post(port, agent, body, contentType)) {
      refusals++
      await sleep(1000)
    }
    if (status !== 200) throw new Error(`the collector answered ${status}`)
  }
  agent.destroy()
  return refusals
}

/** The batches of a round, and how many spans they hold. */
function batchesOf(core, format, seed) {
  const traces = [...requestTraces(core, { traces: SPANS / 50, spans: 50, seed })]
  const bodies = []
  for (let from = 0; from < traces.length; from += TRACES_A_BATCH)
    bodies.push(bytesOf(WRITERS[format](traces.slice(from, from + TRACES_A_BATCH), { tags: true })))
  return { bodies, spans: traces.reduce((sum, { length }) => sum + length, 0) }
}

async function measureFormat(core, format, log) {
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-bench-'))
  const server = await startServer(folder)
  try {
    let before = 0
    let spans = 0
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      if (round === WARM_UP) before = (await server.ask()).cpuSeconds
      const batches = batchesOf(core, format, round)
      await sendRound(server.port, batches.bodies, TYPES[format])
      if (round >= WARM_UP) spans += batches.spans
      log(`collector: ${format}, round ${round + 1}: ${batches.bodies.length} batches`)
    }
    const { cpuSeconds } = await server.ask()
    return { seconds: ((cpuSeconds - before) * SPANS) / spans, peakMiB: server.peakMiB() }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** So many seconds by the clock, 20,000 spans in each: whether it keeps up, and what memory it takes. */
async function sustain(core, format, log) {
  log(`collector: ${format}, making ${SECONDS} × ${SPANS} spans`)
  const rounds = Array.from({ length: SECONDS }, (_, second) => batchesOf(core, format, 1000 + second).bodies)
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-bench-'))
  const server = await startServer(folder)
  try {
    let [refusals, behindMs] = [0, 0]
    const startMs = performance.now()
    for (const [second, bodies] of rounds.entries()) {
      await sleep(Math.max(0, startMs + 1000 * second - performance.now()))
      refusals += await sendRound(server.port, bodies, TYPES[format])
      behindMs = Math.max(behindMs, performance.now() - (startMs + 1000 * (second + 1)))
      if (second % 10 === 9)
        log(`collector: ${format}, ${second + 1} of ${SECONDS} s, ${server.peakMiB().toFixed(0)} MiB`)
    }
    return { refusals, behindSeconds: behindMs / 1000, peakMiB: server.peakMiB() }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

export async function run({ log }) {
  const core = await createCore()
  const rows = []
  for (const format of Object.keys(TYPES)) {
    const { seconds, peakMiB } = await measureFormat(core, format, log)
    rows.push({
      name: `20,000 spans as ${format}: CPU of the collector`,
      ours: seconds,
      target: { ours: 1 },
      unit: 's',
    })
    rows.push({
      name: `its largest memory, ${ROUNDS + WARM_UP} × 20,000 spans`,
      ours: peakMiB,
      target: { ours: 300 },
      unit: 'MiB',
    })
    const { refusals, behindSeconds, peakMiB: most } = await sustain(core, format, log)
    const during = `${SECONDS} s of 20,000 spans by the clock as ${format}`
    rows.push({ name: `${during}: behind the clock at most`, ours: behindSeconds, target: { ours: 1 }, unit: 's' })
    rows.push({ name: `  told to come again`, ours: refusals, target: { ours: 0 }, unit: 'batches' })
    rows.push({ name: `  largest memory`, ours: most, target: { ours: 300 }, unit: 'MiB' })
  }
  return rows
}
