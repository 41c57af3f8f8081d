// Files in, an analysis out: what every command of `trimtab trace` begins with.
import { type Core, createCore, TraceError } from '@trimtab/core'
import type { CriticalPath } from '@trimtab/trace'
import type { Host } from '../host.js'
import { suggestion } from '../options.js'
import { TraceAnalysis } from './analysis.js'
import { openInputs } from './inputs.js'
import { type CommonValues, pathOptionsOf } from './options.js'
import { readPaths, type Selection } from './read-paths.js'
import type { ReportSettings } from './report/types.js'

/** What requests are chosen by; one command takes a trace id as well. */
type RequestValues = CommonValues & { readonly trace?: string | undefined }

export const selectionOf = (values: RequestValues): Selection => ({
  format: values['input-format'],
  path: pathOptionsOf(values),
  clockSkewUs: values['clock-skew'],
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
  readonly core: Core
  readonly analysis: TraceAnalysis
}

const MAX_NAMES = 1000 // of services, to suggest one for a misspelt --service

/**
 * @param onPath  sees every path that was taken
 * @throws {UsageError} when a file cannot be read
 * @throws {TraceError} `trace_empty`: nothing was read, or nothing of it was asked for; `trace_format_unknown`
 */
export async function analyseFiles(
  files: readonly string[],
  values: RequestValues,
  host: Host,
  onPath: (path: CriticalPath) => void = () => {},
): Promise<Analysed> {
  const inputs = await openInputs(files, host, values.percentile ? 2 : 1)
  const core = await createCore()
  const analysis = new TraceAnalysis(values.top)
  const services = new Set<string>()
  try {
    const hooks = {
      repairs: analysis.repairs,
      signal: host.signal,
      onSetAside: ({ names, service, size }: CriticalPath['trace']) => {
        analysis.setAside++
        for (let row = 0; row < size && services.size < MAX_NAMES; row++) services.add(names.text(service[row]!))
      },
    }
    for await (const path of readPaths(core, inputs.list, selectionOf(values), hooks)) {
      analysis.add(path)
      inputs.note(path.trace.size)
      onPath(path)
    }
  } finally {
    inputs.finish()
  }
  if (analysis.requests === 0) throw new TraceError('trace_empty', whyNothing(files, values, analysis, services))
  return { core, analysis }
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
  const mended = repairs.list().map(({ code, count }) => `${code} ×${count}`)
  return `${files.join(', ')}: no trace in it${mended.length > 0 ? ` that could be used (${mended.join(', ')})` : ''}; it must hold spans as Jaeger, OTLP, Zipkin or CSV (see --input-format)`
}
