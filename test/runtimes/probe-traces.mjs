// Traces on every runtime: read in each format, their paths in every mode, the profile of a window, what it accuses.
// Everything is generated here, so that the probe stays one program; each function returns what gets hashed.
import {
  CulpritWindow,
  criticalComponents,
  criticalPath,
  dragAndSlack,
  PathFinder,
  Profile,
  parseTraces,
  rankCulprits,
  readTraces,
  toSpans,
  traceFromSpans,
  whatIf,
} from '@trimtab/trace'
import { bytesOf, requestTraces, shapedTrace, WRITERS } from '../traces/index.mjs'

const SEED = 20_260
const TRACES = 40
const PATH_OPTIONS = [
  {},
  { mode: 'to-trace-end' },
  { mode: 'firm' },
  { overlapTolerance: 'auto' },
  { overlapTolerance: 100, lateChild: 'background', followsFrom: 'blocking', producerConsumer: 'blocking' },
]

const encode = (value) => new TextEncoder().encode(JSON.stringify(value))

/** As a file comes over a network: packed, in pieces that end anywhere. */
function packedPieces(bytes) {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return packed.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        for (let at = 0; at < chunk.length; at += 999) controller.enqueue(chunk.subarray(at, at + 999))
      },
    }),
  )
}

/** Every format at once and as a packed stream: the spans as objects. */
export async function readAll(core) {
  const traces = [...requestTraces(core, { traces: TRACES, seed: SEED })]
  const read = []
  for (const write of Object.values(WRITERS)) {
    const bytes = bytesOf(write(traces, { tags: true }))
    read.push(parseTraces(bytes).map(toSpans))
    const streamed = []
    for await (const trace of readTraces(packedPieces(bytes))) streamed.push(toSpans(trace))
    read.push(streamed)
  }
  if (new Set(read.map(({ length }) => length)).size > 1) throw new Error('formats differ in their number of traces')
  return encode(read)
}

/** Sections, own time and windows in every mode, drag and slack, and the one-liner that needs no core. */
export function findPaths(core) {
  const traces = [...requestTraces(core, { traces: TRACES, seed: SEED }), shapedTrace(core, 'tree', 3000, SEED)]
  const found = PATH_OPTIONS.flatMap((options) => {
    const finder = new PathFinder(core, options)
    return traces.map((spans) => {
      const path = finder.find(traceFromSpans(spans))
      const { row, startNs, endNs, selfNs, windowStartNs, windowEndNs } = path
      const columns = { row, startNs, endNs, selfNs, windowStartNs, windowEndNs, ...dragAndSlack(path) }
      return Object.values(columns).map((column) => Array.from(column))
    })
  })
  return encode([found, traces.map((spans) => criticalPath(spans))])
}

const pathsOf = (core, traces) => {
  const finder = new PathFinder(core)
  return traces.map((spans) => finder.find(traceFromSpans(spans)))
}

/** A window with a slow service against one without: who is accused by either method, and what speeding it up would buy. */
function accuse(core, slowed, usual) {
  const window = new CulpritWindow()
  const reference = new CulpritWindow()
  for (const path of slowed) window.add(path)
  for (const path of usual) reference.add(path)
  const answer = whatIf(slowed, { service: 'pricing', speedUp: 4 })
  return [
    rankCulprits(core, window, reference),
    criticalComponents(profileOf(slowed), { reference: profileOf(usual), core }),
    [answer.savedNs, answer.saved01, answer.savedInterval01],
  ]
}

function profileOf(paths) {
  const profile = new Profile()
  for (const path of paths) profile.add(path)
  return profile
}

/** @returns the saved profile of a window, and the judgement of a slow service */
export function judge(core) {
  const usual = pathsOf(core, [...requestTraces(core, { traces: 5 * TRACES, seed: SEED })])
  const slow = { service: 'pricing', factor: 4 }
  const slowed = pathsOf(core, [...requestTraces(core, { traces: 5 * TRACES, seed: SEED + 1, slow })])
  return { profile: profileOf(slowed).save(), culprits: encode(accuse(core, slowed, usual)) }
}
