// What a run of many tenants on one platform is asked and tells.
import type { LiveController, ResultTable } from '../run/controllers.js'

export interface TenantsOptions {
  /** Name of an arena. */
  readonly arena: string
  /** Of learning. */
  readonly episodes: number
  readonly seed: number
}

/** Lists over controllers are in the order of `start`, those over tenants in that of `tenants`. */
export type TenantsEvent =
  | { readonly type: 'note'; readonly text: string }
  | {
      readonly type: 'start'
      readonly controllers: readonly LiveController[]
      readonly tenants: readonly string[]
      readonly steps: number
      readonly stepSeconds: number
    }
  | {
      readonly type: 'step'
      readonly step: number
      /** [controller][tenant] p99 over SLO; 0 without requests, −1 where the tenant is not there. */
      readonly p99OverSlo: readonly (readonly number[])[]
      /** [controller] tenants over their SLO, %; containers held by all; J of all steps so far, mean of the tenants. */
      readonly brokenPercent: readonly number[]
      readonly containers: readonly number[]
      readonly score: readonly number[]
    }
  | { readonly type: 'done'; readonly table: ResultTable; readonly findings: readonly string[] }
