import type { Core } from '@trimtab/core'
import { createPpo, evaluateMany, imitateMany, type ManyController, trainMany } from '@trimtab/learn'
import {
  FUNCTION_CATEGORIES,
  type FunctionCategory,
  type PlatformRecord,
  PlatformTally,
  type PlatformWatch,
  type ServerlessEnvironment,
} from '@trimtab/tasks/serverless'
import { BestPolicies } from './best-policies.js'
import { type PolicyGroup, PolicyGroups } from './policy-groups.js'
import { ruleOfAgent, rulesIn, type TunedTenantRule } from './tuned-rule.js'
import type { PolicySharing, TenantVariant } from './variants.js'

/** How policies learn. */
export interface LearningPlan {
  readonly seed: number
  readonly rule: TunedTenantRule
  readonly episodes: number
  readonly imitationEpisodes: number
}

/** Platforms with the same number of tenants. */
export interface LearningWorlds {
  /** An episode on each in turn. */
  readonly learning: readonly ServerlessEnvironment[]
  /** Those on which the best of what was learned is kept by its J; none: the last is kept. */
  readonly checking: readonly ServerlessEnvironment[]
}

/** Policies, and how they came to be. */
export interface LearnedPolicies {
  readonly groups: readonly PolicyGroup[]
  /** Reward of a step, mean over the agents, in each episode of learning. */
  readonly rewards: readonly number[]
  /** How often the policies would have done as the rule, in the last episode of imitation. */
  readonly agreement01?: number
  /** Episodes behind the policies that were kept; 0 with corrections: the rule stays as it is. */
  readonly keptEpisodes: number
}

const LEARNING_SEED = 1_000_000 // episodes that neither tuning nor judging meets
const BASELINE_SEEDS = [0, 1, 2, 3]
const CHECKS = 12 // of what was learned so far
const CHECK_SEEDS = [700_000, 700_001]

/** Learns a variant's policies in worlds, and disposes of those. */
export function learnPolicies(
  core: Core,
  variant: TenantVariant,
  { learning, checking }: LearningWorlds,
  { seed, rule: tuned, episodes, imitationEpisodes }: LearningPlan,
): LearnedPolicies {
  const [world] = learning as readonly [ServerlessEnvironment]
  const { episodeSteps } = world.platform.spec
  const rewardBaseline =
    variant.start === 'nothing'
      ? variant.learner.options.rewardBaseline
      : evaluateMany(rulesIn(world, tuned), world, { seeds: BASELINE_SEEDS }).mean / episodeSteps
  const groups = createPolicies(core, variant, world, { seed, rewardBaseline })
  const policies = new PolicyGroups(variant.label, groups, world)
  const check = (controllerIn: (one: ServerlessEnvironment) => ManyController): PlatformRecord => {
    const tally = new PlatformTally()
    for (const one of checking) judgeController(controllerIn(one), one, { seeds: CHECK_SEEDS, rule: tuned, tally })
    return tally.record()
  }
  const isChecked = checking.length > 0
  const best = new BestPolicies(
    groups,
    isChecked && variant.start === 'rule' ? check((one) => rulesIn(one, tuned)) : undefined,
  )
  const offer = (episodesBehind: number): void => {
    if (isChecked)
      best.offer(
        episodesBehind,
        check(() => policies),
      )
  }

  const firstSeed = LEARNING_SEED * (1 + seed)
  const lessons = variant.start === 'rule' ? 1 : imitationEpisodes // one is enough to lean towards changing nothing
  const imitation =
    variant.start !== 'nothing' &&
    imitateMany(policies, ruleOfAgent(world, tuned), world, { episodes: lessons, seed: firstSeed - lessons })
  if (variant.start === 'imitation') offer(0)

  const rewards: number[] = []
  const checkEvery = Math.max(1, Math.floor(episodes / CHECKS))
  for (let episode = 0; episode < episodes; episode++) {
    const one = learning[episode % learning.length]!
    const report = trainMany(policies, one, {
      ...{ episodes: 1, seed: firstSeed + episode, rule: ruleOfAgent(one, tuned) },
    })
    rewards.push(report.rewards[0]! / episodeSteps)
    if ((episode + 1) % checkEvery === 0 || episode + 1 === episodes) offer(episode + 1)
  }
  best.restore()
  for (const one of [...learning, ...checking]) one.dispose()
  return {
    ...{ groups, rewards, keptEpisodes: best.episodes },
    ...(imitation && { agreement01: imitation.agreements.at(-1)! }),
  }
}

/** Takes what a controller comes to in some episodes of a world into a tally. */
export function judgeController(
  controller: ManyController,
  world: ServerlessEnvironment,
  {
    seeds,
    rule,
    tally,
    onStep: tell,
  }: {
    readonly seeds: readonly number[]
    readonly rule: TunedTenantRule
    readonly tally: PlatformTally
    /** Is told after each step. */
    readonly onStep?: PlatformWatch | undefined
  },
): void {
  const firstTenant = tally.tenants
  const onStep = (): void => {
    tally.note(world.platform, firstTenant)
    tell?.(world.platform)
  }
  evaluateMany(controller, world, { seeds, rule: ruleOfAgent(world, rule), onStep })
}

const GROUPS = 1000 // seeds of a group's policy are no other's

/** The policies that a variant wants in a world, of agents that know nothing yet. */
export function createPolicies(
  core: Core,
  { sharing, learner, rolloutSteps: rolloutStepsOf }: TenantVariant,
  world: ServerlessEnvironment,
  { seed, rewardBaseline }: { readonly seed: number; readonly rewardBaseline: number },
): readonly PolicyGroup[] {
  const { observation, action, global } = world
  return groupsOf(sharing, world).map((members, group) => {
    const rolloutSteps = rolloutStepsOf(members.length * world.platform.spec.episodeSteps)
    const policy = createPpo(core, {
      ...{ observation, action, global, partitions: members.length, seed: seed * GROUPS + group },
      options: { ...learner.options, rolloutSteps, rewardBaseline },
    })
    return { policy, members }
  })
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
