import type { CoreMath } from '@trimtab/core'
import type { Application } from '../application.js'
import type { LatencyModel } from './latency-model.js'
import { erlangC, longestWait, PERIOD_SECONDS, throttled } from './limited-pod.js'

/** What is fitted to measured pods. */
export interface BurstingConstants {
  /** What a request takes beside its work and its I/O: balancer, sockets, event loops; seconds. */
  readonly overheadSeconds: number
  /** How far a pod gets ahead of its limit before it is stopped, in periods of CFS. */
  readonly burstPeriods: number
}

/** `npm run experiment -- latency-law` fits them again. */
export const BURSTING: BurstingConstants = { overheadSeconds: 0.0015, burstPeriods: 0.35 }

/**
 * The queue of `ThrottledLatency` where a pod runs at full speed until its quota is gone: a request waits for a thread, as in a pod
 * without a limit, or for the limit, as in a slow pod, less what the quota lets it do ahead; whichever is longer. I/O is exponential.
 */
export class BurstingLatency implements LatencyModel {
  readonly #math: CoreMath
  readonly #constants: BurstingConstants
  utilisation = 0
  meanWaitSeconds = 0
  serviceSeconds = 0
  #cores = 1
  #work = 0
  #io = 0
  #deviation = 0
  #threadProbability = 0
  #threadDecay = 1
  #limitProbability = 0
  #limitDecay = 1
  #maxWait = 0

  constructor(math: CoreMath, constants: BurstingConstants = BURSTING) {
    this.#math = math
    this.#constants = constants
  }

  prepare(application: Application, ratePerSecond: number, cores: number, windowSeconds: number): void {
    const { workSeconds: work, waitSeconds, variability } = application
    const { overheadSeconds, burstPeriods } = this.#constants
    const servers = Math.max(1, cores)
    const load = ratePerSecond * work
    this.utilisation = load / cores
    this.#cores = cores
    this.#work = work
    this.#io = waitSeconds
    this.#deviation = Math.sqrt(variability) * work
    this.serviceSeconds = overheadSeconds + waitSeconds + throttled(work, cores)
    this.#maxWait = longestWait(application, ratePerSecond, cores, windowSeconds)
    if (this.utilisation < 1) {
      const perRoom = 2 / (work * (1 + variability)) // how fast a wait's tail falls, for each server that is free
      this.#threadProbability = erlangC(servers, load)
      this.#threadDecay = (servers - load) * perRoom
      this.#limitProbability = erlangC(servers, this.utilisation * servers)
      this.#limitDecay = (cores - load) * perRoom
      const ahead = this.#math.exp(-this.#limitDecay * burstPeriods * PERIOD_SECONDS)
      const thread = this.#threadProbability / this.#threadDecay
      const limit = (this.#limitProbability * ahead) / this.#limitDecay
      this.meanWaitSeconds = Math.min(this.#maxWait, Math.max(thread, limit))
    } else {
      this.#threadProbability = 0
      this.#limitProbability = 1
      this.#limitDecay = 1e-9
      this.meanWaitSeconds = this.#maxWait
    }
  }

  quantile(p: number, normal: number): number {
    const { overheadSeconds, burstPeriods } = this.#constants
    const usual = throttled(this.#work, this.#cores)
    const work = this.#work + Math.max(-0.9 * this.#work, normal * this.#deviation)
    const io = -this.#math.log(1 - p) * this.#io
    const thread = this.#tail(p, this.#threadProbability, this.#threadDecay)
    const limit = this.#tail(p, this.#limitProbability, this.#limitDecay) - burstPeriods * PERIOD_SECONDS
    const wait = Math.min(this.#maxWait, Math.max(thread, limit, 0))
    // They seldom come together: deviations from the mean add up as independent ones do.
    const square = signedSquare(throttled(work, this.#cores) - usual) + signedSquare(io - this.#io) + wait * wait
    return overheadSeconds + this.#io + usual + Math.sign(square) * Math.sqrt(Math.abs(square))
  }

  #tail(p: number, probability: number, decay: number): number {
    return probability > 1 - p ? this.#math.log(probability / (1 - p)) / decay : 0
  }
}

const signedSquare = (x: number): number => x * Math.abs(x)
