// Small graphs for the tests of the simulated microservices.
import type { Core } from '@trimtab/core'
import {
  type Anomaly,
  type AnomalyKind,
  type Call,
  createPreset,
  type GraphTelemetry,
  MicroserviceSimulator,
  type ResourceVector,
  type Service,
  type ServiceGraph,
  type SimulatorOptions,
} from '../../src/microservices/index.js'

/** Work that takes a worker with the grant of `service()` so many ms of each resource. */
export const workOf = (ms: Partial<Record<keyof ResourceVector, number>>): ResourceVector => ({
  cpu: 0,
  memoryBandwidth: 0,
  llc: 0,
  diskIo: 0,
  network: 0,
  ...ms,
})

/** Every worker is granted 1 of each resource, so that a unit of work is a millisecond. */
export function service(name: string, options: Partial<Service> = {}): Service {
  const workers = options.workers ?? 1
  const grant = { cpu: workers, memoryBandwidth: workers, llc: workers, diskIo: workers, network: workers }
  return { name, kind: 'logic', replicas: 1, workers, queueLimit: 100_000, variability: 0, grant, ...options }
}

export const call = (name: string, ms: number, options: Partial<Call> = {}): Call => ({
  service: name,
  work: workOf({ cpu: ms }),
  ...options,
})

export interface Arrivals {
  readonly ratePerSecond: number
  readonly timeoutMs?: number
  readonly hopMs?: number
}

/** A graph of one type of requests, `get`. */
export const graphOf = (entry: Call, services: readonly Service[], arrivals: Arrivals): ServiceGraph => ({
  name: 'test',
  hopMs: arrivals.hopMs ?? 0,
  services,
  requests: [
    { name: 'get', ratePerSecond: arrivals.ratePerSecond, timeoutMs: arrivals.timeoutMs ?? Number.MAX_VALUE, entry },
  ],
})

/** One service, one queue. */
export const queueOf = (options: Partial<Service> & { ratePerSecond: number; ms: number }): ServiceGraph => {
  const { ratePerSecond, ms, ...rest } = options
  return graphOf(call('a', ms), [service('a', rest)], { ratePerSecond })
}

/** What is told of the seconds between two moments. */
export function live(
  core: Core,
  graph: ServiceGraph,
  seconds: readonly [number, number],
  options: SimulatorOptions = {},
): GraphTelemetry {
  const simulator = new MicroserviceSimulator(core, graph, options)
  simulator.run(seconds[0])
  simulator.collect()
  simulator.run(seconds[1])
  const telemetry = simulator.collect()
  simulator.dispose()
  return telemetry
}

export const anomalyAt = (kind: AnomalyKind, options: Partial<Anomaly> = {}): Anomaly => ({
  kind,
  target: { service: 'a' },
  startSeconds: 10,
  durationSeconds: 10,
  intensity: 0.5,
  ...options,
})

export const hotel = (core: Core): ServiceGraph => createPreset(core, 'hotel-reservation')
