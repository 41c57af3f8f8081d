import { type Core, mean } from '@trimtab/core'
import { evaluateMany } from '@trimtab/learn'
import {
  arenaSpec,
  type PlatformRecord,
  PlatformTally,
  SERVERLESS_ARENAS,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  type ServerlessSpec,
} from '@trimtab/tasks/serverless'
import { type ImitatedRule, learnPolicies, ruleOfAgent } from './learn-policies.js'
import { type PolicyGroup, PolicyGroups } from './policy-groups.js'
import { TENANT_VARIANTS, type TenantVariant, type TenantVariantName } from './variants.js'

/** One variant in one arena with one seed: the unit of work. Cloneable. */
export interface TenantsCellSpec {
  /** Name of an arena. */
  readonly arena: string
  readonly variant: TenantVariantName
  /** Of the policies and their exploration, and which platform of the arena judges them. */
  readonly seed: number
  /** Imitated where the variant says so; decides where a policy cannot. */
  readonly rule: ImitatedRule
  /** Of learning, on one platform; those of imitation come before. */
  readonly episodes: number
  readonly imitationEpisodes: number
  /** On another platform, without exploration. */
  readonly judgedEpisodes: number
}

/** What a cell came to. */
export interface TenantsCell {
  readonly spec: TenantsCellSpec
  readonly judged: PlatformRecord
  /** Reward of a step, mean over the agents, in each episode of learning: in the variant's own terms. */
  readonly learning: readonly number[]
  /** How often the policy would have done as the rule, at the end of imitation. */
  readonly agreement01?: number
}

/** Rules were tuned on this platform of an arena too. */
const TRAINING_PLATFORM = 0
const SEEDS_APART = 1009 // of tenants that learn alone

/** Learns on one platform of an arena and judges on another, one that the seed names. */
export function runTenantsCell(core: Core, spec: TenantsCellSpec): TenantsCell {
  const variant: TenantVariant = TENANT_VARIANTS[spec.variant]
  const arena = SERVERLESS_ARENAS.find(({ name }) => name === spec.arena)!
  const preset = SERVERLESS_PRESETS[variant.preset(arena)]
  const learning = arenaSpec(core, arena, 'train', TRAINING_PLATFORM)
  const judging = arenaSpec(core, arena, 'test', spec.seed)

  const platforms = variant.learns === 'alone' ? eachAlone(learning) : [learning]
  const learned = platforms.map((platform, i) =>
    learnPolicies(core, variant, new ServerlessEnvironment(core, platform, preset), {
      ...spec,
      seed: spec.seed + i * SEEDS_APART,
    }),
  )
  const groups = learned.flatMap((one) => one.groups)

  const tally = new PlatformTally()
  const judge = (platform: ServerlessSpec, judged: readonly PolicyGroup[]): void => {
    const world = new ServerlessEnvironment(core, platform, preset)
    const firstTenant = tally.tenants
    evaluateMany(new PolicyGroups(spec.variant, judged, world), world, {
      seeds: Array.from({ length: spec.judgedEpisodes }, (_, seed) => seed),
      rule: ruleOfAgent(world, spec.rule),
      onStep: () => tally.note(world.platform, firstTenant),
    })
    world.dispose()
  }
  if (variant.judged === 'alone') {
    for (const [i, platform] of eachAlone(judging).entries()) judge(platform, [groups[i]!])
  } else judge(judging, variant.learns === 'alone' ? groups.map(({ policy }, i) => ({ policy, members: [i] })) : groups)

  for (const { policy } of groups) policy.dispose()
  const [first] = learned
  return {
    spec,
    judged: tally.record(),
    learning: first!.rewards.map((_, episode) => mean(learned.map(({ rewards }) => rewards[episode]!))),
    ...(first!.agreement01 !== undefined && { agreement01: first!.agreement01 }),
  }
}

/** The platform with one of its tenants, for each. */
const eachAlone = (platform: ServerlessSpec): ServerlessSpec[] =>
  platform.tenants.map((tenant) => ({ ...platform, tenants: [tenant], events: [] }))
