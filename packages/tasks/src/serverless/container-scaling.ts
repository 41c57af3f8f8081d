import type { ContainerTable } from './container-table.js'
import type { FunctionProfile } from './function-profile.js'
import type { TenantStates } from './tenant-states.js'

/** A tenant's containers as a step of `stepSeconds` meets them. */
export interface ContainerCounts {
  /** They serve from the beginning. */
  warm: number
  /** They come up within the step, after `comingSeconds`. */
  coming: number
  comingSeconds: number
  /** They come up after its end, the first after `laterSeconds` from its beginning. */
  later: number
  laterSeconds: number
}

/** Brings a platform's containers to what is asked for, and lets time pass over them. Linear in containers. N: tenants. */
export class ContainerScaling {
  readonly #table: ContainerTable
  readonly #having: Int32Array // [N]: containers, warm or starting

  constructor(table: ContainerTable, tenants: number) {
    this.#table = table
    this.#having = new Int32Array(tenants)
  }

  /** Containers of tenant `i`, warm or starting, since the last `removeSurplus`. */
  having(i: number): number {
    return this.#having[i]!
  }

  /** Newest first: what is still starting, unless requests wait for it, and what has been idle for long. All of a tenant that left. */
  removeSurplus({ containers, keepAlive, backlog, present }: Readonly<TenantStates>): void {
    const having = this.#having.fill(0)
    const { count, tenant, startingSeconds, idleSeconds } = this.#table
    for (let row = 0; row < count; row++) having[tenant[row]!]!++
    if (having.every((some, i) => some <= containers[i]!)) return
    this.#table.remove((row) => {
      const i = tenant[row]!
      if (having[i]! <= containers[i]!) return false
      const isNeeded = startingSeconds[row]! > 0 ? backlog[i]! > 0 : idleSeconds[row]! < keepAlive[i]!
      if (isNeeded && present[i] === 1) return false
      having[i]!--
      return true
    })
  }

  /**
   * Starts containers of tenant `i` until it has so many, as far as there is room.
   * @returns how many were started
   */
  startUpTo(i: number, containers: number, profile: FunctionProfile): number {
    const before = this.#having[i]!
    while (this.#having[i]! < containers && this.#table.start(i, profile)) this.#having[i]!++
    return this.#having[i]! - before
  }

  /** Fills `out` [N]. */
  count(stepSeconds: number, out: readonly ContainerCounts[]): void {
    for (const counts of out) {
      counts.warm = 0
      counts.coming = 0
      counts.comingSeconds = 0
      counts.later = 0
      counts.laterSeconds = Number.POSITIVE_INFINITY
    }
    const { count, tenant, startingSeconds } = this.#table
    for (let row = 0; row < count; row++) {
      const counts = out[tenant[row]!]!
      const seconds = startingSeconds[row]!
      if (seconds === 0) counts.warm++
      else if (seconds < stepSeconds) {
        counts.coming++
        counts.comingSeconds = Math.max(counts.comingSeconds, seconds)
      } else {
        counts.later++
        counts.laterSeconds = Math.min(counts.laterSeconds, seconds)
      }
    }
  }

  /**
   * A step passes. A tenant's oldest containers serve first, so that the others can become idle.
   * @param serving   how many of each tenant served [N]; counted down
   * @param starting  how many of each are still starting [N]; filled here
   */
  age(stepSeconds: number, serving: Int32Array, starting: Int32Array): void {
    const { count, tenant, startingSeconds, idleSeconds } = this.#table
    starting.fill(0)
    for (let row = 0; row < count; row++) {
      const i = tenant[row]!
      startingSeconds[row] = Math.max(0, startingSeconds[row]! - stepSeconds)
      if (startingSeconds[row]! > 0) starting[i]!++
      else if (serving[i]! > 0) {
        serving[i]!--
        idleSeconds[row] = 0
      } else idleSeconds[row]! += stepSeconds
    }
  }
}
