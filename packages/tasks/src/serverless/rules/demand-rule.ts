import { WindowMax } from '../../window-max.js'
import type { TenantAllocation, TenantRule, TenantTelemetry } from '../telemetry.js'
import { containersFor } from './containers-for.js'

/** What a `DemandRule` is set to. */
export interface DemandSettings {
  /** c in R + c√R. */
  readonly margin: number
  /** R is the largest of so many steps. */
  readonly windowSteps: number
  /** CPU shares of each container. */
  readonly shares: number
  readonly keepAliveSeconds: number
}

/** R + c√R containers for the largest demand of the last steps, at fixed shares: the default, and the fallback of whatever learns. */
export class DemandRule implements TenantRule {
  readonly name = 'demand'
  readonly #settings: DemandSettings
  readonly #demand: WindowMax

  constructor(settings: DemandSettings) {
    this.#settings = settings
    this.#demand = new WindowMax(new Float64Array(1 + settings.windowSteps))
  }

  decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    const { margin, shares, keepAliveSeconds } = this.#settings
    this.#demand.push(t.demandContainers)
    out.containers = containersFor(this.#demand.max(), margin)
    out.shares = shares
    out.keepAliveSeconds = keepAliveSeconds
  }

  beginEpisode(): void {
    this.#demand.clear()
  }
}
