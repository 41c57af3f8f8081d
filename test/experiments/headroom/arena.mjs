// One arena: every rule tuned on some platforms and judged on others, and the same for rules that know the load.
import { LEARNING_PLATFORMS } from '@trimtab/studies'
import {
  arenaSpec,
  judgeRule,
  ServerlessPlatform,
  TENANT_RULE_FAMILIES,
  tuneTenantRule,
  withForesight,
} from '@trimtab/tasks/serverless'

const TUNING_SEED = 1
const CLAIRVOYANTS = TENANT_RULE_FAMILIES.filter(({ sizesByDemand }) => sizesByDemand).map(withForesight)
const numbers = (count) => Array.from({ length: count }, (_, i) => i)

/** What every rule came to: its settings, its score in training and a record for each seed. */
export function judgeArena(core, arena, { seeds, trainEpisodes, testEpisodes }, progress) {
  const train = LEARNING_PLATFORMS.map((seed) => new ServerlessPlatform(core, arenaSpec(core, arena, 'train', seed)))
  const tests = seeds.map((seed) => new ServerlessPlatform(core, arenaSpec(core, arena, 'test', seed)))
  const judge = (family, knowsLoad) => {
    progress(`${arena.name}: ${family.label}`)
    const { settings, score } = tuneTenantRule(core, train, family, numbers(trainEpisodes), TUNING_SEED)
    const records = tests.map((platform) =>
      judgeRule(platform, numbers(testEpisodes), (_, site) => family.create(settings, site)),
    )
    return { name: family.name, label: family.label, knowsLoad, settings, trainScore: score, records }
  }
  const { name, label, tenants } = arena
  const rules = [
    ...TENANT_RULE_FAMILIES.map((family) => judge(family, false)),
    ...CLAIRVOYANTS.map((family) => judge(family, true)),
  ]
  return { name, label, tenants, rules }
}
