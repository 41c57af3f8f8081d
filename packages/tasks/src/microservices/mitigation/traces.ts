import { createTraceCoreSync, type PathFinder, Profile, type Trace, type TraceCore } from '@trimtab/trace'

/** Traces by the type of their request: what its first span does. */
export function byRequest(traces: readonly Trace[]): Map<string, Trace[]> {
  const groups = new Map<string, Trace[]>()
  for (const trace of traces) {
    const request = requestOf(trace)
    const group = groups.get(request)
    if (group) group.push(trace)
    else groups.set(request, [trace])
  }
  return groups
}

const requestOf = ({ names, operation, root }: Trace): string => names.text(operation[root]!)

/** How long its request took. */
export const latencyNs = ({ startNs, endNs, root }: Trace): number => endNs[root]! - startNs[root]!

/** Those that took longer than they may. */
export const lateTraces = (traces: readonly Trace[], sloMs: number): Trace[] =>
  traces.filter((trace) => latencyNs(trace) > 1e6 * sloMs)

/** Where their time goes. */
export function profileOf(finder: PathFinder, traces: readonly Trace[]): Profile {
  const profile = new Profile()
  for (const trace of traces) profile.add(finder.find(trace))
  return profile
}

let shared: TraceCore | undefined
/** Kernels of critical paths live in a core of their own; it is started by whoever asks first. */
export function traceCore(): TraceCore {
  shared ??= createTraceCoreSync()
  return shared
}
