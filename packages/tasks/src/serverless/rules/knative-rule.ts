import type { TenantAllocation, TenantRule, TenantTelemetry } from '../telemetry.js'
import { WindowMean } from './window-mean.js'

/** What a `KnativeRule` is set to. */
export interface KnativeSettings {
  /** Requests of a container at once that it aims at; a container takes one. */
  readonly targetConcurrency: number
  /** Windows over which concurrency is averaged. */
  readonly stableSteps: number
  readonly panicSteps: number
  /** It panics where the short window asks for so many times the warm containers. */
  readonly panicThreshold: number
  readonly shares: number
}

const LEAST_STEP_DOWN = 0.5 // Knative's max-scale-down-rate of 2: not fewer than half of what is there at once
const GRACE_SECONDS = 30 // scale-to-zero-grace-period

/**
 * In the manner of Knative's autoscaler: containers for the mean concurrency of a stable window; a much larger one in a short window
 * is a panic, in which containers only become more until it has been calm for a stable window.
 */
export class KnativeRule implements TenantRule {
  readonly name = 'knative'
  readonly #settings: KnativeSettings
  readonly #stable: WindowMean
  readonly #panic: WindowMean
  #panicStepsLeft = 0

  constructor(settings: KnativeSettings) {
    this.#settings = settings
    this.#stable = new WindowMean(settings.stableSteps)
    this.#panic = new WindowMean(Math.min(settings.panicSteps, settings.stableSteps))
  }

  decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    const { targetConcurrency, stableSteps, panicThreshold, shares } = this.#settings
    const serving = t.warmContainers > 0 ? t.occupancy01 * t.warmContainers : 0
    const concurrency = serving + t.queued
    this.#stable.push(concurrency)
    this.#panic.push(concurrency)
    const stable = Math.ceil(this.#stable.mean / targetConcurrency)
    const panic = Math.ceil(this.#panic.mean / targetConcurrency)
    const isPanic = panic >= panicThreshold * Math.max(1, t.warmContainers)
    this.#panicStepsLeft = isPanic ? stableSteps : Math.max(0, this.#panicStepsLeft - 1)
    out.containers =
      this.#panicStepsLeft > 0
        ? Math.max(t.containers, stable, panic)
        : Math.max(stable, Math.floor(LEAST_STEP_DOWN * t.warmContainers))
    out.shares = shares
    out.keepAliveSeconds = GRACE_SECONDS
  }

  beginEpisode(): void {
    this.#stable.clear()
    this.#panic.clear()
    this.#panicStepsLeft = 0
  }
}
