import { type Core, mean } from '@trimtab/core'
import { type Ppo, trainMany } from '@trimtab/learn'
import { arenaSpec, type ServerlessEnvironment, standardArena } from '@trimtab/tasks/serverless'
import { createPolicies, learnPolicies } from './learn-policies.js'
import { PolicyGroups } from './policy-groups.js'
import { createWorld, type TunedTenantRule } from './tuned-rule.js'
import { TENANT_VARIANTS, type TenantVariant, type TenantVariantName } from './variants.js'

/** How newcomers get a policy. */
export interface ChurnMethod {
  readonly label: string
  readonly variant: TenantVariantName
  /** Where the policy of a newcomer that shares none comes from; without it, from nowhere. */
  readonly base?: TenantVariantName
}

/** How newcomers get a policy, by name. */
export type ChurnMethodName = 'scratch' | 'category' | 'shared' | 'corrected'

/** 4.6.3, 4.8.3: from scratch, from the base model of its category, and in the policy that all share. */
export const CHURN_METHODS: Readonly<Record<ChurnMethodName, ChurnMethod>> = {
  scratch: { label: 'SIMPPO, newcomers from scratch', variant: 'simppo-full' },
  category: {
    label: 'SIMPPO, newcomers from their category’s base model',
    variant: 'simppo-full',
    base: 'simppo-full-category',
  },
  shared: { label: 'SIMPPO, one policy for all', variant: 'simppo-full-shared' },
  corrected: { label: 'corrections of the rule, one policy for all', variant: 'corrected' },
}

/** Tenants that learn to share a platform, and changes of how many they are. Cloneable. */
export interface ChurnCellSpec {
  readonly method: ChurnMethodName
  /** N before. */
  readonly tenants: number
  /** How many join, or, negative, leave: each change is one of the same team, as it had learned. */
  readonly changes: readonly number[]
  readonly seed: number
  readonly rule: TunedTenantRule
  readonly imitationEpisodes: number
  /** Of learning before a change and after it. */
  readonly episodesBefore: number
  readonly episodesAfter: number
}

/** What changes of a team cost. */
export interface ChurnCell {
  readonly spec: ChurnCellSpec
  /** Reward of a step, mean over the agents, in each episode before the changes. */
  readonly before: readonly number[]
  readonly changes: readonly ChurnChange[]
}

/** What one change cost. */
export interface ChurnChange {
  readonly change: number
  /** Reward of a step, mean over the agents, in each episode after it. */
  readonly after: readonly number[]
  /** How far the first episodes after it were below the last before it, of those (4.8.3's RDP). */
  readonly drop01: number
  /** Until the mean of five episodes was within 2 % of what the last came to (RT). */
  readonly episodesToRecover: number
}

const FIRST = 5
const LAST = 10
const RECOVERED01 = 0.98

/**
 * Tenants join a platform that others have learned to share, or leave it. Its hosts have room for all who come: the drop is that of
 * policies that know the place no longer, not of one that has grown too small.
 */
export function runChurnCell(core: Core, spec: ChurnCellSpec): ChurnCell {
  const { tenants, seed, rule } = spec
  const method: ChurnMethod = CHURN_METHODS[spec.method]
  const variant: TenantVariant = TENANT_VARIANTS[method.variant]
  const arena = standardArena(tenants + Math.max(0, ...spec.changes))
  const platform = arenaSpec(core, arena, 'train', seed)
  const worldOf = (count: number): ServerlessEnvironment =>
    createWorld(core, { ...platform, tenants: platform.tenants.slice(0, count) }, variant.preset(arena), rule)
  const learn = (of: TenantVariant) =>
    learnPolicies(
      core,
      of,
      { learning: [worldOf(tenants)], checking: [] },
      { seed, rule, episodes: spec.episodesBefore, imitationEpisodes: spec.imitationEpisodes },
    )
  const before = learn(variant)
  const base = method.base && learn(TENANT_VARIANTS[method.base])
  const rewardBaseline = before.groups[0]!.policy.options.rewardBaseline

  const rewardsAfter = (change: number): number[] => {
    const world = worldOf(tenants + change)
    const groups = createPolicies(core, variant, world, { seed: seed + 1, rewardBaseline })
    const categoryOf = (agent: number) => world.platform.functions[agent]!.category
    const sourceOf = (agent: number): Ppo | undefined => {
      const known = before.groups.find(({ members }) => members.includes(agent))
      if (known) return known.policy
      return base?.groups.find(({ members }) => categoryOf(members[0]!) === categoryOf(agent))?.policy
    }
    for (const { policy, members } of groups) {
      const source = sourceOf(members[0]!)
      if (source) policy.setLearned(source.learned())
    }
    const { rewards } = trainMany(new PolicyGroups(variant.label, groups, world), world, {
      ...{ episodes: spec.episodesAfter, seed: AFTER_SEED * (1 + seed) },
    })
    for (const { policy } of groups) policy.dispose()
    world.dispose()
    return rewards.map((reward) => reward / platform.episodeSteps)
  }
  const changes = spec.changes.map((change) => {
    const after = rewardsAfter(change)
    return { change, after, ...recovery(before.rewards, after) }
  })
  for (const { policy } of [...before.groups, ...(base?.groups ?? [])]) policy.dispose()
  return { spec, before: before.rewards, changes }
}

const AFTER_SEED = 3_000_000 // other episodes than those of learning

function recovery(before: readonly number[], after: readonly number[]): Omit<ChurnChange, 'change' | 'after'> {
  const means = after.slice(FIRST - 1).map((_, i) => mean(after.slice(i, i + FIRST)))
  const [known, settled] = [mean(before.slice(-LAST)), mean(after.slice(-LAST))]
  const first = means.findIndex((value) => value >= settled - (1 - RECOVERED01) * Math.abs(settled))
  return { drop01: (known - means[0]!) / Math.abs(known), episodesToRecover: first < 0 ? after.length : first }
}
