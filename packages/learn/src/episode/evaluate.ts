import { type Controller, Problems } from '@trimtab/core'
import type { GuardOptions } from './guard.js'
import { type EpisodeSummary, HOLD, type Source, servingPilot } from './pilot.js'
import { runEpisode, type TrainingEnvironment } from './run-episode.js'
import type { Tick } from './tick.js'

/** How a controller is judged. */
export interface EvaluateOptions {
  /** One episode each: equal seeds, equal chance for whoever is judged. Default: 10 from `seed` on. */
  readonly seeds?: readonly number[]
  /** The first of ten seeds; default 1,000,000, which no training of default options has met. */
  readonly seed?: number
  /** Decides where telemetry or the controller's action is unusable. Default: the last safe action is held. */
  readonly rule?: Controller
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** Sees every step, for measures of one's own; the tick and its arrays are reused. */
  readonly onTick?: (tick: Tick) => void
  /** Called after each episode with its summary. */
  readonly onEpisode?: (summary: EpisodeSummary) => void
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof EvaluateOptions)[] = [
  'seeds',
  'seed',
  'rule',
  'episodeSteps',
  'guard',
  'onTick',
  'onEpisode',
  'signal',
]

/** What a controller earned over several episodes. */
export interface Evaluation {
  /** Mean reward of an episode. */
  readonly mean: number
  /** Standard deviation of the episodes' rewards, of the sample (n − 1); 0 for one episode. */
  readonly deviation: number
  /** Reward of each episode, in the order of the seeds. */
  readonly rewards: readonly number[]
  /** Mean reward of a step. */
  readonly rewardPerStep: number
  readonly steps: number
  /** Steps by whose action was applied. */
  readonly sources: Readonly<Record<Source, number>>
}

const FIRST_SEED = 1_000_000
const EPISODES = 10

/** The seeds to judge by. */
export const evaluationSeeds = (seeds: readonly number[] | undefined, seed: number = FIRST_SEED): readonly number[] =>
  seeds ?? Array.from({ length: EPISODES }, (_, i) => seed + i)

/**
 * Judges a controller as it stands: a policy without exploration, a rule, a constant. Nothing is learned. The guard stands in front
 * of the environment as in production.
 *
 * @throws {ConfigError} `config_invalid` with every problem; what `runEpisode` throws
 * @example
 * const { mean, deviation } = evaluate(agent, environment, { seeds: [7, 8, 9] })
 */
export function evaluate(
  controller: Controller,
  environment: TrainingEnvironment,
  options: EvaluateOptions = {},
): Evaluation {
  const { seed, rule = HOLD, onEpisode, seeds: given, ...rest } = options
  const seeds = evaluationSeeds(given, seed)
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(seeds.length > 0, 'seeds must name at least one episode, got none')
  problems.throwIfAny('evaluate')
  const pilot = servingPilot(controller, rule)
  const rewards: number[] = []
  const sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }
  let steps = 0
  for (const [episode, each] of seeds.entries()) {
    const summary = runEpisode(environment, pilot, { ...rest, seed: each, episode })
    rewards.push(summary.reward)
    steps += summary.steps
    for (const source of ['agent', 'rule', 'hold'] as const) sources[source] += summary.sources[source]
    onEpisode?.(summary)
  }
  return evaluationOf(rewards, steps, sources)
}

/** What episodes came to: their rewards, how many steps they took, and whose actions were applied. */
export function evaluationOf(
  rewards: readonly number[],
  steps: number,
  sources: Readonly<Record<Source, number>>,
): Evaluation {
  const total = rewards.reduce((sum, reward) => sum + reward, 0)
  const mean = total / rewards.length
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0)
  return {
    mean,
    deviation: rewards.length > 1 ? Math.sqrt(squares / (rewards.length - 1)) : 0,
    rewards,
    rewardPerStep: total / steps,
    steps,
    sources,
  }
}
