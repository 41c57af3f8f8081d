import { type Core, mean } from '@trimtab/core'
import type { ServerlessPlatform } from '../platform.js'
import type { TenantRuleFamily } from './families.js'
import { judgeRule } from './judge.js'
import { type FoundSettings, searchSettings } from './settings-search.js'

/**
 * The settings of a family that earn the highest J = r − .3 · violations on training episodes, the same for all tenants.
 * @param platforms  of specs to learn from, at least one
 * @param seeds      of the episodes on each of them, at least one
 */
export function tuneTenantRule<Settings extends object>(
  core: Core,
  platforms: readonly ServerlessPlatform[],
  family: TenantRuleFamily<Settings>,
  seeds: readonly number[],
  seed: number,
): FoundSettings<Settings> {
  const episodes = seeds.flatMap((episode) => platforms.map((platform) => ({ platform, episode })))
  return searchSettings(core, family.ranges, seed, (settings, part01) => {
    const part = episodes.slice(0, Math.max(1, Math.round(part01 * episodes.length)))
    return mean(
      part.map(
        ({ platform, episode }) => judgeRule(platform, [episode], (_, site) => family.create(settings, site)).score,
      ),
    )
  })
}
