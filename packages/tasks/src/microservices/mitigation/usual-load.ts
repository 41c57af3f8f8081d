import type { InstanceTelemetry } from '../telemetry.js'

const SURGE = 1.5 // of the usual arrivals
/** Part of a window in what is usual: while nobody names the instance, and while somebody does: what lasts becomes usual. */
const [CALM, NAMED] = [0.1, 0.02]

/** What is asked of an instance when all is well. Another process would have the same to do: it is no remedy for more load. */
export class UsualLoad {
  /** By service: arrivals a second, and of how many windows. */
  readonly #usual = new Map<string, { rate: number; windows: number }>()

  /** Takes a window of so many seconds. @param named  whom somebody names in it */
  learn(instances: Iterable<InstanceTelemetry>, named: ReadonlySet<string>, seconds: number): void {
    for (const { name, service, arrivals } of instances) {
      const rate = arrivals / seconds
      if (!Number.isFinite(rate)) continue
      const usual = this.#usual.get(service) ?? { rate, windows: 0 }
      usual.windows++
      usual.rate += (named.has(name) ? NAMED : Math.max(CALM, 1 / usual.windows)) * (rate - usual.rate)
      this.#usual.set(service, usual)
    }
  }

  /** Whether a window of so many seconds asks half as much again of an instance as is usual. */
  isExceeded({ service, arrivals }: InstanceTelemetry, seconds: number): boolean {
    return arrivals / seconds > SURGE * (this.#usual.get(service)?.rate ?? Number.POSITIVE_INFINITY)
  }
}
