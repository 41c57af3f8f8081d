import { scatter } from './distribution.js'
import type { ProfileTables } from './profile-tables.js'

/** What all cells of one profile are compared with. */
export class ProfileWindow {
  readonly tables: ProfileTables
  /** Requests of all endpoints. */
  readonly requests: number
  /** Σ latency */
  readonly latencyNs: number
  /** Σ over endpoints of the squared distances of latencies from the endpoint's mean. */
  readonly latencyScatter: number
  /** [endpoints] rows of `tables.endpoints` in the order of their names, in which sums are taken. */
  readonly endpoints: Int32Array
  readonly #scatters: ReadonlyMap<number, number>

  /** @param rank  [call paths] place of each in the order of their names */
  constructor(tables: ProfileTables, rank: Int32Array) {
    const { endpoints } = tables
    this.tables = tables
    this.endpoints = Int32Array.from({ length: endpoints.size }, (_, endpoint) => endpoint).sort(
      (a, b) => rank[endpoints.paths.first(a)]! - rank[endpoints.paths.first(b)]!,
    )
    const scatters = new Map<number, number>()
    let requests = 0
    let latencyNs = 0n
    let latencyScatter = 0
    for (const endpoint of this.endpoints) {
      const { requests: own, sum, squares } = endpoints.latencySums(endpoint)
      const ownScatter = Number(scatter(own, sum, sum, squares)) / own
      scatters.set(endpoints.paths.first(endpoint), ownScatter)
      requests += own
      latencyNs += sum
      latencyScatter += ownScatter
    }
    this.requests = requests
    this.latencyNs = Number(latencyNs)
    this.latencyScatter = latencyScatter
    this.#scatters = scatters
  }

  /** Σ of squared distances of the endpoint's latencies from their mean; undefined where no request started with `path`. */
  scatterOf(path: number): number | undefined {
    return this.#scatters.get(path)
  }
}
