import type { AnyCore } from '@trimtab/core'
import { createTraceCoreSync, measureComponents, PathFinder, Profile, type Trace, type TraceCore } from '@trimtab/trace'
import type { ServiceGraph } from '../graph.js'
import { MicroserviceSimulator } from '../simulator.js'
import type { Window } from './application.js'
import type { LocatedCulprit } from './culprit.js'

/** When requests are late and whom to name. */
export interface LocaliserOptions {
  /** By name of the request type: what its p99 may be. */
  readonly slosMs: ReadonlyMap<string, number>
  /** By name of the request type: where the time of healthy requests goes. */
  readonly usual: ReadonlyMap<string, Profile>
  /** Least part of what was added that makes a culprit. Default 0.25. */
  readonly share?: number
}

const TAIL = 0.01 // p99

/** Windows of traces → critical paths of late requests → the instances that made them late (3.2.2, 3.2.3). */
export class Localiser {
  readonly #options: Required<LocaliserOptions>
  readonly #core: TraceCore = traceCore()
  readonly #finder: PathFinder = new PathFinder(this.#core)

  constructor({ slosMs, usual, share = 0.25 }: LocaliserOptions) {
    this.#options = { slosMs, usual, share }
  }

  /** Largest part first; each instance once. */
  find({ traces }: Window): LocatedCulprit[] {
    const found = new Map<string, LocatedCulprit>()
    for (const [request, group] of byRequest(traces)) {
      for (const culprit of this.#findIn(request, group)) {
        const known = found.get(culprit.instance)
        if (!known || known.addedShare < culprit.addedShare) found.set(culprit.instance, culprit)
      }
    }
    return [...found.values()].sort((a, b) => b.addedShare - a.addedShare)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#finder.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #findIn(request: string, traces: readonly Trace[]): LocatedCulprit[] {
    const sloNs = 1e6 * (this.#options.slosMs.get(request) ?? Number.POSITIVE_INFINITY)
    const late = traces.filter((trace) => latencyNs(trace) > sloNs)
    if (late.length <= TAIL * traces.length) return []
    const profile = profileOf(this.#finder, late)
    const slowest = traces.map(latencyNs).sort((a, b) => b - a)[Math.floor(TAIL * traces.length)]!
    return measureComponents(this.#core, profile, this.#options.usual.get(request)).flatMap((component) => {
      const { service, instance, change, isOnPath } = component
      if (!isOnPath || !change || change.addedShare < this.#options.share) return []
      return [
        {
          ...{ service, instance, request, late: late.length },
          ...{ p99OverSlo: slowest / sloNs, addedShare: change.addedShare },
        },
      ]
    })
  }
}

/** Where the time of each type of requests goes when nothing is wrong, by name. @param seconds  simulated. Default 30 */
export function usualProfiles(core: AnyCore, graph: ServiceGraph, seed: number, seconds = 30): Map<string, Profile> {
  const finder = new PathFinder(traceCore())
  const traces: Trace[] = []
  const simulator = new MicroserviceSimulator(core, graph, { seed })
  simulator.run(seconds, (trace) => traces.push(trace))
  simulator.dispose()
  const profiles = new Map(
    [...byRequest(traces)].map(([request, group]) => [request, profileOf(finder, group)] as const),
  )
  finder.dispose()
  return profiles
}

function profileOf(finder: PathFinder, traces: readonly Trace[]): Profile {
  const profile = new Profile()
  for (const trace of traces) profile.add(finder.find(trace))
  return profile
}

function byRequest(traces: readonly Trace[]): Map<string, Trace[]> {
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
const latencyNs = ({ startNs, endNs, root }: Trace): number => endNs[root]! - startNs[root]!

let shared: TraceCore | undefined
/** Kernels of critical paths live in a core of their own; it is started by whoever asks first. */
function traceCore(): TraceCore {
  shared ??= createTraceCoreSync()
  return shared
}
