import { type Controller, Problems } from '@trimtab/core'
import { type Evaluation, evaluationOf, evaluationSeeds } from '../episode/evaluate.js'
import type { GuardOptions } from '../episode/guard.js'
import type { Source } from '../episode/pilot.js'
import type { ManyController } from './many-agent.js'
import { type ManyEnvironment, type ManyPilot, type ManySummary, type ManyTick, runManyEpisode } from './run-many.js'
import { meanReward, rulesOf } from './train-many.js'

/** How a controller of many agents is judged. */
export interface EvaluateManyOptions {
  /** One episode each: equal seeds, equal chance for whoever is judged. Default: 10 from `seed` on. */
  readonly seeds?: readonly number[]
  /** The first of ten seeds; default 1,000,000, which no training of default options has met. */
  readonly seed?: number
  /** Makes the rule of each agent, which decides where telemetry or the action is unusable. Default: the last safe action is held. */
  readonly rule?: (agent: number) => Controller
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on each agent's changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** What each episode came to. */
  readonly onEpisode?: (summary: ManySummary) => void
  /** Sees every step, for measures of one's own; its arrays are reused. */
  readonly onStep?: (tick: ManyTick) => void
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof EvaluateManyOptions)[] = [
  'seeds',
  'seed',
  'rule',
  'episodeSteps',
  'guard',
  'onEpisode',
  'onStep',
  'signal',
]

/** What a controller earned for many agents; the reward of an episode is the mean over them, sources count the steps of agents. */
export interface ManyEvaluation extends Evaluation {
  /** Mean over the episodes of what the worst-off agent of each earned. */
  readonly worst: number
}

/**
 * Judges a controller of many agents as it stands: a policy without exploration, or a rule for each (`ruleOfEach`).
 *
 * @throws {ConfigError} `config_invalid` with every problem; what `runManyEpisode` throws
 * @example
 * const { mean, worst } = evaluateMany(agent, environment, { seeds: [7, 8, 9] })
 */
export function evaluateMany(
  controller: ManyController,
  environment: ManyEnvironment,
  options: EvaluateManyOptions = {},
): ManyEvaluation {
  const { seed, rule, onEpisode, seeds: given, ...rest } = options
  const seeds = evaluationSeeds(given, seed)
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(seeds.length > 0, 'seeds must name at least one episode, got none')
  problems.throwIfAny('evaluateMany')
  const pilot = servingManyPilot(controller, rulesOf(environment, rule))
  const rewards: number[] = []
  const sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }
  let steps = 0
  let worst = 0
  for (const [episode, each] of seeds.entries()) {
    const summary = runManyEpisode(environment, pilot, { ...rest, seed: each, episode })
    rewards.push(meanReward(summary))
    steps += summary.steps
    worst += Math.min(...summary.rewards) / seeds.length
    for (const source of ['agent', 'rule', 'hold'] as const) sources[source] += summary.sources[source]
    onEpisode?.(summary)
  }
  return { ...evaluationOf(rewards, steps, sources), worst }
}

function servingManyPilot(controller: ManyController, rules: readonly Controller[]): ManyPilot {
  return {
    decider: 'agent',
    rules,
    beginEpisode() {
      controller.beginEpisode?.()
    },
    decide(observations, out) {
      controller.decideMany(observations, out)
    },
    observe() {},
    endEpisode() {},
  }
}
