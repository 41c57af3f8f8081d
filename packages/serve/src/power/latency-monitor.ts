const DEFAULT_QUANTILE = 0.99 // where attainment is judged (6.4.1)
const DEFAULT_WINDOW_MS = 60_000

/** Which latency the scaler is told: a quantile over a window. */
export interface LatencyMonitorOptions {
  /** How far back finished requests count; 60 s by default. */
  readonly windowMs?: number
  /** Of the latencies in the window; 0.99 by default. */
  readonly quantile?: number
}

interface UnderWay {
  readonly arrivedMs: number
  readonly expectedMs: number
}

/**
 * Latency of one model as the frequency scaler needs it: the tail of what finished lately, or what the requests under way are
 * heading for when that is more. So a clock that is too slow shows before the first late request is done.
 *
 * `slowdown` says how much longer a request takes at the present clocks than at their maximum, by the scaler's linear estimate (1 where
 * it is not known). Latencies are remembered as of the maximum clock, so that those measured at another clock still count.
 * Times in ms of any one clock, given by the caller, never falling.
 */
export class LatencyMonitor {
  readonly #windowMs: number
  readonly #quantile: number
  readonly #underWay = new Map<number, UnderWay>()
  readonly #finishedAt: number[] = []
  readonly #latencies: number[] = []
  #first = 0
  #tickets = 0
  #lastFinishMs = -Infinity

  constructor({ windowMs = DEFAULT_WINDOW_MS, quantile = DEFAULT_QUANTILE }: LatencyMonitorOptions = {}) {
    this.#windowMs = windowMs
    this.#quantile = quantile
  }

  /**
   * A request arrived.
   * @param expectedMs  how long it should run at the maximum clock, by the length predictor; 0 where nobody knows
   * @returns its ticket for `finished`
   */
  arrived(nowMs: number, expectedMs = 0): number {
    this.#underWay.set(this.#tickets, { arrivedMs: nowMs, expectedMs })
    return this.#tickets++
  }

  /** It was answered; its latency counts for a window's length. An unknown ticket is ignored. */
  finished(ticket: number, nowMs: number, slowdown = 1): void {
    const request = this.#underWay.get(ticket)
    if (!request) return
    this.#underWay.delete(ticket)
    this.#lastFinishMs = nowMs
    this.#finishedAt.push(nowMs)
    this.#latencies.push((nowMs - request.arrivedMs) / slowdown)
  }

  /** It was cancelled or failed: its latency says nothing. */
  abandoned(ticket: number): void {
    this.#underWay.delete(ticket)
  }

  /** ms at the present clocks; 0 when nothing is under way and nothing finished in the window. */
  latencyMs(nowMs: number, slowdown = 1): number {
    return Math.max(this.#recentMs(nowMs) * slowdown, this.#underWayMs(nowMs, slowdown))
  }

  #recentMs(nowMs: number): number {
    while (this.#first < this.#finishedAt.length && this.#finishedAt[this.#first]! <= nowMs - this.#windowMs)
      this.#first++
    if (this.#first > 1024 && this.#first * 2 > this.#finishedAt.length) {
      this.#finishedAt.splice(0, this.#first)
      this.#latencies.splice(0, this.#first)
      this.#first = 0
    }
    const recent = Float64Array.from(this.#latencies.slice(this.#first)).sort()
    return recent[Math.ceil(this.#quantile * recent.length) - 1] ?? 0
  }

  /** The largest latency that a request under way will have, served one after the other in order of arrival. */
  #underWayMs(nowMs: number, slowdown: number): number {
    let largest = 0
    let freeAtMs = -Infinity
    for (const { arrivedMs, expectedMs } of this.#underWay.values()) {
      if (freeAtMs === -Infinity) freeAtMs = Math.max(arrivedMs, this.#lastFinishMs)
      freeAtMs = Math.max(nowMs, freeAtMs + expectedMs * slowdown)
      largest = Math.max(largest, freeAtMs - arrivedMs)
    }
    return largest
  }
}
