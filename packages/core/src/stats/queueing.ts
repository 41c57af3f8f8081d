// Closed forms of queueing theory: simulators are checked against them, and some are built from them.
// Rates are per second, times in seconds. A queue that cannot keep up (utilisation >= 1) waits for ever: Infinity.
import type { CoreMath } from '../math/core-math.js'

/** M/M/c: Poisson arrivals, exponential service times, c servers. Rates per second. */
export interface MmcQueue {
  readonly arrivalRate: number
  /** Of one server. */
  readonly serviceRate: number
  readonly servers: number
}

/** Steady-state times of a queue, in seconds; infinite where the load is 1 and above. */
export interface MmcTimes {
  readonly utilisation: number
  /** Erlang C: the probability of having to wait. */
  readonly waitProbability: number
  readonly meanWait: number
  readonly meanSojourn: number
  /** At the quantile asked for. */
  readonly waitQuantile: number
  readonly sojournQuantile: number
}

/** The probability of waiting in M/M/c, offered load = arrival rate / service rate; 1 when the load reaches the servers. */
export function erlangC(servers: number, offeredLoad: number): number {
  if (offeredLoad >= servers) return 1
  let blocking = 1 // Erlang B, by its recursion in the number of servers
  for (let c = 1; c <= servers; c++) blocking = (offeredLoad * blocking) / (c + offeredLoad * blocking)
  return blocking / (1 - (offeredLoad / servers) * (1 - blocking))
}

/** Waiting and sojourn times of M/M/c, first come first served. @param quantile default 0.99 */
export function mmcTimes(math: CoreMath, queue: MmcQueue, quantile = 0.99): MmcTimes {
  const { arrivalRate, serviceRate, servers } = queue
  const load = arrivalRate / serviceRate
  const utilisation = load / servers
  const waitProbability = erlangC(servers, load)
  if (utilisation >= 1) {
    const never = Number.POSITIVE_INFINITY
    return {
      utilisation,
      waitProbability,
      meanWait: never,
      meanSojourn: never,
      waitQuantile: never,
      sojournQuantile: never,
    }
  }
  const drain = servers * serviceRate - arrivalRate // P(wait > t) = C e^(−drain t)
  const meanWait = waitProbability / drain
  return {
    utilisation,
    waitProbability,
    meanWait,
    meanSojourn: meanWait + 1 / serviceRate,
    waitQuantile: Math.max(0, math.log(waitProbability / (1 - quantile)) / drain),
    sojournQuantile: sojournQuantile(math, queue, waitProbability, 1 - quantile),
  }
}

/** The time that a sojourn exceeds with probability `tail`, by bisection on the exact tail. */
function sojournQuantile(math: CoreMath, queue: MmcQueue, waitProbability: number, tail: number): number {
  let high = 1 / queue.serviceRate
  while (sojournTail(math, queue, waitProbability, high) > tail) high *= 2
  let low = 0
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = (low + high) / 2
    if (sojournTail(math, queue, waitProbability, middle) > tail) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(sojourn > t) = e^(−μt) (1 + C (1 − e^(−μt(c − 1 − a))) / (c − 1 − a)), a: offered load */
function sojournTail(math: CoreMath, queue: MmcQueue, waitProbability: number, t: number): number {
  const { arrivalRate, serviceRate, servers } = queue
  const spare = servers - 1 - arrivalRate / serviceRate
  const served = math.exp(-serviceRate * t)
  if (Math.abs(spare) < 1e-9) return served * (1 + waitProbability * serviceRate * t)
  return served + (waitProbability * (served - math.exp(-serviceRate * t * (1 + spare)))) / spare
}

/** M/G/1-PS: all requests share one server evenly. Arrivals per second. */
export interface ProcessorSharingQueue {
  readonly arrivalRate: number
  /** Mean work of a request, in seconds of one unit of capacity. */
  readonly meanWork: number
  readonly capacity: number
}

/** M/G/1 with processor sharing: the mean depends on the service time's mean alone. */
export function mg1ProcessorSharing(queue: ProcessorSharingQueue): { utilisation: number; meanSojourn: number } {
  const service = queue.meanWork / queue.capacity
  const utilisation = queue.arrivalRate * service
  return { utilisation, meanSojourn: utilisation < 1 ? service / (1 - utilisation) : Number.POSITIVE_INFINITY }
}

/** M/G/1: Poisson arrivals, general service times, one server. Rates per second, times in seconds. */
export interface Mg1Queue {
  readonly arrivalRate: number
  readonly meanService: number
  /** Squared coefficient of variation: variance / mean². */
  readonly scvService: number
}

/** Mean wait of M/G/1, first come first served (Pollaczek–Khinchine). */
export function pollaczekKhinchine({ arrivalRate, meanService, scvService }: Mg1Queue): number {
  const utilisation = arrivalRate * meanService
  return utilisation < 1
    ? (utilisation * meanService * (1 + scvService)) / (2 * (1 - utilisation))
    : Number.POSITIVE_INFINITY
}

/** G/G/m: general times between arrivals and of service, m servers. Rates per second. */
export interface AllenCunneenQueue extends MmcQueue {
  /** Squared coefficients of variation of the times between arrivals and of the service times. */
  readonly scvArrival: number
  readonly scvService: number
}

/** Mean wait of G/G/c, approximately: that of M/M/c times the mean of the two variabilities (Allen and Cunneen). */
export function allenCunneen(queue: AllenCunneenQueue): number {
  const { arrivalRate, serviceRate, servers, scvArrival, scvService } = queue
  const drain = servers * serviceRate - arrivalRate
  if (drain <= 0) return Number.POSITIVE_INFINITY
  return ((scvArrival + scvService) / 2) * (erlangC(servers, arrivalRate / serviceRate) / drain)
}
