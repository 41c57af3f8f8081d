import { type AnyCore, ConfigError, percentile } from '@trimtab/core'
import type { Trace } from '@trimtab/trace'
import type { ServiceGraph } from '../graph.js'
import { faultFreeSlosMs } from '../slo.js'
import { byRequest, latencyNs } from './traces.js'
import { type Usual, usualBehaviour, usualOf } from './usual.js'

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

/**
 * Of an application that was watched while nothing was wrong: SLOs are so many times the p99 that was measured then.
 * @param factor  default 1.5
 * @throws {ConfigError} `config_invalid`: there are no traces
 */
export function healthyFrom(traces: readonly Trace[], factor = 1.5): Healthy {
  if (traces.length === 0)
    throw new ConfigError('config_invalid', 'no request was traced while all was well: nothing says what is usual')
  const p99Ms = (group: readonly Trace[]): number => percentile(Float64Array.from(group, latencyNs).sort(), 99) / 1e6
  const slosMs = new Map([...byRequest(traces)].map(([name, group]) => [name, factor * p99Ms(group)] as const))
  return { slosMs, ...usualOf(traces) }
}
