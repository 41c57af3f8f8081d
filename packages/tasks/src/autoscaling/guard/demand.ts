import { FormatError } from '@trimtab/core'
import type { Telemetry } from '../telemetry.js'

const SATURATED = 0.93 // of the ready cores in use: what was asked may have been more
const WORK_MEMORY = 0.02 // what an unsaturated step adds to the estimate of work per request: 50 steps
const FIT_MEMORY = 1 / 2880 // what a step adds to the fit of memory: half a day
const KNOWN_VARIATION = 0.1 ** 2 // squared relative variation of the requests per pod at which the slope is half believed
const CATCHING_UP = 1.25 // times the work of the step's own requests: more than sensors' noise, so it is served from a queue

/**
 * What the load asks for, told from what was measured under whatever allocation was in force: cores, and memory of a replica as a
 * line over the requests that each one gets. Steps in which the system was saturated say nothing about either.
 */
export class Demand {
  /** Cores that the step's requests ask for, whatever was there to serve them. */
  cores = 0
  /** Whether the last step was served without a queue left over, as measured. */
  isClear = true
  #work = 0 // core-seconds of a request
  #weight = 0
  // Exponentially weighted means of x = requests per second and pod, y = MiB of one.
  #x = 0
  #y = 0
  #xx = 0
  #xy = 0

  /** Takes in a step. */
  observe(t: Readonly<Telemetry>): void {
    const ready = Math.max(1, t.readyReplicas)
    const expected = this.#work * t.ratePerSecond
    const isSaturated = t.droppedRequests > 0 || t.usedCores > SATURATED * ready * t.coresPerReplica
    const isCatchingUp = this.#work > 0 && !this.isClear && t.usedCores > CATCHING_UP * expected
    this.isClear = t.oomKills === 0 && !isSaturated && !isCatchingUp
    if (!this.isClear) {
      this.cores = this.#work > 0 ? expected : t.usedCores
      return
    }
    this.cores = t.usedCores
    if (t.ratePerSecond > 0) {
      const work = t.usedCores / t.ratePerSecond
      this.#work = this.#work > 0 ? this.#work + WORK_MEMORY * (work - this.#work) : work
    }
    const x = t.ratePerSecond / ready
    const y = t.usedMemoryMiB
    this.#weight += FIT_MEMORY * (1 - this.#weight)
    const share = FIT_MEMORY / this.#weight
    this.#x += share * (x - this.#x)
    this.#y += share * (y - this.#y)
    this.#xx += share * (x * x - this.#xx)
    this.#xy += share * (x * y - this.#xy)
  }

  /**
   * Memory of one replica, MiB, were the step's requests spread over `replicas`. Where too little variation was seen to know the
   * slope, what grows is taken to grow in proportion and what shrinks not to shrink.
   */
  memoryMiB(t: Readonly<Telemetry>, replicas: number): number {
    const ready = Math.max(1, t.readyReplicas)
    const x = t.ratePerSecond / Math.max(1, replicas)
    const from = t.ratePerSecond / ready
    if (this.isClear || this.#weight === 0) return Math.max(0, t.usedMemoryMiB + this.#slope(x > from) * (x - from))
    // Under a queue the reading is too high: the line, and after a kill no less than the limit that was too little.
    const line = this.#y + this.#slope(x > this.#x) * (x - this.#x)
    const killed = t.oomKills > 0 ? t.memoryMiBPerReplica * Math.min(1, from > 0 ? x / from : 1) : 0
    return Math.max(0, line, killed)
  }

  #slope(isUp: boolean): number {
    if (this.#weight === 0 || this.#x <= 0) return 0
    const variance = Math.max(0, this.#xx - this.#x * this.#x)
    const steepest = this.#y / this.#x // a line through 0: nothing is used by an idle pod
    const slope = Math.min(steepest, Math.max(0, (this.#xy - this.#x * this.#y) / Math.max(variance, 1e-12)))
    const known = variance / (variance + KNOWN_VARIATION * this.#x * this.#x)
    return known * slope + (isUp ? (1 - known) * steepest : 0)
  }

  /** Nothing is known. */
  reset(): void {
    this.load([0, 1, 0, 0, 0, 0, 0, 0])
  }

  /** Eight numbers. */
  save(): number[] {
    const { cores, isClear } = this
    return [cores, isClear ? 1 : 0, this.#work, this.#weight, this.#x, this.#y, this.#xx, this.#xy]
  }

  /** Goes on from what `save` gave. @throws {FormatError} `guard_state_invalid`, changing nothing */
  load(numbers: readonly number[]): void {
    if (numbers.length !== 8 || !numbers.every((value) => Number.isFinite(value) && value >= 0)) {
      throw new FormatError('guard_state_invalid', 'what a shadow knew of the demand must be 8 numbers >= 0')
    }
    const [cores, isClear, work, weight, x, y, xx, xy] = numbers as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    this.cores = cores
    this.isClear = isClear !== 0
    this.#work = work
    this.#weight = weight
    this.#x = x
    this.#y = y
    this.#xx = xx
    this.#xy = xy
  }
}
