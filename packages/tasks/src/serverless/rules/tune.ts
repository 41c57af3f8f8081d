import type { Core } from '@trimtab/core'
import type { ServerlessPlatform } from '../platform.js'
import type { TenantRuleFamily } from './families.js'
import { judgeRule } from './judge.js'
import { type FoundSettings, searchSettings } from './settings-search.js'

/**
 * The settings of a family that earn the highest J = r − .3 · violations on training episodes, the same for all tenants.
 * @param platform  of a spec to learn from
 * @param seeds     of the episodes, at least one
 */
export function tuneTenantRule<Settings extends object>(
  core: Core,
  platform: ServerlessPlatform,
  family: TenantRuleFamily<Settings>,
  seeds: readonly number[],
  seed: number,
): FoundSettings<Settings> {
  return searchSettings(core, family.ranges, seed, (settings, part01) => {
    const part = seeds.slice(0, Math.max(1, Math.round(part01 * seeds.length)))
    return judgeRule(platform, part, (_, site) => family.create(settings, site)).score
  })
}
