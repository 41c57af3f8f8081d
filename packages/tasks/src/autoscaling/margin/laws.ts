import { type Core, Random } from '@trimtab/core'
import { Z99 } from '../../normal.js'
import { generateApplication } from '../application.js'
import { ThrottledLatency } from '../latency/throttled-latency.js'
import { ampleLatencyMs } from '../simulator.js'

/**
 * How the p99 of a service follows from a pod's size and its load, as a multiple of the p99 with resources to spare.
 * @param cores        CPU limit of a pod
 * @param utilisation  work that arrives per second over the limit
 */
export type LatencyLaw = (cores: number, utilisation: number) => number

/** Kinds of service that laws are rolled of; `throttled` is what the simulator itself obeys. */
export const LAW_KINDS = ['throttled', 'queueing', 'lock-bound', 'io-bound', 'cliff'] as const
/** One of them. */
export type LawKind = (typeof LAW_KINDS)[number]

const WINDOW_SECONDS = 15
const SATURATED = 0.985 // a closed form ends here and overload goes on

/**
 * Rolls a law. Small pods may slow a request down by any power of their size, or not at all; queues grow before saturation
 * gently or at a cliff; locks and connection pools saturate a service whose cores idle.
 */
export function rollLaw(core: Core, kind: LawKind, seed: number): LatencyLaw {
  if (kind === 'throttled') return throttledLaw(core, seed)
  const random = new Random(core, seed, 109)
  const between = (low: number, high: number): number => low + (high - low) * random.uniform()
  const { exp, log, pow } = core.math
  const waitShare = between(0, 0.9)
  const slowdown = between(0, 1)
  const slow = (cores: number): number => waitShare + (1 - waitShare) * pow(Math.min(1, cores), -slowdown)
  const weight = exp(between(-2.5, 0.5))
  const power = between(1, 3)
  const ceiling = between(0.7, 1.02)
  const queue = (load: number): number => {
    const x = Math.min(load / ceiling, SATURATED)
    return 1 + (weight * pow(x, power)) / (1 - x) + 60 * Math.max(0, load / ceiling - SATURATED)
  }
  const bottleneck = exp(between(log(0.4), log(8))) // cores beyond which a pod gets no faster
  const connections = exp(between(log(0.3), log(6)))
  const edge = between(0.5, 0.9)
  const steepness = between(3, 30)
  random.dispose()
  switch (kind) {
    case 'queueing':
      return (cores, utilisation) => slow(cores) * queue(utilisation)
    case 'lock-bound':
      return (cores, utilisation) => slow(cores) * queue(Math.max(utilisation, (utilisation * cores) / bottleneck))
    case 'io-bound': // waits for a pool that cores do not enlarge
      return (cores, utilisation) =>
        waitShare * queue((utilisation * cores) / connections) +
        (slow(cores) - waitShare) * queue(Math.min(utilisation, 1))
    case 'cliff':
      return (cores, utilisation) =>
        slow(Math.max(cores, 0.5)) * (1 + 0.1 * utilisation + steepness * Math.max(0, utilisation - edge))
  }
}

function throttledLaw(core: Core, seed: number): LatencyLaw {
  const application = generateApplication(core, seed)
  const model = new ThrottledLatency(core.math)
  const ampleMs = ampleLatencyMs(core, application)
  return (cores, utilisation) => {
    model.prepare(application, (utilisation * cores) / application.workSeconds, cores, WINDOW_SECONDS)
    return (1000 * model.quantile(0.99, Z99)) / ampleMs
  }
}
