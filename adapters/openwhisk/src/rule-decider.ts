import type { TenantRule } from '@trimtab/tasks/serverless'
import type { TenantDecider } from './tenants.js'

/** Each action's own rule decides, made when it is first seen: rules keep in mind what their function did. */
export function decideByRules(create: (action: string) => TenantRule): TenantDecider {
  const rules = new Map<string, TenantRule>()
  return {
    decide(action, telemetry, out) {
      const rule = rules.get(action) ?? create(action)
      rules.set(action, rule)
      rule.decide(telemetry, out)
    },
  }
}
