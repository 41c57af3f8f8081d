import { StockRule } from '@trimtab/local'
import { DemandRule, type TenantRule } from '@trimtab/tasks/serverless'

// Chosen before anything was measured, for steps of about a second: room for chance, and the last burst is remembered for a while.
const DEMAND = { margin: 2, windowSteps: 20, shares: 1024, keepAliveSeconds: 10 } as const

/** By what functions can be scaled: a fresh rule for one function. */
export const SCALINGS = {
  stock: (): TenantRule => new StockRule(),
  rule: (): TenantRule => new DemandRule(DEMAND),
} as const

export type Scaling = keyof typeof SCALINGS

export const SCALING_NAMES: readonly Scaling[] = ['stock', 'rule']
