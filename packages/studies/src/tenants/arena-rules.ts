import { type Core, mean } from '@trimtab/core'
import {
  arenaSpec,
  judgeRule,
  type PlatformRecord,
  SERVERLESS_ARENAS,
  ServerlessPlatform,
  TENANT_RULE_FAMILIES,
  type TenantRuleFamily,
  tuneTenantRule,
  withForesight,
} from '@trimtab/tasks/serverless'
import { LEARNING_PLATFORMS, VALIDATION_PLATFORMS, VALIDATION_SEEDS } from './platforms.js'

/** Which rules are tuned and judged: those of one arena. Cloneable. */
export interface ArenaRulesSpec {
  /** Name of an arena. */
  readonly arena: string
  /** Of the platforms that judge. */
  readonly seeds: readonly number[]
  /** On each platform that rules are tuned on. */
  readonly trainEpisodes: number
  readonly judgedEpisodes: number
  /** Names of the kinds of rules that are tuned; left out: all, and those that know the load. */
  readonly families?: readonly string[]
}

/** One kind of rule, tuned, and what it came to. */
export interface JudgedRule {
  readonly name: string
  readonly label: string
  /** Whether it is shown the true demand to come. */
  readonly knowsLoad: boolean
  readonly settings: object
  /** J where it was tuned. */
  readonly trainScore: number
  /** A record for each platform set aside from tuning, by which rules are chosen among. */
  readonly validation: readonly PlatformRecord[]
  /** A record for each seed. */
  readonly records: readonly PlatformRecord[]
}

/** All rules of an arena. */
export interface ArenaRules {
  readonly name: string
  readonly label: string
  readonly tenants: number
  readonly rules: readonly JudgedRule[]
}

/** What knowing the load gains over the best tuned rule. */
export interface ArenaHeadroom {
  /** The best of those that anybody could run, on the platforms that judge. */
  readonly best: JudgedRule
  /** The best in training of those that know the load: neither choice flatters the gain. */
  readonly clairvoyant: JudgedRule
  /** By seed. */
  readonly gains: readonly number[]
  /** Their mean. */
  readonly headroom: number
}

const TUNING_SEED = 1
const CLAIRVOYANTS = TENANT_RULE_FAMILIES.filter(({ sizesByDemand }) => sizesByDemand).map(withForesight)
const counted = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/**
 * Tunes every rule on some platforms of an arena and judges it on others, and the same for rules that know the load.
 * @param onRule  is told which one is next
 */
export function judgeArenaRules(
  core: Core,
  { arena: name, seeds, trainEpisodes, judgedEpisodes, families }: ArenaRulesSpec,
  onRule?: (label: string) => void,
): ArenaRules {
  const arena = SERVERLESS_ARENAS.find((one) => one.name === name)!
  const platforms = (stage: 'train' | 'test', ones: readonly number[]): ServerlessPlatform[] =>
    ones.map((seed) => new ServerlessPlatform(core, arenaSpec(core, arena, stage, seed)))
  const train = platforms('train', LEARNING_PLATFORMS)
  const aside = platforms('train', VALIDATION_PLATFORMS)
  const tests = platforms('test', seeds)
  const judge = (family: TenantRuleFamily, knowsLoad: boolean): JudgedRule => {
    onRule?.(family.label)
    const { settings, score } = tuneTenantRule(core, train, family, counted(trainEpisodes), TUNING_SEED)
    const recordsOn = (ones: readonly ServerlessPlatform[], episodes: readonly number[]): PlatformRecord[] =>
      ones.map((platform) => judgeRule(platform, episodes, (_, site) => family.create(settings, site)))
    return {
      ...{ name: family.name, label: family.label, knowsLoad, settings, trainScore: score },
      validation: recordsOn(aside, VALIDATION_SEEDS),
      records: recordsOn(tests, counted(judgedEpisodes)),
    }
  }
  return {
    name: arena.name,
    label: arena.label,
    tenants: arena.tenants,
    rules: [
      ...TENANT_RULE_FAMILIES.filter((family) => families?.includes(family.name) ?? true).map((family) =>
        judge(family, false),
      ),
      ...(families ? [] : CLAIRVOYANTS.map((family) => judge(family, true))),
    ],
  }
}

const scoreOf = (records: readonly PlatformRecord[]): number => mean(records.map(({ score }) => score))

const largestBy = (rules: readonly JudgedRule[], of: (rule: JudgedRule) => number): JudgedRule =>
  rules.reduce((best, rule) => (of(rule) > of(best) ? rule : best))

/** The best in validation of the rules that anybody could run: what would be run, without having been judged. */
export const bestInValidation = ({ rules }: Pick<ArenaRules, 'rules'>): JudgedRule =>
  largestBy(
    rules.filter(({ knowsLoad }) => !knowsLoad),
    ({ validation }) => scoreOf(validation),
  )

/** What knowing the load gains, seed by seed. */
export function headroomOf({ rules }: ArenaRules): ArenaHeadroom {
  const best = largestBy(
    rules.filter(({ knowsLoad }) => !knowsLoad),
    ({ records }) => scoreOf(records),
  )
  const clairvoyant = largestBy(
    rules.filter(({ knowsLoad }) => knowsLoad),
    ({ trainScore }) => trainScore,
  )
  const gains = clairvoyant.records.map(({ score }, i) => score - best.records[i]!.score)
  return { best, clairvoyant, gains, headroom: mean(gains) }
}
