import { measureComponents, PathFinder, type Profile, type Trace, type TraceCore } from '@trimtab/trace'
import type { Window } from './application.js'
import type { LocatedCulprit } from './culprit.js'
import { byRequest, latencyNs, lateTraces, profileOf, traceCore } from './traces.js'

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
  find({ traces }: Pick<Window, 'traces'>): LocatedCulprit[] {
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
    const sloMs = this.#options.slosMs.get(request) ?? Number.POSITIVE_INFINITY
    const late = lateTraces(traces, sloMs)
    if (late.length <= TAIL * traces.length) return []
    const profile = profileOf(this.#finder, late)
    const slowest = traces.map(latencyNs).sort((a, b) => b - a)[Math.floor(TAIL * traces.length)]!
    return measureComponents(this.#core, profile, this.#options.usual.get(request)).flatMap((component) => {
      const { service, instance, change, isOnPath } = component
      if (!isOnPath || !change || change.addedShare < this.#options.share) return []
      return [
        {
          ...{ service, instance, request, late: late.length },
          ...{ p99OverSlo: slowest / (1e6 * sloMs), addedShare: change.addedShare },
        },
      ]
    })
  }
}
