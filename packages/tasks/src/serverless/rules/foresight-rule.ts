import { createTenantTelemetry, type TenantAllocation, type TenantRule, type TenantTelemetry } from '../telemetry.js'

/** R of a function on average in a step that is still to come, from its true load: 1 is the next one; 0 behind the load's end. */
export type DemandAhead = (stepsAhead: number) => number

/**
 * What no rule can know, for scale: a rule that sizes by demand is shown the largest true demand of the steps to come instead of
 * what was measured. It knows the load, not the chance of arrivals.
 */
export class ForesightRule implements TenantRule {
  readonly name: string
  readonly #rule: TenantRule
  readonly #steps: number
  readonly #demandAhead: DemandAhead
  readonly #shown: TenantTelemetry = createTenantTelemetry()

  /** @param steps  how far it sees, at least 1 */
  constructor(rule: TenantRule, steps: number, demandAhead: DemandAhead) {
    this.name = `${rule.name}-foresight`
    this.#rule = rule
    this.#steps = steps
    this.#demandAhead = demandAhead
  }

  decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    Object.assign(this.#shown, t)
    let largest = 0
    for (let ahead = 1; ahead <= this.#steps; ahead++) largest = Math.max(largest, this.#demandAhead(ahead))
    this.#shown.demandContainers = largest
    this.#rule.decide(this.#shown, out)
  }

  beginEpisode(): void {
    this.#rule.beginEpisode()
  }
}
