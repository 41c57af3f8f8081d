import type { TenantAllocation, TenantRule } from '@trimtab/tasks/serverless'
import type { TenantDecider } from './run-tenants.js'

/** What a rule leaves as it says nothing of it. */
const AS_IT_IS: TenantAllocation = { containers: Number.NaN, shares: Number.NaN, keepAliveSeconds: Number.NaN }

/**
 * Each function's own rule decides, made when it is first seen and forgotten when it is gone: rules keep in mind what their function did.
 * One whose demand is not known is left as it is (`demand_unknown`).
 */
export function decideByRules(create: (name: string) => TenantRule): TenantDecider {
  const rules = new Map<string, TenantRule>()
  const ruleOf = (name: string): TenantRule => {
    const known = rules.get(name)
    if (known) return known
    const rule = create(name)
    rule.beginEpisode()
    rules.set(name, rule)
    return rule
  }
  return {
    decide(telemetry) {
      const allocations = new Map<string, TenantAllocation>()
      const fallbacks = new Map<string, string>()
      for (const name of rules.keys()) if (!telemetry.has(name)) rules.delete(name)
      for (const [name, its] of telemetry) {
        if (Number.isNaN(its.demandContainers)) {
          fallbacks.set(name, 'demand_unknown') // what rules keep in mind must not be spoilt by it
          continue
        }
        const allocation = { ...AS_IT_IS }
        ruleOf(name).decide(its, allocation)
        allocations.set(name, allocation)
      }
      return { allocations, fallbacks }
    },
  }
}
