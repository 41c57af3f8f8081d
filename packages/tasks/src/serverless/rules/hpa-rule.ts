import { WindowMax } from '../../window-max.js'
import { SHARES_PER_CORE } from '../invoker-sharing.js'
import type { TenantAllocation, TenantRule, TenantTelemetry } from '../telemetry.js'

/** What an `HpaRule` is set to. */
export interface HpaSettings {
  /** CPU used over what shares stand for, that it aims at. */
  readonly targetUtilisation01: number
  /** Fewer containers only when fewer were enough for so many steps. */
  readonly stabilizationSteps: number
  readonly shares: number
}

const TOLERANCE = 0.1 // Kubernetes' default

/** In the manner of Kubernetes' horizontal autoscaler on CPU: containers in proportion to use over target, and never none. */
export class HpaRule implements TenantRule {
  readonly name = 'hpa'
  readonly #settings: HpaSettings
  readonly #proposals: WindowMax

  constructor(settings: HpaSettings) {
    this.#settings = settings
    this.#proposals = new WindowMax(new Float64Array(1 + settings.stabilizationSteps))
  }

  decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    const { targetUtilisation01, shares } = this.#settings
    const target = (targetUtilisation01 * shares) / SHARES_PER_CORE // cores of a container
    const wanted = t.warmContainers > 0 ? t.usedCores / target : 1
    const isClose = Math.abs(wanted / t.warmContainers - 1) <= TOLERANCE
    const proposal = isClose || Number.isNaN(wanted) ? t.containers : Math.ceil(wanted)
    this.#proposals.push(Math.max(1, proposal))
    out.containers = this.#proposals.max()
    out.shares = shares
    out.keepAliveSeconds = 0
  }

  beginEpisode(): void {
    this.#proposals.clear()
  }
}
