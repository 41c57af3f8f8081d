// Files in, an analysis out: what every command of `trimtab trace` begins with.
import { TraceError } from '@trimtab/core'
import {
  type CriticalPath,
  createTraceCore,
  JoinedTraces,
  OwnTimes,
  type Trace,
  type TraceCore,
  UsualTimes,
  Workflow,
} from '@trimtab/trace'
import type { Host } from '../host.js'
import { suggestion } from '../options.js'
import { TraceAnalysis } from './analysis.js'
import { openInputs } from './inputs.js'
import { type CommonValues, limitsOf, pathOptionsOf } from './options.js'
import { type ReadHooks, readPaths, type Selection } from './read-paths.js'
import type { ReportSettings, SpeedChange, WhatIfView } from './report/types.js'
import { Replay } from './what-if.js'

/** What requests are chosen by; one command takes a trace id as well. */
type RequestValues = CommonValues & { readonly trace?: string | undefined }

export const selectionOf = (values: RequestValues): Selection => ({
  format: values['input-format'],
  path: pathOptionsOf(values),
  clockSkewUs: values['clock-skew'],
  limits: limitsOf(values),
  traceId: values.trace,
  service: values.service,
  operation: values.operation,
  slice: values.percentile,
})

export const settingsOf = (values: RequestValues): ReportSettings => ({
  mode: values.mode,
  overlapTolerance: values['overlap-tolerance'],
  ...(values['clock-skew'] !== undefined && { clockSkewUs: values['clock-skew'] }),
  ...(values.service !== undefined && { service: values.service }),
  ...(values.operation !== undefined && { operation: values.operation }),
  ...(values.percentile && { slice: values.percentile }),
})

export interface Analysed {
  readonly core: TraceCore
  readonly analysis: TraceAnalysis
  /**
   * Replays the same requests under changes, each by itself; needs `isReplayed`.
   * @param baseline  what is usual, where a change asks for it
   * @returns nothing for paths of another mode than `blocking`, which alone says who waited for whom
   */
  replay(cases: readonly (readonly SpeedChange[])[], baseline?: OwnTimes): Promise<WhatIfView[]>
}

export interface AnalyseOptions {
  /** Sees every path that was taken. */
  readonly onPath?: (path: CriticalPath) => void
  /** Whether the requests will be read once more. */
  readonly isReplayed?: boolean
}

const MAX_NAMES = 1000 // of services, to suggest one for a misspelt --service

/**
 * @throws {UsageError} when a file cannot be read
 * @throws {TraceError} `trace_empty`: nothing was read, or nothing of it was asked for; what `JoinedTraces` throws
 */
export async function analyseFiles(
  files: readonly string[],
  values: RequestValues,
  host: Host,
  { onPath = () => {}, isReplayed = false }: AnalyseOptions = {},
): Promise<Analysed> {
  const isPossible = isReplayed && values.mode === 'blocking'
  const inputs = await openInputs(files, host, values['max-bytes'], (values.percentile ? 2 : 1) * (isPossible ? 2 : 1))
  const core = await createTraceCore()
  const analysis = new TraceAnalysis(values.top)
  const workflow = new Workflow()
  const times = new OwnTimes()
  const services = new Set<string>()
  const selection = { ...selectionOf(values), zstd: host.zstd }
  const traces = new JoinedTraces(inputs.list, selection)
  const each = async (hooks: ReadHooks, visit: (path: CriticalPath) => void) => {
    try {
      for await (const path of readPaths(core, traces, selection, hooks)) {
        visit(path)
        inputs.note(path.trace.size)
      }
    } finally {
      inputs.pause()
    }
  }
  const onSetAside = ({ names, service, size }: Trace) => {
    analysis.setAside++
    for (let row = 0; row < size && services.size < MAX_NAMES; row++) services.add(names.text(service[row]!))
  }
  await each({ repairs: analysis.repairs, onSetAside }, (path) => {
    analysis.add(path)
    if (isPossible) {
      workflow.add(path)
      times.add(path)
    }
    onPath(path)
  })
  if (analysis.requests === 0) throw new TraceError('trace_empty', whyNothing(files, values, analysis, services))
  return {
    core,
    analysis,
    async replay(cases, baseline) {
      if (!isPossible || cases.length === 0) return []
      const replay = new Replay(cases, workflow, baseline && new UsualTimes(times, baseline))
      await each({}, (path) => replay.add(path))
      return replay.views()
    },
  }
}

function whyNothing(
  files: readonly string[],
  values: RequestValues,
  { setAside, repairs }: TraceAnalysis,
  services: ReadonlySet<string>,
): string {
  if (setAside > 0) {
    const wanted = [
      ...(values.trace === undefined ? [] : [`--trace ${values.trace}`]),
      ...(values.service === undefined ? [] : [`--service ${values.service}`]),
      ...(values.operation === undefined ? [] : [`--operation ${values.operation}`]),
    ].join(' ')
    const near = values.service === undefined ? '' : suggestion(values.service, [...services], '')
    return `none of ${setAside} requests fits ${wanted}${near || `; services here: ${[...services].slice(0, 10).join(', ')}`}`
  }
  const mended = repairs.list().map(({ code, count, examples }) => `${code} ×${count}: ${examples[0]}`)
  return `${files.join(', ')}: no trace in it${mended.length > 0 ? ` that could be used (${mended.join(', ')})` : ''}; it must hold spans as Jaeger, OTLP, Zipkin or CSV (see --input-format)`
}
