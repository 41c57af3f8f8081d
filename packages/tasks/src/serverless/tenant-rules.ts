import type { ServerlessEnvironment } from './environment.js'
import type { TenantAllocation, TenantRule } from './telemetry.js'

/**
 * A rule for each tenant as one controller of an environment's agents: each decides by its tenant's telemetry, in the action that comes
 * closest. As a teacher, a baseline or a fallback; what rules ask for exactly, `ServerlessEnvironment.allocate` takes.
 */
export class TenantRules {
  readonly name: string
  readonly #environment: ServerlessEnvironment
  readonly #rules: readonly TenantRule[]
  readonly #wasPresent: boolean[]
  readonly #wanted: TenantAllocation = { containers: 0, shares: 0, keepAliveSeconds: 0 }

  /** @param createRule  a rule of its own for each tenant */
  constructor(environment: ServerlessEnvironment, createRule: (tenant: number) => TenantRule) {
    this.#environment = environment
    this.#rules = environment.views.map((_, i) => createRule(i))
    this.#wasPresent = this.#rules.map(() => false)
    this.name = this.#rules[0]!.name
  }

  /** Each rule begins anew as soon as its tenant is there. */
  beginEpisode(): void {
    this.#wasPresent.fill(false)
  }

  /** Fills `out` [N, A] from what the environment tells now; rows of `observations` [N, S] that hold NaN are not acted on: NaN. */
  decideMany(observations: Float32Array, out: Float32Array): void {
    const { platform, preset, views, scale, observation, action } = this.#environment
    const [states, size] = [observation.names.length, action.names.length]
    for (const [i, rule] of this.#rules.entries()) {
      const isPresent = platform.isPresent(i)
      if (isPresent && !this.#wasPresent[i]) rule.beginEpisode()
      this.#wasPresent[i] = isPresent
      if (!isPresent) out.fill(0, i * size, (i + 1) * size)
      else if (observations.subarray(i * states, (i + 1) * states).some(Number.isNaN))
        out.fill(Number.NaN, i * size, (i + 1) * size)
      else {
        rule.decide(views[i]!.telemetry, this.#wanted)
        preset.action.closest(this.#wanted, views[i]!, scale, out, i * size)
      }
    }
  }
}
