// Traces: from bytes to paths and profiles, against JSON.parse of the same bytes (decoding and parsing, nothing else) in
// the same process, in CPU time. No package on npm finds critical paths, so the parser is the yardstick: a program that
// reads traces as JavaScript programs do pays at least that. Traces are generated, as wide as those of the Nezha files.
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { createTraceCore, PathFinder, Profile, parseTraces, readTraces } from '@trimtab/trace'
import { bytesOf, requestTraces, SHAPES, shapedTrace, WRITERS } from '../traces/index.mjs'
import { measure, median, speedUp } from './harness.mjs'

export const name = 'traces'

const SEED = 1
const LARGE = 100_000
const SMALL = 10_000
const WINDOW = { traces: 2000, spans: 50, seed: SEED } // 100,000 spans
const PASS = { traces: 10_000, spans: 50, seed: SEED }
const CPU = { clock: 'cpu', rounds: 9, warmUpMs: 2000 }
const GROWTH = { clock: 'cpu', rounds: 15, batchMs: 60, warmUpMs: 500 }

const here = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const write = (format, traces, options) => bytesOf(WRITERS[format](traces, options))
const countSpans = (traces) => traces.reduce((sum, spans) => sum + spans.length, 0)

/** What every program that reads traces as JSON does first. */
const decoder = new TextDecoder()
const parseJson = (bytes) => Object.keys(JSON.parse(decoder.decode(bytes))).length

function mustBe(what, got, expected) {
  if (got !== expected) throw new Error(`${what} is ${got}, not ${expected}`)
}

const milliseconds = (subject, times, target) => ({
  name: subject,
  ours: median(times.ours) * 1e3,
  peer: median(times.yardstick) * 1e3,
  ratio: speedUp(times.ours, times.yardstick),
  ...(target && { target }),
  unit: 'ms',
})

/** Bytes a span of a Nezha file, references and processes included. */
function nezhaBytesPerSpan(system) {
  const path = here(`../../../shared/data/traces/nezha_${system}_jaeger.json.gz`)
  if (!existsSync(path)) return undefined
  const bytes = gunzipSync(readFileSync(path))
  return bytes.length / countSpans(JSON.parse(decoder.decode(bytes)).data.map(({ spans }) => spans))
}

function sizeRows(traces) {
  const width = (format, options) => write(format, traces, options).length / countSpans(traces)
  return [
    ...['ob', 'tt'].map((system) => ({
      name: `a span of the generated Jaeger JSON, against one of nezha_${system}_jaeger.json`,
      ours: width('jaeger'),
      peer: nezhaBytesPerSpan(system),
      unit: 'bytes',
    })),
    { name: 'the same span as OTLP JSON', ours: width('otlp-json'), unit: 'bytes' },
    { name: 'the same span as OTLP protobuf', ours: width('otlp-protobuf'), unit: 'bytes' },
  ]
}

/** All sections of a path together, which must be the latency of its trace. */
function sectionsNs(path) {
  let sum = 0
  for (let i = 0; i < path.size; i++) sum += path.endNs[i] - path.startNs[i]
  return sum
}

/** One large trace against small ones of the same shape: ten of them in turn, or a cache would hold the only one. */
async function growthRow(subject, large, small, call) {
  const times = await measure({ large: () => call(large), small: (i) => call(small[i % small.length]) }, GROWTH)
  return { name: subject, ours: speedUp(times.small, times.large), target: { ours: 15 }, unit: '×' }
}

async function pathRows(core, log) {
  const finder = new PathFinder(core)
  const find = ({ trace }) => finder.find(trace).size
  const read = ({ bytes }) => parseTraces(bytes)[0].size
  const shaped = (shape, size, seed) => {
    const bytes = write('jaeger', [shapedTrace(core, shape, size, seed)])
    const [trace] = parseTraces(bytes)
    const path = finder.find(trace)
    mustBe(`what the sections of ${shape} add up to`, sectionsNs(path), path.latencyNs)
    return { bytes, trace }
  }
  const rows = []
  for (const shape of SHAPES) {
    log(`traces: ${shape}`)
    const large = shaped(shape, LARGE, SEED)
    const small = Array.from({ length: 10 }, (_, i) => shaped(shape, SMALL, SEED + i))
    if (shape === 'tree') {
      const times = await measure({ ours: () => find(large), yardstick: () => parseJson(large.bytes) }, CPU)
      rows.push(milliseconds('path of a tree of 100,000 spans, against parsing it (at most 5 %)', times, { ratio: 20 }))
    }
    rows.push(await growthRow(`${shape}: path of 100,000 spans, times the path of 10,000`, large, small, find))
    rows.push(await growthRow(`${shape}: reading 100,000 spans, times reading 10,000`, large, small, read))
  }
  finder.dispose()
  return rows
}

async function profileRows(core, traces, log) {
  const finder = new PathFinder(core)
  const spans = countSpans(traces)
  const aggregate = async (bytes) => {
    const profile = new Profile()
    for await (const trace of readTraces(bytes)) profile.add(finder.find(trace))
    return profile.traces
  }
  async function row(subject, format, json, target, options) {
    log(`traces: ${subject}`)
    const bytes = write(format, traces, options)
    const yardstick = json === format ? bytes : write(json, traces, options)
    mustBe(`traces in the profile from ${format}`, await aggregate(bytes), traces.length)
    const times = await measure({ ours: () => aggregate(bytes), yardstick: () => parseJson(yardstick) }, CPU)
    return [
      milliseconds(subject, times, target),
      { name: '  spans a second', ours: spans / median(times.ours), peer: spans / median(times.yardstick), unit: '/s' },
    ]
  }
  const rows = [
    ...(await row('Jaeger JSON to profile, against parsing it (at most 1.6 times)', 'jaeger', 'jaeger', {
      ratio: 1 / 1.6,
    })),
    ...(await row('OTLP protobuf to profile, against parsing OTLP JSON (at most 0.8)', 'otlp-protobuf', 'otlp-json', {
      ratio: 1 / 0.8,
    })),
    ...(await row('OTLP JSON to profile, against parsing it', 'otlp-json', 'otlp-json')),
    ...(await row('Zipkin JSON to profile, against parsing it', 'zipkin', 'zipkin')),
    ...(await row('Jaeger JSON with 7 tags a span to profile, against parsing it', 'jaeger', 'jaeger', undefined, {
      tags: true,
    })),
  ]
  finder.dispose()
  return rows
}

/** One pass over a file that is never in memory as a whole. */
function passRows(core, log) {
  log(`traces: one pass over ${PASS.traces.toLocaleString('en')} traces`)
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-bench-'))
  try {
    const file = join(folder, 'traces.json')
    const target = openSync(file, 'w')
    for (const part of WRITERS.jaeger(requestTraces(core, PASS))) writeSync(target, part)
    closeSync(target)
    const pass = (what) => {
      const output = execFileSync(process.execPath, ['--expose-gc', here('fresh/aggregate-traces.mjs'), file, what])
      const result = JSON.parse(output.toString())
      mustBe('traces in the profile of one pass', result.profiled, PASS.traces)
      return result
    }
    const [live, peak] = [pass('live'), pass('peak')]
    const megabytes = (result) => result.mostBytes / 1e6
    const passed = '10,000 traces of 50 spans in one pass'
    return [
      { name: `${passed}: memory grows by`, ours: megabytes(live), target: { ours: 50 }, unit: 'MB' },
      { name: `${passed}: with garbage`, ours: megabytes(peak), target: { ours: 50 }, unit: 'MB' },
      { name: `${passed}: spans a second, from disk`, ours: peak.spans / peak.seconds, unit: '/s' },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function run({ log }) {
  const core = await createTraceCore()
  const traces = [...requestTraces(core, WINDOW)]
  return [
    ...sizeRows(traces),
    ...(await pathRows(core, log)),
    ...(await profileRows(core, traces, log)),
    ...passRows(core, log),
  ]
}
