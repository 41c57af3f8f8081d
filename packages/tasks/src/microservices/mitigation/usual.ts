import type { AnyCore } from '@trimtab/core'
import { OwnTimes, PathFinder, type Profile, type Trace } from '@trimtab/trace'
import type { ServiceGraph } from '../graph.js'
import { MicroserviceSimulator } from '../simulator.js'
import { byRequest, profileOf, traceCore } from './traces.js'

/** Where the time of requests goes when nothing is wrong. */
export interface Usual {
  /** By name of the request type. */
  readonly usual: ReadonlyMap<string, Profile>
  /** How long every operation works, and every call takes. */
  readonly times: OwnTimes
}

/** Of a simulated run without faults. @param seconds  simulated. Default 30 */
export function usualBehaviour(core: AnyCore, graph: ServiceGraph, seed: number, seconds = 30): Usual {
  const traces: Trace[] = []
  const simulator = new MicroserviceSimulator(core, graph, { seed })
  simulator.run(seconds, (trace) => traces.push(trace))
  simulator.dispose()
  return usualOf(traces)
}

/** Of traces from a time when nothing was wrong. */
export function usualOf(traces: readonly Trace[]): Usual {
  const finder = new PathFinder(traceCore())
  const times = new OwnTimes()
  for (const trace of traces) times.add(finder.find(trace))
  const usual = new Map([...byRequest(traces)].map(([request, group]) => [request, profileOf(finder, group)] as const))
  finder.dispose()
  return { usual, times }
}

/** Of `usualBehaviour`, the profiles. */
export const usualProfiles = (
  core: AnyCore,
  graph: ServiceGraph,
  seed: number,
  seconds?: number,
): ReadonlyMap<string, Profile> => usualBehaviour(core, graph, seed, seconds).usual
