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
