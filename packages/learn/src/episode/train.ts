import { type Agent, type Controller, Problems } from '@trimtab/core'
import type { GuardOptions } from './guard.js'
import { type EpisodeSummary, HOLD, type Pilot, type Source } from './pilot.js'
import { runEpisode, type TrainingEnvironment } from './run-episode.js'
import type { Tick } from './tick.js'

/** How an agent is trained. */
export interface TrainOptions {
  /** Default 100. */
  readonly episodes?: number
  /** Episode i runs on seed + i: another stretch of chance for each. Default 0. */
  readonly seed?: number
  /** Decides where telemetry or the agent's action is unusable. Default: the last safe action is held. */
  readonly rule?: Controller
  /** Steps after which an episode is cut (truncated, never terminated); default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** Progress: what each episode came to, its reward, steps, and whose actions they were. */
  readonly onEpisode?: (summary: EpisodeSummary) => void
  /** Sees every step; the tick and its arrays are reused. */
  readonly onTick?: (tick: Tick) => void
  /** Ends the run between two steps; what was learned stays learned. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof TrainOptions)[] = [
  'episodes',
  'seed',
  'rule',
  'episodeSteps',
  'guard',
  'onEpisode',
  'onTick',
  'signal',
]

/** What a training run came to. */
export interface TrainingReport {
  /** Reward of each episode, exploration included: `evaluate` says what the policy is worth. */
  readonly rewards: readonly number[]
  readonly steps: number
  /** Steps by whose action was applied. */
  readonly sources: Readonly<Record<Source, number>>
}

const EPISODES = 100

/**
 * A pilot that explores and learns from the first step on: for a simulator, where nothing can break. Where something can, an
 * envelope around a rule protects (`EnvelopePilot` of `@trimtab/control`).
 */
export function exploringPilot(agent: Agent, rule: Controller = HOLD): Pilot {
  return {
    stage: 'online',
    rule,
    beginEpisode() {
      agent.beginEpisode?.()
    },
    decide(observation, out) {
      agent.explore(observation, out)
      return 'agent'
    },
    observe(transition) {
      agent.observe(transition)
      agent.update()
    },
    endEpisode() {
      agent.endEpisode()
    },
  }
}

/**
 * Trains an agent of any family on an environment of one's own, the guard between them.
 *
 * It runs without a pause; call it with fewer episodes, and the next `seed`, where a page must stay responsive.
 *
 * @throws {ConfigError} `config_invalid` with every problem; what `runEpisode` throws; the signal's reason
 * @example
 * train(agent, environment, { episodes: 50, onEpisode: ({ episode, reward }) => console.log(episode, reward) })
 * console.log(evaluate(agent, environment).mean)
 */
export function train(agent: Agent, environment: TrainingEnvironment, options: TrainOptions = {}): TrainingReport {
  const { episodes = EPISODES, seed = 0, rule = HOLD, onEpisode, ...rest } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(Number.isInteger(episodes) && episodes >= 1, `episodes must be a whole number >= 1, got ${episodes}`)
  problems.check(Number.isSafeInteger(seed), `seed must be a whole number, got ${seed}`)
  problems.throwIfAny('train')
  const pilot = exploringPilot(agent, rule)
  const rewards: number[] = []
  const sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }
  let steps = 0
  for (let episode = 0; episode < episodes; episode++) {
    const summary = runEpisode(environment, pilot, { ...rest, seed: seed + episode, episode })
    rewards.push(summary.reward)
    steps += summary.steps
    for (const source of ['agent', 'rule', 'hold'] as const) sources[source] += summary.sources[source]
    onEpisode?.(summary)
  }
  return { rewards, steps, sources }
}
