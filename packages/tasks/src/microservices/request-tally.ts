import { EXPIRED, REFUSED } from './request-pool.js'
import type { RequestTelemetry } from './telemetry.js'

/** How the requests of each type fared since the telemetry was last collected. */
export class RequestTally {
  readonly #names: readonly string[]
  // [types]
  readonly #arrivals: Float64Array
  readonly #served: Float64Array
  readonly #timedOut: Float64Array
  readonly #refused: Float64Array
  #latenciesMs: number[][]

  constructor(names: readonly string[]) {
    this.#names = names
    this.#arrivals = new Float64Array(names.length)
    this.#served = new Float64Array(names.length)
    this.#timedOut = new Float64Array(names.length)
    this.#refused = new Float64Array(names.length)
    this.#latenciesMs = names.map(() => [])
  }

  clear(): void {
    for (const counts of [this.#arrivals, this.#served, this.#timedOut, this.#refused]) counts.fill(0)
    this.#latenciesMs = this.#names.map(() => [])
  }

  arrived(type: number): void {
    this.#arrivals[type]!++
  }

  /** @param failed  0, `REFUSED` or `EXPIRED` */
  ended(type: number, latencyUs: number, timeoutUs: number, failed: number): void {
    if (failed === EXPIRED || latencyUs > timeoutUs) this.#timedOut[type]!++
    else if (failed === REFUSED) this.#refused[type]!++
    else this.#served[type]!++
    this.#latenciesMs[type]!.push((failed ? Math.max(latencyUs, timeoutUs) : latencyUs) / 1000)
  }

  telemetry(): RequestTelemetry[] {
    return this.#names.map((name, type) => ({
      name,
      arrivals: this.#arrivals[type]!,
      served: this.#served[type]!,
      timedOut: this.#timedOut[type]!,
      refused: this.#refused[type]!,
      latenciesMs: Float64Array.from(this.#latenciesMs[type]!).sort(),
    }))
  }

  save(): ArrayLike<number>[] {
    return [this.#arrivals, this.#served, this.#timedOut, this.#refused, ...this.#latenciesMs]
  }

  /** @param next  gives the parts of `save` in their order */
  load(next: () => Float64Array): void {
    for (const counts of [this.#arrivals, this.#served, this.#timedOut, this.#refused]) counts.set(next())
    this.#latenciesMs = this.#names.map(() => [...next()])
  }
}
