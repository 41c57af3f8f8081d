// Makes packages/cli/samples/: what `--sample` reads. Everything is made up here, by seed; nothing was measured anywhere.
// Usage: node scripts/make-samples.mjs [DIR]     (after npm run build)
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createCore, Random } from '@trimtab/core'
import { generateLoad } from '@trimtab/tasks/autoscaling'
import { createPreset, MicroserviceSimulator } from '@trimtab/tasks/microservices'
import { createTraceCore } from '@trimtab/trace'

const SECONDS = 5 // of traffic, with and without the fault
const DAYS = 7
const REQUESTS = 2000
const START_NS = 1_767_225_600_000_000_000n // 2026-01-01

/** Hotel bookings, before and while a neighbour takes the CPU of `rate`: OTLP JSON, a trace a line. */
async function makeTraces() {
  const core = await createTraceCore()
  const anomaly = {
    kind: 'cpu',
    target: { service: 'rate' },
    startSeconds: 0,
    durationSeconds: SECONDS,
    intensity: 0.8,
  }
  const record = (seed, anomalies) => {
    const campaign = { name: 'sample', anomalies }
    const simulator = new MicroserviceSimulator(core, createPreset(core, 'hotel-reservation'), { seed, campaign })
    const lines = []
    simulator.run(SECONDS, (trace) => lines.push(JSON.stringify(otlpOf(trace, seed))))
    return lines.join('\n')
  }
  return { 'usual-traces.jsonl': record(1, []), 'slow-traces.jsonl': record(2, [anomaly]) }
}

function otlpOf(trace, seed) {
  const { names, originUnixNs, size } = trace
  const traceId = `${seed}${trace.traceId.padStart(31, '0')}`
  const byInstance = new Map()
  for (let row = 0; row < size; row++) {
    const instance = names.text(trace.instance[row])
    const spans = byInstance.get(instance) ?? { service: names.text(trace.service[row]), list: [] }
    byInstance.set(instance, spans)
    const at = (ns) => String(START_NS + originUnixNs + BigInt(ns))
    spans.list.push({
      traceId,
      spanId: trace.spanId(row),
      ...(trace.parent[row] >= 0 && { parentSpanId: trace.spanId(trace.parent[row]) }),
      name: names.text(trace.operation[row]),
      kind: trace.kind[row] + 1, // OTLP counts the same kinds from 1
      startTimeUnixNano: at(trace.startNs[row]),
      endTimeUnixNano: at(trace.endNs[row]),
    })
  }
  const attribute = (key, stringValue) => ({ key, value: { stringValue } })
  return {
    resourceSpans: [...byInstance].map(([instance, { service, list }]) => ({
      resource: { attributes: [attribute('service.name', service), attribute('service.instance.id', instance)] },
      scopeSpans: [{ spans: list }],
    })),
  }
}

/** A week of requests a minute, with a rhythm, noise and bursts. */
function makeLoad(core) {
  const { shape } = generateLoad(core, 11, DAYS)
  const rows = Array.from(shape, (share, minute) => `${minute},${Math.round(600 * share)}`)
  return `minute,requests\n${rows.join('\n')}\n`
}

/** Prompts of three kinds to three models; how long an answer is depends on both. */
const ASKS = [
  { tokens: 12, texts: ['Is {} worth it? Answer yes or no.', 'Which year did {} begin?', 'Name one tool for {}.'] },
  { tokens: 120, texts: ['Summarise {} in a paragraph.', 'What is {} good for?', 'Explain {} to a beginner.'] },
  {
    tokens: 700,
    texts: ['Write an essay on {}.', 'Write a program about {} with tests.', 'Plan a course on {}, week by week.'],
  },
]
const TOPICS = [
  'sailing',
  'bread',
  'tides',
  'bicycles',
  'beekeeping',
  'railways',
  'orchards',
  'maps',
  'clocks',
  'glass',
]
const MODELS = { 'sample-brief': 0.5, 'sample-plain': 1, 'sample-verbose': 2.2 }

function makeRequests(core) {
  const random = new Random(core, 5)
  const pick = (list) => list[random.integer(list.length)]
  let arrival = 0
  const lines = []
  for (let i = 0; i < REQUESTS; i++) {
    arrival -= core.math.log(1 - random.uniform())
    const { tokens, texts } = pick(ASKS)
    const model = pick(Object.keys(MODELS))
    const prompt = pick(texts).replace('{}', pick(TOPICS))
    const output = Math.max(1, Math.round(tokens * MODELS[model] * core.math.exp(0.5 * random.normal())))
    lines.push(JSON.stringify({ arrival_s: Number(arrival.toFixed(3)), model, prompt, output_tokens: output }))
  }
  return `${lines.join('\n')}\n`
}

/** @returns name → text, the same wherever it is made */
export async function makeSamples() {
  const core = await createCore()
  return { ...(await makeTraces()), 'load.csv': makeLoad(core), 'requests.jsonl': makeRequests(core) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL('../packages/cli/samples', import.meta.url))
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(await makeSamples()))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }))
}
