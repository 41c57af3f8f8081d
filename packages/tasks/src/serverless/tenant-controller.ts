import type { Controller } from '@trimtab/core'
import type { ServerlessEnvironment } from './environment.js'
import type { TenantAllocation, TenantRule } from './telemetry.js'

/**
 * A tenant's rule as the controller of its agent: it decides by the tenant's telemetry, in the action that comes closest. A teacher, a
 * baseline or a fallback; what rules ask for exactly, `ServerlessEnvironment.allocate` takes.
 *
 * @example
 * imitateMany(agent, (i) => new TenantController(environment, i, new DemandRule(settings)), environment)
 */
export class TenantController implements Controller {
  readonly name: string
  readonly #environment: ServerlessEnvironment
  readonly #tenant: number
  readonly #rule: TenantRule
  readonly #wanted: TenantAllocation = { containers: 0, shares: 0, keepAliveSeconds: 0 }
  readonly #action: Float32Array // the last one
  #wasPresent = false

  /** @param rule  of this tenant alone */
  constructor(environment: ServerlessEnvironment, tenant: number, rule: TenantRule) {
    this.name = rule.name
    this.#environment = environment
    this.#tenant = tenant
    this.#rule = rule
    this.#action = new Float32Array(environment.action.names.length)
  }

  /** The rule begins anew as soon as its tenant is there. */
  beginEpisode(): void {
    this.#wasPresent = false
  }

  /** Fills `out` [A]; with NaN, to hold, where the observation has one: of a tenant that is not there, too. */
  decide(observation: Float32Array, out: Float32Array): void {
    const { platform, preset, views, scale } = this.#environment
    const isPresent = platform.isPresent(this.#tenant)
    if (isPresent && !this.#wasPresent) this.#rule.beginEpisode()
    this.#wasPresent = isPresent
    if (observation.some(Number.isNaN)) {
      out.fill(Number.NaN)
      return
    }
    const view = views[this.#tenant]!
    this.#rule.decide(view.telemetry, this.#wanted)
    preset.action.closest(this.#wanted, view, scale, this.#action, 0)
    out.set(this.#action)
  }
}
