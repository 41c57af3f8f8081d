import { Problems } from '@trimtab/core'

/** One group of replicas, as it is when a pass begins. */
export interface EvictionLimitOptions {
  /** Replicas that the owner wants. */
  readonly configuredReplicas: number
  /** Pods that live, those that are pending included. */
  readonly livePods: number
  readonly pendingPods: number
  /** The share of the configured replicas that may be missing; default 0.5. */
  readonly evictionTolerance?: number
  /** Groups with fewer live pods are left alone; default 2. */
  readonly minReplicas?: number
}

/** How many pods of one group a pass may evict: as many as its tolerance, or one of a complete group that is too small for any. */
export class EvictionLimit {
  readonly #isLargeEnough: boolean
  readonly #running: number
  readonly #configured: number
  readonly #tolerated: number
  #evicted = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: EvictionLimitOptions) {
    const { configuredReplicas, livePods, pendingPods, evictionTolerance = 0.5, minReplicas = 2 } = options
    const problems = new Problems()
    for (const [name, value] of Object.entries({ configuredReplicas, livePods, pendingPods, minReplicas })) {
      problems.check(Number.isInteger(value) && value >= 0, `${name} must be a whole number >= 0, got ${value}`)
    }
    problems.check(pendingPods <= livePods, `pendingPods must be at most livePods ${livePods}, got ${pendingPods}`)
    const isShare = evictionTolerance >= 0 && evictionTolerance <= 1
    problems.check(isShare, `evictionTolerance must be a share 0 … 1, got ${evictionTolerance}`)
    problems.throwIfAny('eviction limit')
    this.#isLargeEnough = livePods >= minReplicas
    this.#running = livePods - pendingPods
    this.#configured = configuredReplicas
    this.#tolerated = Math.trunc(configuredReplicas * evictionTolerance)
  }

  /** A pending pod serves nobody: it may always go, out of a group that is large enough. */
  canEvict(isPending: boolean): boolean {
    if (!this.#isLargeEnough) return false
    if (isPending) return true
    const isWholeAndSmall = this.#tolerated === 0 && this.#running === this.#configured && this.#evicted === 0
    return isWholeAndSmall || this.#running - this.#evicted > this.#configured - this.#tolerated
  }

  /** Takes note that a pod was evicted. */
  noteEviction(isPending: boolean): void {
    if (!isPending) this.#evicted++
  }
}
