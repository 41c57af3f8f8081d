import type { CoreMath } from '@trimtab/core'
import type { Application } from '../application.js'
import type { LatencyModel } from './latency-model.js'
import { erlangC, longestWait, throttled } from './limited-pod.js'

/**
 * M/G/c with Erlang C, the Allen–Cunneen correction for variability and CFS throttling.
 *
 * A thread runs at full speed while its quota lasts, so a limit of 1.3 cores is worth 1.3 servers.
 */
export class ThrottledLatency implements LatencyModel {
  readonly #math: CoreMath
  utilisation = 0
  meanWaitSeconds = 0
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

  prepare(application: Application, ratePerSecond: number, cores: number, windowSeconds: number): void {
    const { workSeconds: work, waitSeconds, variability } = application
    const serverSeconds = work / Math.min(1, cores)
    const servers = Math.max(1, cores)
    this.utilisation = (ratePerSecond * work) / cores
    this.#deviation = Math.sqrt(variability) * work
    this.#base = 1.3 * waitSeconds + work
    this.serviceSeconds = waitSeconds + throttled(work, cores)
    this.#maxWait = longestWait(application, ratePerSecond, cores, windowSeconds)
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

  quantile(p: number, normal: number): number {
    const work = this.#base + Math.max(-0.9 * this.#base, normal * this.#deviation)
    const tail = this.#waitProbability > 1 - p ? this.#math.log(this.#waitProbability / (1 - p)) / this.#decay : 0
    return throttled(work, this.#cores) + Math.min(tail, this.#maxWait)
  }
}
