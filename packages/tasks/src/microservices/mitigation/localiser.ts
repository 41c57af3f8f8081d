import { type Edge, measureComponents, PathFinder, type Profile, type Trace, type TraceCore } from '@trimtab/trace'
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
    const usual = this.#options.usual.get(request)
    const slowest = traces.map(latencyNs).sort((a, b) => b - a)[Math.floor(TAIL * traces.length)]!
    return measureComponents(this.#core, profile, usual).flatMap((component) => {
      const { service, instance, change, isOnPath } = component
      if (!isOnPath || !change || change.addedShare < this.#options.share) return []
      const edge = slowerWayTo(service, profile, usual)
      return [
        {
          ...{ service, instance, request, late: late.length },
          ...{ p99OverSlo: slowest / (1e6 * sloMs), addedShare: change.addedShare },
          ...(edge && { edge }),
        },
      ]
    })
  }
}

/** The way to a service that grew most, where requests wait longer than usual on the ways to it rather than for its work. */
function slowerWayTo(service: string, now: Profile, usual: Profile | undefined): Edge | undefined {
  const before = new Map(usual?.edges().map((edge) => [keyOf(edge), edge.meanNs]))
  const ways = now
    .edges()
    .filter(({ callee }) => callee === service)
    .map((edge) => ({ edge, addedNs: Math.max(0, edge.meanNs - (before.get(keyOf(edge)) ?? 0)) }))
  const workNs = (profile: Profile | undefined): number =>
    profile?.services().find((one) => one.service === service)?.meanNs ?? 0
  const onWaysNs = ways.reduce((sum, { addedNs }) => sum + addedNs, 0)
  if (onWaysNs <= Math.max(0, workNs(now) - workNs(usual))) return undefined
  const { caller, callee, kind } = ways.reduce((most, way) => (way.addedNs > most.addedNs ? way : most)).edge
  return { caller, callee, kind }
}

const keyOf = ({ caller, callee, kind }: Edge): string => JSON.stringify([caller, callee, kind])
