import type { CriticalPath } from '@trimtab/trace'

/** One request is kept for each step of this factor in latency. */
const STEP = 1.2
const SLOWEST = 3

export interface Exemplar {
  readonly path: CriticalPath
  /** Why this one is shown. */
  readonly role: string
}

/**
 * Whole requests to look at, of any number of them: the few slowest, and one of each size, so that the median and the
 * 99th percentile have one when all were seen. What is kept does not depend on the order of arrival.
 */
export class Exemplars {
  readonly #slowest: CriticalPath[] = []
  readonly #bySize = new Map<number, CriticalPath>()

  add(path: CriticalPath): void {
    const size = Math.round(Math.log(Math.max(path.latencyNs, 1)) / Math.log(STEP))
    const other = this.#bySize.get(size)
    if (!other || path.trace.traceId < other.trace.traceId) this.#bySize.set(size, path)
    this.#slowest.push(path)
    this.#slowest.sort((a, b) => b.latencyNs - a.latencyNs || (a.trace.traceId < b.trace.traceId ? -1 : 1))
    this.#slowest.length = Math.min(this.#slowest.length, SLOWEST)
  }

  get slowest(): CriticalPath | undefined {
    return this.#slowest[0]
  }

  /** The slowest, then one near each of the given latencies, each request once. */
  list(near: readonly { readonly role: string; readonly latencyNs: number }[]): Exemplar[] {
    const chosen = new Map<CriticalPath, string>()
    this.#slowest.forEach((path, i) => {
      chosen.set(path, i === 0 ? 'slowest' : `${i + 1}. slowest`)
    })
    if (this.#slowest.length === 1) chosen.set(this.#slowest[0]!, 'the request')
    const rest = [...this.#bySize.values()]
    for (const { role, latencyNs } of near) {
      const distance = ({ latencyNs: own }: CriticalPath) => Math.abs(own - latencyNs)
      const best = rest.reduce<CriticalPath | undefined>((a, b) => (a && distance(a) <= distance(b) ? a : b), undefined)
      if (best && !chosen.has(best)) chosen.set(best, role)
    }
    return Array.from(chosen, ([path, role]) => ({ path, role }))
  }
}
