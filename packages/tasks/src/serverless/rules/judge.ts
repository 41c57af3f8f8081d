import type { ServerlessPlatform } from '../platform.js'
import { type PlatformRecord, PlatformTally } from '../platform-tally.js'
import type { TenantAllocation, TenantRule } from '../telemetry.js'
import type { RuleSite } from './families.js'

/** Makes the rule of tenant `i`. */
export type MakeRule = (i: number, site: RuleSite) => TenantRule

/** Looks at a platform after a step. */
export type PlatformWatch = (platform: ServerlessPlatform) => void

/**
 * Lives through the episodes of some seeds, each tenant under a rule of its own.
 * @param platform  left at the end of the last episode
 */
export function judgeRule(
  platform: ServerlessPlatform,
  seeds: readonly number[],
  makeRule: MakeRule,
  onStep?: PlatformWatch,
): PlatformRecord {
  const { spec, telemetry } = platform
  const rules = spec.tenants.map((_, i) => makeRule(i, siteOf(platform, i)))
  const allocations = rules.map((): TenantAllocation => ({ containers: 0, shares: 0, keepAliveSeconds: 0 }))
  const tally = new PlatformTally()
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
      tally.note(platform)
      onStep?.(platform)
    }
  }
  return tally.record()
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
