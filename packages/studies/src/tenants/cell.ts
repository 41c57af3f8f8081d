import { type Core, mean } from '@trimtab/core'
import {
  arenaSpec,
  type PlatformRecord,
  PlatformTally,
  type PlatformWatch,
  SERVERLESS_ARENAS,
  type ServerlessSpec,
} from '@trimtab/tasks/serverless'
import { judgeController, type LearnedPolicies, learnPolicies } from './learn-policies.js'
import { CHECKING_PLATFORMS, LEARNING_PLATFORMS, VALIDATION_PLATFORMS, VALIDATION_SEEDS } from './platforms.js'
import { type PolicyGroup, PolicyGroups } from './policy-groups.js'
import { createWorld, rulesIn, type TunedTenantRule } from './tuned-rule.js'
import { TENANT_VARIANTS, type TenantVariant, type TenantVariantName } from './variants.js'

/** One variant in one arena with one seed: the unit of work. Cloneable. */
export interface TenantsCellSpec {
  /** Name of an arena. */
  readonly arena: string
  readonly variant: TenantVariantName
  /** Of the policies and their exploration, and which platform of the arena judges them. */
  readonly seed: number
  /** Imitated or corrected where the variant says so; decides where a policy cannot. */
  readonly rule: TunedTenantRule
  /** Of learning, on the arena's learning platforms in turn; those of imitation come before. */
  readonly episodes: number
  readonly imitationEpisodes: number
  /** On another platform, without exploration. */
  readonly judgedEpisodes: number
}

/** What a cell came to. */
export interface TenantsCell {
  readonly spec: TenantsCellSpec
  readonly judged: PlatformRecord
  /** On each platform that decides between policies and rules; of a policy that all tenants share, others could not run there. */
  readonly validation?: readonly PlatformRecord[]
  /** Reward of a step, mean over the agents, in each episode of learning: in the variant's own terms. */
  readonly learning: readonly number[]
  /** How often the policy would have done as the rule, at the end of imitation. */
  readonly agreement01?: number
  /** Episodes behind the policies that were kept; mean over those that learned apart. 0 with corrections: the rule stays as it is. */
  readonly keptEpisodes: number
}

const SEEDS_APART = 1009 // of tenants that learn alone

/**
 * Learns on some platforms of an arena and judges on another, one that the seed names.
 * @param onJudged  is told each step on that one
 */
export function runTenantsCell(core: Core, spec: TenantsCellSpec, onJudged?: PlatformWatch): TenantsCell {
  const variant: TenantVariant = TENANT_VARIANTS[spec.variant]
  const arena = SERVERLESS_ARENAS.find(({ name }) => name === spec.arena)!
  const judging = arenaSpec(core, arena, 'test', spec.seed)
  // A policy that is not for all is for one function or kind: it learns with those that it is judged with, under other loads.
  const learningSpec = (seed: number): ServerlessSpec => {
    const platform = arenaSpec(core, arena, 'train', seed)
    return variant.sharing === 'all' ? platform : withFunctionsOf(judging, platform)
  }
  const worldOf = (platform: ServerlessSpec) => createWorld(core, platform, variant.preset(arena), spec.rule)
  const platforms = { learning: LEARNING_PLATFORMS.map(learningSpec), checking: CHECKING_PLATFORMS.map(learningSpec) }
  const learn = (viewOf: (platform: ServerlessSpec) => ServerlessSpec, seed: number): LearnedPolicies => {
    const worldsOf = (ones: readonly ServerlessSpec[]) => ones.map((one) => worldOf(viewOf(one)))
    const worlds = { learning: worldsOf(platforms.learning), checking: worldsOf(platforms.checking) }
    return learnPolicies(core, variant, worlds, { ...spec, seed })
  }
  const learned =
    variant.learns === 'alone'
      ? judging.tenants.map((_, i) => learn((platform) => alone(platform, i), spec.seed + i * SEEDS_APART))
      : [learn((platform) => platform, spec.seed)]
  const groups = learned.flatMap((one) => one.groups)
  const keptEpisodes = mean(learned.map((one) => one.keptEpisodes))
  const staysRule = variant.start === 'rule' && keptEpisodes === 0

  const judge = (
    platform: ServerlessSpec,
    judged: readonly PolicyGroup[],
    seeds: readonly number[],
    { tally = new PlatformTally(), onStep }: { tally?: PlatformTally; onStep?: PlatformWatch | undefined } = {},
  ): PlatformRecord => {
    const world = worldOf(platform)
    const controller = staysRule ? rulesIn(world, spec.rule) : new PolicyGroups(spec.variant, judged, world)
    judgeController(controller, world, { seeds, rule: spec.rule, tally, onStep })
    world.dispose()
    return tally.record()
  }
  const judgedSeeds = Array.from({ length: spec.judgedEpisodes }, (_, seed) => seed)
  const judgeAlone = (): PlatformRecord => {
    const tally = new PlatformTally()
    const watch = { tally, onStep: onJudged }
    for (const [i, group] of groups.entries()) judge(alone(judging, i), [group], judgedSeeds, watch)
    return tally.record()
  }
  const eachIsOne = variant.learns === 'alone'
  const together = eachIsOne ? groups.map(({ policy }, i) => ({ policy, members: [i] })) : groups
  const judged = variant.judged === 'alone' ? judgeAlone() : judge(judging, together, judgedSeeds, { onStep: onJudged })
  const validation =
    variant.sharing === 'all'
      ? VALIDATION_PLATFORMS.map((seed) => judge(learningSpec(seed), groups, VALIDATION_SEEDS))
      : undefined

  for (const { policy } of groups) policy.dispose()
  const [first] = learned
  return {
    ...{ spec, judged, keptEpisodes },
    ...(validation && { validation }),
    learning: first!.rewards.map((_, episode) => mean(learned.map(({ rewards }) => rewards[episode]!))),
    ...(first!.agreement01 !== undefined && { agreement01: first!.agreement01 }),
  }
}

/** The platform with one of its tenants. */
const alone = (platform: ServerlessSpec, i: number): ServerlessSpec => ({
  ...platform,
  tenants: [platform.tenants[i]!],
  events: [],
})

/** A platform's loads and invokers with the functions of another one's tenants. */
const withFunctionsOf = ({ functions, tenants }: ServerlessSpec, platform: ServerlessSpec): ServerlessSpec => ({
  ...platform,
  functions,
  tenants: platform.tenants.map((tenant, i) => ({ ...tenant, functions: tenants[i]!.functions })),
})
