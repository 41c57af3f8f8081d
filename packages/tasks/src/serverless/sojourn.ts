import type { CoreMath } from '@trimtab/core'
import { normalCdf, Z99 } from '../normal.js'
import type { FunctionProfile } from './function-profile.js'

/** What decides how long a request takes, all times in seconds. */
export interface Sojourn {
  /** I/O of a request. */
  ioSeconds: number
  /** Mean CPU time of a request while cores are free, and while they are crowded. */
  freeSeconds: number
  crowdedSeconds: number
  /** How probable it is that a request finds them crowded. */
  crowdProbability: number
  /** Squared coefficient of variation of the work. */
  workScv: number
  /** How probable it is that a request waits for a container, and for how long if it does: mean of an exponential. */
  waitProbability: number
  waitSeconds: number
}

const HALVINGS = 30
const CASES = 4

/**
 * The p99 of wait and service as one distribution, not as a sum of two p99s. A request waits or not and meets a crowd or not: in
 * each of the four cases its time beyond I/O is a gamma distribution of the case's mean and variance (Wilson and Hilferty's
 * approximation, within 1 % at p99 for shapes from .5), and the p99 is that of their mixture. Allocates nothing.
 */
export class SojournTime {
  readonly #math: CoreMath
  readonly #share: Float64Array = new Float64Array(CASES)
  readonly #root: Float64Array = new Float64Array(CASES) // cube root of the mean
  readonly #spread: Float64Array = new Float64Array(CASES) // 1 / (9 shape)

  constructor(math: CoreMath) {
    this.#math = math
  }

  /** Seconds that 99 % of requests stay below. */
  p99(sojourn: Readonly<Sojourn>): number {
    const { freeSeconds, crowdedSeconds, crowdProbability, waitProbability, waitSeconds } = sojourn
    this.#setCase(0, (1 - waitProbability) * (1 - crowdProbability), freeSeconds, 0, sojourn.workScv)
    this.#setCase(1, (1 - waitProbability) * crowdProbability, crowdedSeconds, 0, sojourn.workScv)
    this.#setCase(2, waitProbability * (1 - crowdProbability), freeSeconds, waitSeconds, sojourn.workScv)
    this.#setCase(3, waitProbability * crowdProbability, crowdedSeconds, waitSeconds, sojourn.workScv)
    // A mixture's quantile lies between those of its parts. Searched on the scale of cube roots, where each part is normal.
    let low = Number.POSITIVE_INFINITY
    let high = 0
    for (let i = 0; i < CASES; i++) {
      if (this.#share[i] === 0) continue
      const quantile = this.#root[i]! * (1 - this.#spread[i]! + Z99 * Math.sqrt(this.#spread[i]!))
      low = Math.min(low, quantile)
      high = Math.max(high, quantile)
    }
    for (let i = 0; i < HALVINGS && high - low > 1e-9 * high; i++) {
      const middle = (low + high) / 2
      if (this.#tail(middle) > 0.01) low = middle
      else high = middle
    }
    return sojourn.ioSeconds + high * high * high
  }

  #setCase(i: number, share: number, work: number, wait: number, scv: number): void {
    const mean = work + wait
    this.#share[i] = share
    this.#root[i] = share === 0 ? 0 : this.#math.pow(mean, 1 / 3)
    this.#spread[i] = (work * work * scv + wait * wait) / (9 * mean * mean)
  }

  /** How probable it is that a time's cube root is above `root`. */
  #tail(root: number): number {
    let tail = 0
    for (let i = 0; i < CASES; i++) {
      if (this.#share[i] === 0) continue
      const spread = this.#spread[i]!
      tail += this.#share[i]! * normalCdf(this.#math, (1 - spread - root / this.#root[i]!) / Math.sqrt(spread))
    }
    return tail
  }
}

/** The p99 of a function alone on an idle invoker of speed 1, warm, milliseconds: what SLOs are multiples of. */
export function isolatedP99Ms(math: CoreMath, { workSeconds, workScv, ioSeconds }: FunctionProfile): number {
  const alone = { ioSeconds, freeSeconds: workSeconds, crowdedSeconds: workSeconds, crowdProbability: 0, workScv }
  return 1000 * new SojournTime(math).p99({ ...alone, waitProbability: 0, waitSeconds: 0 })
}
