import { type CoreMath, erlangC } from '@trimtab/core'
import type { ContainerCounts } from './container-scaling.js'
import { type Sojourn, SojournTime } from './sojourn.js'

/** One tenant's step as its queue sees it. Rates are per second. */
export interface QueueStep extends ContainerCounts {
  arrivals: number
  /** Requests that waited when the step began. */
  backlog: number
  /** Requests a second that one container can serve; of one that none serves yet, when nothing slows it. */
  capacityPerContainer: number
  /** Requests a second that the invokers carry at most over the whole step. */
  carried: number
}

/** What came of it. */
export interface QueueOutcome {
  served: number
  dropped: number
  backlog: number
  /** NaN when there was no request. */
  p99Seconds: number
  /** Containers busy on average. */
  busy: number
}

/** How long a request is in a container: mean, and squared coefficient of variation. */
interface Holding {
  mean: number
  scv: number
}

// A wait is exponential with this many means at its p99.
const MEANS_AT_P99 = 4.605170185988091 // ln 100

/**
 * A tenant's queue over one step: fluid where containers come up or cannot keep up, M/G/c where they can. Requests that waited longer
 * than the timeout are given up. Allocates nothing.
 */
export class TenantQueue {
  readonly outcome: QueueOutcome = { served: 0, dropped: 0, backlog: 0, p99Seconds: Number.NaN, busy: 0 }
  readonly #stepSeconds: number
  readonly #timeoutSeconds: number
  readonly #time: SojournTime
  readonly #holding: Holding = { mean: 0, scv: 0 }

  constructor(math: CoreMath, stepSeconds: number, timeoutSeconds: number) {
    this.#time = new SojournTime(math)
    this.#stepSeconds = stepSeconds
    this.#timeoutSeconds = timeoutSeconds
  }

  /**
   * Fills `outcome`.
   * @param sojourn  times of a request in service; its wait is filled in here
   */
  live(step: Readonly<QueueStep>, sojourn: Sojourn): void {
    const { outcome } = this
    outcome.served = 0
    outcome.dropped = 0
    outcome.backlog = 0
    outcome.busy = 0
    outcome.p99Seconds = Number.NaN
    if (step.arrivals + step.backlog === 0) return
    holdingOf(sojourn, this.#holding)
    const delay = this.#flow(step)
    this.#setWait(step, sojourn)
    outcome.busy = (outcome.served * this.#holding.mean) / this.#stepSeconds
    outcome.p99Seconds = this.#p99(delay, sojourn)
  }

  /** The fluid's delay, then wait and service; together no wait is longer than the timeout. */
  #p99(delay: number, sojourn: Sojourn): number {
    const p99 = delay + this.#time.p99(sojourn)
    if (p99 <= this.#timeoutSeconds) return p99
    sojourn.waitProbability = 0
    return Math.min(p99, this.#timeoutSeconds + this.#time.p99(sojourn))
  }

  /**
   * Requests as a fluid: before and after the containers that are coming serve.
   * @returns the longest that one of them has to wait
   */
  #flow(step: Readonly<QueueStep>): number {
    const { arrivals, backlog, warm, coming, comingSeconds, later, laterSeconds, capacityPerContainer, carried } = step
    const seconds = this.#stepSeconds
    const before = warm * capacityPerContainer
    const after = before + coming * capacityPerContainer
    const change = coming > 0 ? comingSeconds : 0
    const atChange = Math.max(0, backlog + (arrivals * change) / seconds - before * change)
    const atEnd = Math.max(0, atChange + (arrivals * (seconds - change)) / seconds - after * (seconds - change))
    const served = Math.min(backlog + arrivals - atEnd, carried * seconds)
    const left = Math.max(0, backlog + arrivals - served)
    // What is left waits for all that will serve; more of it than the timeout allows is given up.
    const last = after + later * capacityPerContainer
    const longest = last * this.#timeoutSeconds
    this.outcome.served = served
    this.outcome.dropped = Math.max(0, left - longest)
    this.outcome.backlog = left - this.outcome.dropped
    if (last === 0) return this.#timeoutSeconds
    if (after === 0) return laterSeconds + left / last
    const first = before > 0 && backlog <= before * change ? backlog / before : undefined
    const atBeginning =
      change === 0 ? backlog / after : (first ?? change + Math.max(0, backlog - before * change) / after)
    return Math.max(atBeginning, atChange / after, left / after)
  }

  /** A request waits for the others: of the arrivals, one fewer than there are. */
  #setWait({ arrivals, warm, coming }: Readonly<QueueStep>, sojourn: Sojourn): void {
    const servers = warm + coming
    const rate = Math.max(0, arrivals - 1) / this.#stepSeconds
    sojourn.waitProbability = 0
    sojourn.waitSeconds = 0
    if (servers === 0 || rate === 0) return
    const { mean, scv } = this.#holding
    const load = rate * mean
    // What chance piles up within a step at its p99; the stationary wait explodes near saturation, a step does not.
    const excursion = 2.33 * Math.sqrt(rate * this.#stepSeconds * (1 + scv)) * (mean / servers)
    const longest = excursion / MEANS_AT_P99
    // Erlang C, and the mean wait of those who wait: Allen and Cunneen's correction for other than exponential service.
    sojourn.waitProbability = erlangC(servers, load)
    sojourn.waitSeconds = load < servers ? Math.min(longest, (mean * (1 + scv)) / (2 * (servers - load))) : longest
  }
}

/** Mean and variability of a request's time in its container, crowd and no crowd together. */
function holdingOf(sojourn: Readonly<Sojourn>, out: Holding): void {
  const { ioSeconds, freeSeconds, crowdedSeconds, crowdProbability: p, workScv } = sojourn
  const work = (1 - p) * freeSeconds + p * crowdedSeconds
  const square = ((1 - p) * freeSeconds * freeSeconds + p * crowdedSeconds * crowdedSeconds) * (1 + workScv)
  out.mean = ioSeconds + work
  out.scv = (square - work * work) / (out.mean * out.mean)
}
