// What a run of many tenants on one platform is asked and tells.
import type { RunStory } from '../run/protocol.js'

export interface TenantsOptions {
  /** Name of an arena. */
  readonly arena: string
  /** Of learning. */
  readonly episodes: number
  readonly seed: number
}

export interface TenantsStart {
  readonly tenants: readonly string[]
  readonly steps: number
  readonly stepSeconds: number
}

/** Lists over controllers are in the order of the start, those over tenants in that of `tenants`. */
export interface TenantsStep {
  readonly step: number
  /** [controller][tenant] p99 over SLO; 0 without requests, −1 where the tenant is not there. */
  readonly p99OverSlo: readonly (readonly number[])[]
  /** [controller] tenants over their SLO, %; containers held by all; J of all steps so far, mean of the tenants. */
  readonly brokenPercent: readonly number[]
  readonly containers: readonly number[]
  readonly score: readonly number[]
}

export type TenantsEvent = RunStory<TenantsStart, TenantsStep>
