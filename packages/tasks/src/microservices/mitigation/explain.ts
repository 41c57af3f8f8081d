import { type CriticalPath, OwnTimes, PathFinder, UsualTimes, WhatIf, Workflow } from '@trimtab/trace'
import { RESOURCES, type Resource } from '../resources.js'
import type { InstanceTelemetry } from '../telemetry.js'
import type { Window } from './application.js'
import type { LocatedCulprit } from './culprit.js'
import { byRequest, lateTraces, traceCore } from './traces.js'

/** What the late requests of a window say of a culprit. */
export interface CulpritAccount {
  /** Services from the front door to it, as the slowest of them went; the last two are the ends of the edge. */
  readonly route: readonly string[]
  /** Their mean latency. */
  readonly lateMs: number
  /** The same, had the culprit been as usual, and where requests waited on the ways to it, those too. */
  readonly predictedMs: number
}

/** What is needed to say what would have been. */
export interface ExplainerOptions {
  /** By name of the request type: what its p99 may be. */
  readonly slosMs: ReadonlyMap<string, number>
  /** How long everything takes when nothing is wrong. */
  readonly times: OwnTimes
}

/** Says why an instance is named, and what mending it promises. */
export class Explainer {
  readonly #options: ExplainerOptions
  readonly #finder: PathFinder = new PathFinder(traceCore())

  constructor(options: ExplainerOptions) {
    this.#options = options
  }

  /** @param culprit  found in this window */
  explain({ traces }: Pick<Window, 'traces'>, culprit: LocatedCulprit): CulpritAccount {
    const { slosMs, times } = this.#options
    const { request, service, instance } = culprit
    const late = lateTraces(byRequest(traces).get(request) ?? [], slosMs.get(request) ?? Number.POSITIVE_INFINITY)
    const [workflow, now] = [new Workflow(), new OwnTimes()]
    let slowest: { readonly route: readonly string[]; readonly latencyNs: number } | undefined
    for (const trace of late) {
      const path = this.#finder.find(trace)
      workflow.add(path)
      now.add(path)
      const { names, instance: instances } = trace
      const route = routeTo(path, (row) => names.text(instances[row]!) === instance)
      if (route && path.latencyNs > (slowest?.latencyNs ?? 0)) slowest = { route, latencyNs: path.latencyNs }
    }
    const usual = new UsualTimes(now, times)
    const ways = culprit.edge ? [{ callee: service, kind: culprit.edge.kind, isAsUsual: true }] : []
    const whatIf = new WhatIf([{ service, instance, isAsUsual: true }, ...ways], { workflow, usual })
    for (const trace of late) whatIf.add(this.#finder.find(trace))
    const lateMs = whatIf.before.meanNs / 1e6
    return { route: slowest?.route ?? [service], lateMs, predictedMs: whatIf.after.meanNs / 1e6 }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#finder.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

/** Services from the front door to the first span on the path that is sought, a service once where it calls itself. */
export function routeTo({ trace, row, root }: CriticalPath, isSought: (row: number) => boolean): string[] | undefined {
  const { parent, service, names } = trace
  let at = row.find(isSought)
  if (at === undefined) return undefined
  const route: string[] = []
  for (; at >= 0; at = at === root ? -1 : parent[at]!) {
    const name = names.text(service[at]!)
    if (route[0] !== name) route.unshift(name)
  }
  return route
}

/** What an instance has least left of. */
export function busiestResource({ utilisation01 }: InstanceTelemetry): {
  readonly resource: Resource
  readonly utilisation01: number
} {
  const [first, ...others] = RESOURCES.map((resource) => ({ resource, utilisation01: utilisation01[resource] }))
  return others.reduce((most, one) => (one.utilisation01 > most.utilisation01 ? one : most), first!)
}

const REACHED01 = 0.9

/** What an instance seems short of: a limit that it has reached, else the network where the way to it got slower, else what it has least left of. */
export function shortResource(instance: InstanceTelemetry, { edge }: Pick<LocatedCulprit, 'edge'>): Resource {
  const { resource, utilisation01 } = busiestResource(instance)
  return edge?.kind === 'call' && !(utilisation01 >= REACHED01) ? 'network' : resource
}
