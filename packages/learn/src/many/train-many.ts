import { type Controller, Problems } from '@trimtab/core'
import type { GuardOptions } from '../episode/guard.js'
import { HOLD, type Source } from '../episode/pilot.js'
import type { TrainingReport } from '../episode/train.js'
import type { ManyLearner } from './many-agent.js'
import { type ManyEnvironment, type ManyPilot, type ManySummary, type ManyTick, runManyEpisode } from './run-many.js'

/** How one policy is trained on many agents. */
export interface TrainManyOptions {
  /** Default 100. */
  readonly episodes?: number
  /** Episode i runs on seed + i. Default 0. */
  readonly seed?: number
  /** Makes the rule of each agent, which decides where telemetry or the action is unusable. Default: the last safe action is held. */
  readonly rule?: (agent: number) => Controller
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on each agent's changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** What each episode came to. */
  readonly onEpisode?: (summary: ManySummary) => void
  /** Sees every step; its arrays are reused. */
  readonly onStep?: (tick: ManyTick) => void
  /** Ends the run between two steps; what was learned stays learned. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof TrainManyOptions)[] = [
  'episodes',
  'seed',
  'rule',
  'episodeSteps',
  'guard',
  'onEpisode',
  'onStep',
  'signal',
]

const EPISODES = 100

/** A rule for each agent: made by `rule`, or none that answers. */
export const rulesOf = (
  { agents }: Pick<ManyEnvironment, 'agents'>,
  rule: ((agent: number) => Controller) | undefined,
): readonly Controller[] => Array.from({ length: agents }, (_, agent) => rule?.(agent) ?? HOLD)

/** The mean of an episode's rewards over the agents. */
export const meanReward = ({ rewards }: ManySummary): number =>
  rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length

/**
 * Trains one policy on all agents of an environment at once, a guard between it and each of them. The agent has a `partition` for each
 * of them, and `rolloutSteps` count the steps of all: agents times steps for an update an episode.
 *
 * @returns as `train`: the reward of an episode is the mean over the agents, and so are its steps; sources count the steps of agents
 * @throws {ConfigError} `config_invalid` with every problem; what `runManyEpisode` throws; the signal's reason
 * @example
 * trainMany(agent, environment, { episodes: 200, rule: () => createRule() })
 */
export function trainMany(
  agent: ManyLearner,
  environment: ManyEnvironment,
  options: TrainManyOptions = {},
): TrainingReport {
  const { episodes = EPISODES, seed = 0, rule, onEpisode, ...rest } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(Number.isInteger(episodes) && episodes >= 1, `episodes must be a whole number >= 1, got ${episodes}`)
  problems.check(Number.isSafeInteger(seed), `seed must be a whole number, got ${seed}`)
  problems.throwIfAny('trainMany')
  const pilot = exploringManyPilot(agent, rulesOf(environment, rule))
  const rewards: number[] = []
  const sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }
  let steps = 0
  for (let episode = 0; episode < episodes; episode++) {
    const summary = runManyEpisode(environment, pilot, { ...rest, seed: seed + episode, episode })
    rewards.push(meanReward(summary))
    steps += summary.steps
    for (const source of ['agent', 'rule', 'hold'] as const) sources[source] += summary.sources[source]
    onEpisode?.(summary)
  }
  return { rewards, steps, sources }
}

function exploringManyPilot(agent: ManyLearner, rules: readonly Controller[]): ManyPilot {
  return {
    decider: 'agent',
    rules,
    beginEpisode() {
      agent.beginEpisode?.()
    },
    decide(observations, out) {
      agent.exploreMany(observations, out)
    },
    observe(step) {
      agent.observeMany(step)
      agent.update()
    },
    endEpisode() {
      for (const partition of rules.keys()) agent.endEpisode(partition)
    },
  }
}
