// What the page's worker answers: reads and analyses, and keeps the requests for as many what-ifs as are asked.
import {
  type CriticalPath,
  CulpritWindow,
  createTraceCore,
  JoinedTraces,
  OwnTimes,
  type Repairs,
  type Trace,
  type TraceCore,
  UsualTimes,
  Workflow,
} from 'trimtab/trace'
import {
  Replay,
  type Selection,
  type SpeedChange,
  selectPaths,
  suspectFixes,
  suspectsAgainst,
  suspectsWithin,
  TraceAnalysis,
  usualChanges,
  type WhatIfView,
  withGains,
} from 'trimtab/trace/report'
import type { FromWorker, Question, ToWorker } from './protocol.js'
import { SAMPLES, simulateSample } from './samples.js'

const TOP = 10
const LEAST_REFERENCE = 8 // traces; fewer say nothing about noise
const MOST_SPANS_KEPT = 2_000_000 // for what-ifs, about 250 MB; of more, the first requests stand for all
const TELL_EVERY_MS = 100

type Send = (message: FromWorker) => void
type Open = (repairs: Repairs) => AsyncIterable<Trace> | Iterable<Trace>

/** Answers one message after the other. @param send  is given what there is to tell, progress included */
export function createAnalyst(send: Send): (message: ToWorker) => Promise<void> {
  /** The requests analysed last. */
  const paths: CriticalPath[] = []
  const workflow = new Workflow()
  let spansKept = 0

  /** Nothing for paths of other modes than `blocking`, which alone says who waited for whom. */
  function replay(cases: readonly (readonly SpeedChange[])[], baseline?: OwnTimes): WhatIfView[] {
    if (paths[0]?.mode !== 'blocking') return []
    const times = new OwnTimes()
    if (baseline) for (const path of paths) times.add(path)
    const replayed = new Replay(cases, workflow, baseline && new UsualTimes(times, baseline))
    for (const path of paths) replayed.add(path)
    return replayed.views()
  }

  function keep(path: CriticalPath): void {
    if (path.mode === 'blocking') workflow.add(path)
    if (spansKept >= MOST_SPANS_KEPT) return
    spansKept += path.trace.size
    paths.push(path)
  }

  async function analyse(question: Question): Promise<void> {
    const startedAt = performance.now()
    const core = await createTraceCore()
    const { mode, overlapTolerance, service, slice } = question
    const selection: Selection = { path: { mode, overlapTolerance }, service, slice }
    const meter = createMeter(send)
    const { files, usual, open } = await sourcesOf(core, question, meter)
    const reference = new CulpritWindow()
    const baseline = new OwnTimes()
    if (usual) {
      for await (const path of selectPaths(core, usual, { ...selection, slice: undefined })) {
        reference.add(path)
        baseline.add(path)
      }
    }
    const analysis = new TraceAnalysis(TOP)
    const window = new CulpritWindow()
    const services = new Set<string>()
    const note = ({ trace }: Pick<CriticalPath, 'trace'>) => {
      meter.spans += trace.size
      for (const number of trace.service) services.add(trace.names.text(number))
    }
    const hooks = {
      repairs: analysis.repairs,
      onSetAside: (trace: Trace) => {
        analysis.setAside++
        note({ trace })
      },
    }
    for await (const path of selectPaths(core, open, selection, hooks)) {
      analysis.add(path)
      window.add(path)
      keep(path)
      note(path)
    }
    if (analysis.requests === 0) throw new Error(`${files.join(', ')}: no request there that fits the form`)
    const ranked =
      reference.traces >= LEAST_REFERENCE
        ? suspectsAgainst(core, window, reference, TOP)
        : suspectsWithin(core, analysis.profile, TOP)
    const culprits = withGains(ranked, replay(suspectFixes(ranked), baseline))
    const whatIf = replay(usualChanges(analysis.services))
    const settings = { mode, overlapTolerance, ...(service && { service }), ...(slice && { slice }) }
    send({
      type: 'done',
      report: analysis.report('culprits', files, settings, { culprits, whatIf }),
      services: [...services].sort(),
      seconds: (performance.now() - startedAt) / 1000,
    })
  }

  return async (message) => {
    if (message.type === 'analyse') await analyse(message.question)
    else send({ type: 'what-if', view: replay([[message.change]])[0]! })
  }
}

interface Meter {
  spans: number
  count(bytes: number): void
  /** Bytes that will be read in all. */
  expect(bytes: number): void
}

function createMeter(send: Send): Meter {
  const startedAt = performance.now()
  let toldAt = startedAt
  let [read, expected] = [0, 0]
  return {
    spans: 0,
    expect(bytes) {
      expected += bytes
    },
    count(bytes) {
      read += bytes
      const now = performance.now()
      if (now - toldAt < TELL_EVERY_MS) return
      toldAt = now
      send({
        type: 'progress',
        read01: Math.min(1, read / Math.max(1, expected)),
        spans: this.spans,
        spansPerSecond: this.spans / ((now - startedAt) / 1000),
      })
    },
  }
}

async function sourcesOf(
  core: TraceCore,
  { source, slice }: Question,
  meter: Meter,
): Promise<{ readonly files: readonly string[]; readonly usual?: Open; readonly open: Open }> {
  if (source.type === 'sample') {
    const sample = SAMPLES.find(({ name }) => name === source.name)!
    const { usual, broken } = simulateSample(core, sample)
    return { files: [sample.label], usual: () => usual, open: () => broken }
  }
  const { files, baseline } = source
  return {
    files: files.map(({ name }) => name),
    ...(baseline.length > 0 && { usual: opener(baseline, 1, meter) }),
    open: opener(files, slice ? 2 : 1, meter),
  }
}

function opener(files: readonly File[], passes: number, meter: Meter): Open {
  const readings = passes + (files.length > 1 ? 1 : 0) // the first of several files' is for the traces that lie in more than one
  for (const file of files) meter.expect(file.size * readings)
  const traces = new JoinedTraces(
    files.map((file) => ({ name: file.name, open: () => file.stream().pipeThrough(countingStream(meter)) })),
  )
  return (repairs) => traces.read({ repairs })
}

const countingStream = (meter: Meter): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform(piece, controller) {
      meter.count(piece.byteLength)
      controller.enqueue(piece)
    },
  })
