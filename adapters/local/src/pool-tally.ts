import type { TenantTelemetry } from '@trimtab/tasks/serverless'
import { quantileOf } from './quantile.js'
import { TimeIntegral } from './time-integral.js'

/** The containers of a pool as they are. */
export interface PoolState {
  readonly busy: number
  /** Ready, whether or not they serve. */
  readonly warm: number
  readonly starting: number
  /** Those included that were told to end and are still there. */
  readonly alive: number
}

/** What a pool has used since it is there. */
export interface PoolTotals {
  readonly started: number
  readonly containerSeconds: number
  readonly cpuSeconds: number
}

const RECENT = 0.3 // weight of what came last in a mean that follows

/** Counts what happens to the requests and containers of a function, and says of each step what a rule wants to know. */
export class PoolTally {
  readonly #busy: TimeIntegral
  readonly #warm: TimeIntegral
  readonly #alive: TimeIntegral
  #last: { readonly nowMs: number; readonly busy: number; readonly warm: number; readonly cpuMs: number }
  #arrivals = 0
  #coldStarts = 0
  #latenciesMs: number[] = []
  // Of one request and of one start: as it was lately, for a step without any must not forget it.
  #runMs = Number.NaN
  #cpuMs = Number.NaN
  #startMs = Number.NaN
  #started = 0

  constructor(nowMs: number) {
    this.#busy = new TimeIntegral(nowMs)
    this.#warm = new TimeIntegral(nowMs)
    this.#alive = new TimeIntegral(nowMs)
    this.#last = { nowMs, busy: 0, warm: 0, cpuMs: 0 }
  }

  /** A request came. */
  arrived(): void {
    this.#arrivals++
  }

  /** A container was told to start. */
  starting(): void {
    this.#coldStarts++
    this.#started++
  }

  /** A container can serve, so long after its start. */
  ready(startMs: number): void {
    this.#startMs = follow(this.#startMs, startMs)
  }

  /** A call ran so long and took so much CPU time. */
  ran(runMs: number, cpuMs: number): void {
    this.#runMs = follow(this.#runMs, runMs)
    this.#cpuMs = follow(this.#cpuMs, cpuMs)
  }

  /** A request has ended, well or not, so long after it came. */
  ended(latencyMs: number): void {
    this.#latenciesMs.push(latencyMs)
  }

  /** From now on the pool is so. */
  note({ busy, warm, alive }: PoolState, nowMs: number): void {
    this.#busy.set(busy, nowMs)
    this.#warm.set(warm, nowMs)
    this.#alive.set(alive, nowMs)
  }

  /** @param cpuMs  of all its containers, those that are gone included */
  totals(nowMs: number, cpuMs: number): PoolTotals {
    const containerSeconds = this.#alive.upTo(nowMs) / 1000
    return { started: this.#started, containerSeconds, cpuSeconds: cpuMs / 1000 }
  }

  /**
   * Fills `out` with the step since the last call, as far as requests and containers say it.
   * @param cpuMs  as in `totals`
   */
  step(out: TenantTelemetry, nowMs: number, cpuMs: number): void {
    const { nowMs: sinceMs, busy, warm, cpuMs: cpuBeforeMs } = this.#last
    this.#last = { nowMs, busy: this.#busy.upTo(nowMs), warm: this.#warm.upTo(nowMs), cpuMs }
    const stepMs = Math.max(nowMs - sinceMs, 1)
    const perMs = this.#arrivals / stepMs
    const warmMs = this.#last.warm - warm
    out.stepSeconds = stepMs / 1000
    out.timeSeconds += stepMs / 1000
    out.arrivals = this.#arrivals
    out.demandCores = this.#arrivals === 0 ? 0 : perMs * this.#cpuMs
    out.demandContainers = this.#arrivals === 0 ? 0 : perMs * this.#runMs
    out.p99Ms = quantileOf(this.#latenciesMs, 0.99)
    out.usedCores = (cpuMs - cpuBeforeMs) / stepMs
    out.coldStarts = this.#coldStarts
    out.coldStartSeconds = this.#startMs / 1000
    out.dropped = 0 // whoever waits is served
    out.occupancy01 = warmMs > 0 ? (this.#last.busy - busy) / warmMs : Number.NaN
    out.ioShare01 = Math.max(0, 1 - this.#cpuMs / this.#runMs)
    this.#arrivals = 0
    this.#coldStarts = 0
    this.#latenciesMs = []
  }
}

const follow = (mean: number, value: number): number => (Number.isNaN(mean) ? value : mean + RECENT * (value - mean))
