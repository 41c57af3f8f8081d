import { heldContainers, isSloViolation, tenantValue, VIOLATION_PRICE } from '../outcome.js'
import type { ServerlessPlatform } from '../platform.js'
import type { TenantAllocation, TenantRule } from '../telemetry.js'
import type { RuleSite } from './families.js'

/** What a platform came to under some rule: means over the steps of all tenants that were there, unless told otherwise. */
export interface PlatformRecord {
  /** J = reward − .3 · violations. */
  readonly score: number
  /** r = .7 SP + .3 mean RU. */
  readonly reward: number
  /** Share of steps that broke the SLO, and that of the tenant with the largest one. */
  readonly violation01: number
  readonly worstViolation01: number
  /** Mean of p99 over SLO, of steps with requests. */
  readonly p99OverSlo: number
  /** Shares of a container, and containers held. */
  readonly shares: number
  readonly containers: number
  /** Starts of containers in an hour. */
  readonly coldStartsPerHour: number
  /** Memory that containers hold. */
  readonly memoryMiB: number
}

/** Makes the rule of tenant `i`. */
export type MakeRule = (i: number, site: RuleSite) => TenantRule

/**
 * Lives through the episodes of some seeds, each tenant under a rule of its own.
 * @param platform  left at the end of the last episode
 */
export function judgeRule(platform: ServerlessPlatform, seeds: readonly number[], makeRule: MakeRule): PlatformRecord {
  const { spec, telemetry } = platform
  const rules = spec.tenants.map((_, i) => makeRule(i, siteOf(platform, i)))
  const allocations = rules.map((): TenantAllocation => ({ containers: 0, shares: 0, keepAliveSeconds: 0 }))
  const steps = new Float64Array(rules.length) // of each tenant
  const violations = new Float64Array(rules.length)
  const sums = { reward: 0, p99OverSlo: 0, busySteps: 0, shares: 0, containers: 0, coldStarts: 0, memoryMiB: 0 }
  for (const seed of seeds) {
    platform.reset(seed)
    const wasPresent = rules.map(() => false)
    for (let step = 0; step < spec.episodeSteps; step++) {
      for (const [i, rule] of rules.entries()) {
        if (platform.isPresent(i) && !wasPresent[i]) rule.beginEpisode()
        wasPresent[i] = platform.isPresent(i)
        if (wasPresent[i]) rule.decide(telemetry[i]!, allocations[i]!)
      }
      platform.step(allocations)
      for (const [i, t] of telemetry.entries()) {
        if (!platform.isPresent(i)) continue
        steps[i]!++
        if (isSloViolation(t)) violations[i]!++
        sums.reward += tenantValue(t)
        if (t.p99Ms > 0) {
          sums.p99OverSlo += t.p99Ms / t.sloMs
          sums.busySteps++
        }
        sums.shares += t.shares
        sums.containers += heldContainers(t)
        sums.coldStarts += t.coldStarts
        sums.memoryMiB += heldContainers(t) * t.memoryMiBPerContainer
      }
    }
  }
  const all = steps.reduce((a, b) => a + b, 0)
  const reward = sums.reward / all
  const violation01 = violations.reduce((a, b) => a + b, 0) / all
  return {
    ...{ score: reward - VIOLATION_PRICE * violation01, reward, violation01 },
    worstViolation01: Math.max(...violations.map((count, i) => (steps[i]! > 0 ? count / steps[i]! : 0))),
    p99OverSlo: sums.p99OverSlo / sums.busySteps,
    shares: sums.shares / all,
    containers: sums.containers / all,
    coldStartsPerHour: (3600 * sums.coldStarts) / (all * spec.stepSeconds),
    memoryMiB: sums.memoryMiB / all,
  }
}

/** What a rule of tenant `i` may be told. */
export function siteOf(platform: ServerlessPlatform, i: number): RuleSite {
  return {
    sloFactor: platform.spec.sloFactor,
    demandAhead: (stepsAhead) => {
      const { workSeconds, ioSeconds } = platform.functions[i]!
      return platform.ratePerSecond(i, stepsAhead) * (workSeconds + ioSeconds)
    },
  }
}
