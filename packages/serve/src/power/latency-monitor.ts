const DEFAULT_QUANTILE = 0.99 // where attainment is judged (6.4.1)
const DEFAULT_WINDOW_MS = 5000

export interface LatencyMonitorOptions {
  /** How far back finished requests count; 5 s by default. */
  readonly windowMs?: number
  /** Of the latencies in the window; 0.99 by default. */
  readonly quantile?: number
}

/**
 * Latency of one model as the frequency scaler needs it: the tail of what finished lately, or the age of the oldest request that
 * is still under way when that is more. So a clock that is too slow shows before the first late request is done.
 * Times in ms of any one clock, given by the caller, never falling.
 */
export class LatencyMonitor {
  readonly #windowMs: number
  readonly #quantile: number
  readonly #underWay = new Map<number, number>()
  readonly #finishedAt: number[] = []
  readonly #latencies: number[] = []
  #first = 0
  #tickets = 0

  constructor({ windowMs = DEFAULT_WINDOW_MS, quantile = DEFAULT_QUANTILE }: LatencyMonitorOptions = {}) {
    this.#windowMs = windowMs
    this.#quantile = quantile
  }

  /** A request arrived. @returns its ticket for `finished` */
  arrived(nowMs: number): number {
    this.#underWay.set(this.#tickets, nowMs)
    return this.#tickets++
  }

  /** It was answered; its latency counts for a window's length. An unknown ticket is ignored. */
  finished(ticket: number, nowMs: number): void {
    const arrivedMs = this.#underWay.get(ticket)
    if (arrivedMs === undefined) return
    this.#underWay.delete(ticket)
    this.#finishedAt.push(nowMs)
    this.#latencies.push(nowMs - arrivedMs)
  }

  /** It was cancelled or failed: its latency says nothing. */
  abandoned(ticket: number): void {
    this.#underWay.delete(ticket)
  }

  /** ms; 0 when nothing is under way and nothing finished in the window. */
  latencyMs(nowMs: number): number {
    while (this.#first < this.#finishedAt.length && this.#finishedAt[this.#first]! <= nowMs - this.#windowMs)
      this.#first++
    if (this.#first > 1024 && this.#first * 2 > this.#finishedAt.length) {
      this.#finishedAt.splice(0, this.#first)
      this.#latencies.splice(0, this.#first)
      this.#first = 0
    }
    const oldest = this.#underWay.values().next()
    const age = oldest.done ? 0 : nowMs - oldest.value
    const recent = this.#latencies.slice(this.#first).sort((a, b) => a - b)
    if (recent.length === 0) return age
    return Math.max(age, recent[Math.min(recent.length - 1, Math.ceil(this.#quantile * recent.length) - 1)]!)
  }
}
