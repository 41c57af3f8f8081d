import type { Controller, Core } from '@trimtab/core'
import { createPpo, evaluateMany, imitateMany, ruleOfEach, trainMany } from '@trimtab/learn'
import {
  FUNCTION_CATEGORIES,
  type FunctionCategory,
  type ServerlessEnvironment,
  siteOf,
  TENANT_RULE_FAMILIES,
  TenantController,
} from '@trimtab/tasks/serverless'
import { type PolicyGroup, PolicyGroups } from './policy-groups.js'
import type { PolicySharing, TenantVariant } from './variants.js'

/** A tuned rule. Plain JSON. */
export interface ImitatedRule {
  /** Name of a family of rules. */
  readonly family: string
  readonly settings: object
}

/** How policies learn. */
export interface LearningPlan {
  readonly seed: number
  readonly rule: ImitatedRule
  readonly episodes: number
  readonly imitationEpisodes: number
}

/** Policies, and how they came to be. */
export interface LearnedPolicies {
  readonly groups: readonly PolicyGroup[]
  /** Reward of a step, mean over the agents, in each episode of learning. */
  readonly rewards: readonly number[]
  /** How often the policies would have done as the rule, in the last episode of imitation. */
  readonly agreement01?: number
}

const LEARNING_SEED = 1_000_000 // episodes that neither tuning nor judging meets
const BASELINE_SEEDS = [0, 1, 2, 3]

/** Learns a variant's policies in a world, and disposes of that. */
export function learnPolicies(
  core: Core,
  variant: TenantVariant,
  world: ServerlessEnvironment,
  { seed, rule: imitated, episodes, imitationEpisodes }: LearningPlan,
): LearnedPolicies {
  const rule = ruleOfAgent(world, imitated)
  const { episodeSteps } = world.platform.spec
  const rules = ruleOfEach(Array.from({ length: world.agents }, (_, agent) => rule(agent)))
  const rewardBaseline = variant.imitates
    ? evaluateMany(rules, world, { seeds: BASELINE_SEEDS }).mean / episodeSteps
    : variant.learner.options.rewardBaseline
  const groups = createPolicies(core, variant, world, { seed, rewardBaseline })
  const policies = new PolicyGroups(variant.label, groups, world)
  const firstSeed = LEARNING_SEED * (1 + seed)
  const imitation =
    variant.imitates &&
    imitateMany(policies, rule, world, { episodes: imitationEpisodes, seed: firstSeed - imitationEpisodes })
  const { rewards } = trainMany(policies, world, { episodes, seed: firstSeed, rule })
  world.dispose()
  return {
    groups,
    rewards: rewards.map((reward) => reward / episodeSteps),
    ...(imitation && { agreement01: imitation.agreements.at(-1)! }),
  }
}

const GROUPS = 1000 // seeds of a group's policy are no other's

/** The policies that a variant wants in a world, of agents that know nothing yet. */
export function createPolicies(
  core: Core,
  { sharing, learner, episodesAnUpdate }: TenantVariant,
  world: ServerlessEnvironment,
  { seed, rewardBaseline }: { readonly seed: number; readonly rewardBaseline: number },
): readonly PolicyGroup[] {
  const { observation, action, global } = world
  return groupsOf(sharing, world).map((members, group) => {
    const rolloutSteps = members.length * world.platform.spec.episodeSteps * episodesAnUpdate
    const policy = createPpo(core, {
      ...{ observation, action, global, partitions: members.length, seed: seed * GROUPS + group },
      options: { ...learner.options, rolloutSteps, rewardBaseline },
    })
    return { policy, members }
  })
}

/** Makes the rule of each agent in a world, as a controller of its actions. */
export function ruleOfAgent(
  world: ServerlessEnvironment,
  { family: name, settings }: ImitatedRule,
): (agent: number) => Controller {
  const family = TENANT_RULE_FAMILIES.find((one) => one.name === name)!
  return (agent) => new TenantController(world, agent, family.create(settings, siteOf(world.platform, agent)))
}

/** Which agents share a policy. */
function groupsOf(sharing: PolicySharing, { platform, agents }: ServerlessEnvironment): readonly number[][] {
  const everybody = Array.from({ length: agents }, (_, agent) => agent)
  if (sharing === 'all') return [everybody]
  if (sharing === 'each') return everybody.map((agent) => [agent])
  const ofCategory = (category: FunctionCategory): number[] =>
    everybody.filter((agent) => platform.functions[agent]!.category === category)
  return FUNCTION_CATEGORIES.map(ofCategory).filter(({ length }) => length > 0)
}
