import { type AnyCore, ConfigError } from '@trimtab/core'
import type { ServiceGraph } from './graph.js'
import { MicroserviceSimulator } from './simulator.js'
import { type GraphTelemetry, latencyMs } from './telemetry.js'

/** The fault-free run that SLOs are derived from. */
export interface SloOptions {
  /** Default 0. */
  readonly seed?: number
  /** Of the run without faults. Default 120. */
  readonly seconds?: number
  /** SLO as a multiple of its p99. Default 1.5. */
  readonly factor?: number
}

const WARM_UP_SECONDS = 5

/**
 * The SLO of each type of requests, ms: what the p99 of a window may be, from a run in which nothing is wrong.
 * @returns [types]
 */
export function faultFreeSlosMs(core: AnyCore, graph: ServiceGraph, options: SloOptions = {}): Float64Array {
  const { seed = 0, seconds = 120, factor = 1.5 } = options
  if (!(seconds > 0 && factor > 0))
    throw new ConfigError('config_invalid', `seconds and factor must be above 0, got ${seconds} and ${factor}`)
  const simulator = new MicroserviceSimulator(core, graph, { seed })
  simulator.run(WARM_UP_SECONDS)
  simulator.collect()
  simulator.run(WARM_UP_SECONDS + seconds)
  const { requests } = simulator.collect()
  simulator.dispose()
  return Float64Array.from(requests, (request) => factor * latencyMs(request, 99))
}

/** The p99 of each type of requests, ms, 0 where none ended; above its SLO, the SLO is broken. @returns [types] */
export function p99sMs({ requests }: GraphTelemetry): Float64Array {
  return Float64Array.from(requests, (request) => latencyMs(request, 99))
}
