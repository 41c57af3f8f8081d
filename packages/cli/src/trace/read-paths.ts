// From inputs to critical paths: which requests are taken, and from which span on. Runs in browsers too.
import type { TraceCore } from '@trimtab/trace'
import {
  type CriticalPath,
  correctClockSkew,
  JoinedTraces,
  PathFinder,
  type PathOptions,
  type ReadLimits,
  Repairs,
  type Trace,
  type TraceFormat,
  type TraceInput,
  type Unpacker,
} from '@trimtab/trace'

/** Which traces of the input are looked at, and how they are read. */
export interface Selection {
  /** Default: detected for each input. */
  readonly format?: TraceFormat | undefined
  readonly path?: PathOptions | undefined
  /** Largest correction of clock skew; default: none is made. */
  readonly clockSkewUs?: number | undefined
  readonly traceId?: string | undefined
  readonly service?: string | undefined
  readonly operation?: string | undefined
  /** Of reading an input; default: `READ_LIMITS`. */
  readonly limits?: Partial<ReadLimits> | undefined
  /** Unpacks zstd; default: as `readTraces()` does. */
  readonly zstd?: Unpacker | undefined
  /** Percentiles of latency, 0 to 100; reads everything twice. */
  readonly slice?: { readonly from: number; readonly to: number } | undefined
}

/** What a reading of traces tells its caller beside the traces. */
export interface ReadHooks {
  /** Takes what had to be mended outside any trace. */
  readonly repairs?: Repairs
  readonly signal?: AbortSignal
  /** Called with every trace that was read and set aside. */
  readonly onSetAside?: (trace: Trace) => void
}

/**
 * The critical paths of all requests of the inputs that `selection` takes, one after the other.
 * @throws {TraceError} `trace_format_unknown`, `trace_too_large`, `trace_packed`, with the name of the input
 */
export function readPaths(
  core: TraceCore,
  inputs: readonly TraceInput[] | JoinedTraces,
  selection: Selection,
  hooks: ReadHooks = {},
): AsyncGenerator<CriticalPath, void> {
  const traces = inputs instanceof JoinedTraces ? inputs : new JoinedTraces(inputs, selection)
  return selectPaths(core, (repairs) => traces.read({ repairs, signal: hooks.signal }), selection, hooks)
}

/**
 * The critical paths of the traces that `selection` takes.
 * @param open  gives all traces, from the beginning, as often as it is called; `repairs` takes what was mended outside any
 */
export async function* selectPaths(
  core: TraceCore,
  open: (repairs: Repairs) => AsyncIterable<Trace> | Iterable<Trace>,
  selection: Selection,
  { repairs = new Repairs(), onSetAside = () => {} }: ReadHooks = {},
): AsyncGenerator<CriticalPath, void> {
  const { slice } = selection
  const finder = new PathFinder(core, selection.path)
  try {
    const bounds = slice && (await latencyBounds(pathsOf(finder, open(new Repairs()), selection), slice))
    for await (const path of pathsOf(finder, open(repairs), selection, onSetAside)) {
      if (!bounds || (path.latencyNs >= bounds.least && path.latencyNs <= bounds.most)) yield path
      else onSetAside(path.trace)
    }
  } finally {
    finder.dispose()
  }
}

async function* pathsOf(
  finder: PathFinder,
  traces: AsyncIterable<Trace> | Iterable<Trace>,
  { clockSkewUs, traceId, service, operation }: Selection,
  onSetAside: (trace: Trace) => void = () => {},
): AsyncGenerator<CriticalPath, void> {
  for await (const trace of traces) {
    const isWanted = traceId === undefined || trace.traceId === traceId
    const entry = isWanted ? entryOf(trace, service, operation) : -1
    if (entry < 0) onSetAside(trace)
    else
      yield finder.find(clockSkewUs === undefined ? trace : correctClockSkew(trace, { maxDeltaUs: clockSkewUs }), entry)
  }
}

/**
 * The span that brings the request to what is asked for: the root if it fits, else the first below it that does, else the first
 * of what was left without a parent; −1 for none.
 */
export function entryOf(trace: Trace, service: string | undefined, operation: string | undefined): number {
  if (service === undefined && operation === undefined) return trace.root
  const { names, startNs, endNs } = trace
  const [wantedService, wantedOperation] = [service, operation].map((text) =>
    text === undefined ? undefined : names.find(text),
  )
  const fits = (row: number) =>
    (wantedService === undefined || trace.service[row] === wantedService) &&
    (wantedOperation === undefined || trace.operation[row] === wantedOperation)
  if (fits(trace.root)) return trace.root
  const roots = rootsOf(trace)
  /** A caller starts before what it calls, and lasts longer when both start at once. */
  const compare = (row: number, other: number) =>
    Number(roots[other] === trace.root) - Number(roots[row] === trace.root) ||
    startNs[row]! - startNs[other]! ||
    endNs[other]! - endNs[row]!
  let entry = -1
  for (let row = 0; row < trace.size; row++) {
    if (fits(row) && (entry < 0 || compare(row, entry) < 0)) entry = row
  }
  return entry
}

/** [N] the root above each span. O(N). */
function rootsOf({ parent, size }: Trace): Int32Array {
  const roots = new Int32Array(size).fill(-1)
  const way: number[] = []
  for (let row = 0; row < size; row++) {
    let at = row
    for (; roots[at]! < 0 && parent[at]! >= 0; at = parent[at]!) way.push(at)
    const root = roots[at]! < 0 ? at : roots[at]!
    roots[at] = root
    for (let below = way.pop(); below !== undefined; below = way.pop()) roots[below] = root
  }
  return roots
}

/** The latencies between which a slice lies, both included. */
async function latencyBounds(
  paths: AsyncIterable<CriticalPath>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly least: number; readonly most: number }> {
  const latencies: number[] = []
  for await (const { latencyNs } of paths) latencies.push(latencyNs)
  const sorted = Float64Array.from(latencies).sort()
  const at = (rank: number) => sorted[Math.min(sorted.length - 1, Math.max(0, rank))] ?? 0
  return {
    least: at(Math.floor((from / 100) * sorted.length)),
    most: at(Math.ceil((to / 100) * sorted.length) - 1),
  }
}
