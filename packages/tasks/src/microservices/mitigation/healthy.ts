import type { AnyCore } from '@trimtab/core'
import type { ServiceGraph } from '../graph.js'
import { faultFreeSlosMs } from '../slo.js'
import { type Usual, usualBehaviour } from './usual.js'

/** An application when nothing is wrong: what its SLOs are made of, and where time usually goes. */
export interface Healthy extends Usual {
  /** By name of the request type. */
  readonly slosMs: ReadonlyMap<string, number>
}

const SEED = 1_000_000 // so that no run without faults has the requests of a judged one
const SLO_SECONDS = 60
const USUAL_SECONDS = 20

const measured = new WeakMap<AnyCore, Map<string, Healthy>>()

/** Measured once for each graph: worlds of one application share it. */
export function healthyBehaviour(core: AnyCore, graph: ServiceGraph): Healthy {
  const graphs = measured.get(core) ?? new Map<string, Healthy>()
  measured.set(core, graphs)
  const key = JSON.stringify(graph)
  const known = graphs.get(key) ?? measure(core, graph)
  graphs.set(key, known)
  return known
}

function measure(core: AnyCore, graph: ServiceGraph): Healthy {
  const slos = faultFreeSlosMs(core, graph, { seed: SEED, seconds: SLO_SECONDS })
  return {
    slosMs: new Map(graph.requests.map(({ name }, type) => [name, slos[type]!])),
    ...usualBehaviour(core, graph, SEED, USUAL_SECONDS),
  }
}
