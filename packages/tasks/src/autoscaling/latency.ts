import type { CoreMath } from '@trimtab/core'
import type { Application } from './application.js'

const PERIOD_SECONDS = 0.1 // CFS bandwidth control's default period

/**
 * Latency of one replica as a closed form: M/G/c with Erlang C, the Allen–Cunneen correction for variability and CFS
 * throttling. `prepare` for a rate and a limit, then ask for quantiles. Allocates nothing.
 *
 * A thread runs at full speed while its quota lasts, so a limit of 1.3 cores is worth 1.3 servers.
 */
export class LatencyModel {
  readonly #math: CoreMath
  /** Work arriving per second over the limit; 1 and above is overload. */
  utilisation = 0
  /** Mean wait for a free core, seconds; capped by what one window can build up. */
  meanWaitSeconds = 0
  /** Mean time in service without waiting, seconds. */
  serviceSeconds = 0
  #cores = 1
  #base = 0
  #deviation = 0
  #waitProbability = 0
  #decay = 1
  #maxWait = 0

  constructor(math: CoreMath) {
    this.#math = math
  }

  /**
   * @param ratePerSecond  requests per second at this replica
   * @param cores          its CPU limit
   * @param windowSeconds  how long this has been going on: the stationary formula explodes near saturation, a window does not
   */
  prepare(application: Application, ratePerSecond: number, cores: number, windowSeconds: number): void {
    const { workSeconds: work, waitSeconds, variability } = application
    const serverSeconds = work / Math.min(1, cores)
    const servers = Math.max(1, cores)
    const load = ratePerSecond * work
    this.utilisation = load / cores
    this.#deviation = Math.sqrt(variability) * work
    this.#base = 1.3 * waitSeconds + work
    this.serviceSeconds = waitSeconds + throttled(work, cores)
    // What a window can pile up from empty: overload's drift plus a 99 % excursion of the arriving work, served at `cores`.
    const excursion = 2.33 * Math.sqrt(ratePerSecond * windowSeconds * (1 + variability)) * work
    this.#maxWait = (Math.max(0, load - cores) * windowSeconds + excursion) / cores
    this.#cores = cores
    if (this.utilisation < 1) {
      this.#waitProbability = erlangC(servers, this.utilisation * servers)
      this.#decay = (servers * (1 - this.utilisation) * 2) / (serverSeconds * (1 + variability))
    } else {
      this.#waitProbability = 1
      this.#decay = 1e-9
    }
    this.meanWaitSeconds = Math.min(this.#maxWait, this.#waitProbability / this.#decay)
  }

  /**
   * The latency that a share `p` of requests stays below, seconds.
   * @param p       0 < p < 1
   * @param normal  the standard normal's p-quantile (2.326 for 0.99)
   */
  quantile(p: number, normal: number): number {
    const work = this.#base + Math.max(-0.9 * this.#base, normal * this.#deviation)
    const tail = this.#waitProbability > 1 - p ? this.#math.log(this.#waitProbability / (1 - p)) / this.#decay : 0
    return throttled(work, this.#cores) + Math.min(tail, this.#maxWait)
  }
}

/** Time that `work` core-seconds of one thread take under a limit: full speed in the first quota, then waits for each next period. */
function throttled(work: number, cores: number): number {
  if (cores >= 1) return work
  const quota = cores * PERIOD_SECONDS
  return work <= quota ? work : work + (PERIOD_SECONDS - quota) * (work / quota - 1)
}

/** Probability that an arrival waits, for `servers` ≥ 1 (linear between whole numbers) and `load` in Erlangs below `servers`. */
function erlangC(servers: number, load: number): number {
  const whole = Math.floor(servers)
  const share = servers - whole
  if (share === 0) return wholeErlangC(whole, load)
  const above = wholeErlangC(whole + 1, load)
  return load >= whole ? share * above + (1 - share) : share * above + (1 - share) * wholeErlangC(whole, load)
}

function wholeErlangC(servers: number, load: number): number {
  let blocking = 1
  for (let k = 1; k <= servers; k++) blocking = (load * blocking) / (k + load * blocking)
  return blocking / (1 - (load / servers) * (1 - blocking))
}

/** The standard normal's quantile of .99. */
export const Z99 = 2.3263478740408408

/** The standard normal's quantile (Acklam's rational approximation, relative error 1.2e-9). */
export function normalQuantile(math: CoreMath, p: number): number {
  if (p < 0.02425) return tailQuantile(Math.sqrt(-2 * math.log(p)))
  if (p > 0.97575) return -tailQuantile(Math.sqrt(-2 * math.log(1 - p)))
  const q = p - 0.5
  return (q * polynomial(CENTRE_ABOVE, q * q)) / polynomial(CENTRE_BELOW, q * q)
}

/**
 * The standard normal's distribution function (Abramowitz and Stegun 7.1.26, absolute error 8e-8).
 */
export function normalCdf(math: CoreMath, z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const terms = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = 0.5 * terms * math.exp(-x * x)
  return z > 0 ? 1 - tail : tail
}

const tailQuantile = (q: number): number => polynomial(TAIL_ABOVE, q) / polynomial(TAIL_BELOW, q)

const CENTRE_ABOVE = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
]
const CENTRE_BELOW = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
]
const TAIL_ABOVE = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const TAIL_BELOW = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]

/** Horner's rule, highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0
  for (const c of coefficients) sum = sum * x + c
  return sum
}
