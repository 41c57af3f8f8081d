import { type Agent, type Controller, Problems, type UpdateReport } from '@trimtab/core'
import { Agreement } from './agreement.js'
import type { GuardOptions } from './guard.js'
import type { EpisodeSummary, Pilot } from './pilot.js'
import { runEpisode, type TrainingEnvironment } from './run-episode.js'

/** An agent that can learn to do what was done in its rollout. `Ppo` is one. */
export interface Imitator extends Agent {
  /** The rollout is complete. */
  readonly isDue: boolean
  /** Learns from the rollout, complete or not, what was done there and what it was worth. */
  imitate(): UpdateReport
}

/** How an agent learns from a rule. */
export interface ImitateOptions {
  /** Default 30. */
  readonly episodes?: number
  /** Episode i runs on seed + i. Default 0. */
  readonly seed?: number
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** What each episode came to under the rule, and how far the agent, which had not seen it, would have acted alike. */
  readonly onEpisode?: (summary: EpisodeSummary, agreement: number) => void
  /** Ends the run between two steps; what was learned stays learned. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof ImitateOptions)[] = ['episodes', 'seed', 'episodeSteps', 'guard', 'onEpisode', 'signal']

/** What imitation came to. */
export interface ImitationReport {
  /**
   * Of each episode, judged step by step before anything was learned from it: the share of choices that the agent would have made like
   * the rule, of a box 1 less the mean distance in shares of the range.
   */
  readonly agreements: readonly number[]
  /** The rule's reward in each episode: what the critic learned to expect. */
  readonly rewards: readonly number[]
  readonly steps: number
}

export const IMITATION_EPISODES = 30

/**
 * Teaches an agent to act like a rule before it learns for itself: the rule acts, the policy learns its actions (cross-entropy of
 * choices, squared error in a box, whose exploration stays as wide as it was), and the critic what they are worth.
 *
 * @throws {ConfigError} `config_invalid` with every problem; what `runEpisode` throws; the signal's reason
 * @example
 * imitate(agent, rule, environment).agreements.at(-1) // 0.97
 * train(agent, environment)
 */
export function imitate(
  agent: Imitator,
  rule: Controller,
  environment: TrainingEnvironment,
  options: ImitateOptions = {},
): ImitationReport {
  const { episodes = IMITATION_EPISODES, seed = 0, onEpisode, ...rest } = options
  checkImitation(options, OPTIONS, episodes, seed)
  const report = { agreements: [] as number[], rewards: [] as number[], steps: 0 }
  for (let episode = 0; episode < episodes; episode++) {
    const agreement = new Agreement(environment.action)
    const pilot = teachingPilot(agent, rule, environment, agreement)
    const summary = runEpisode(environment, pilot, { ...rest, seed: seed + episode, episode })
    report.agreements.push(agreement.share)
    report.rewards.push(summary.reward)
    report.steps += summary.steps
    onEpisode?.(summary, agreement.share)
  }
  agent.imitate()
  return report
}

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkImitation(options: object, known: readonly string[], episodes: number, seed: number): void {
  const problems = new Problems()
  problems.checkKeys(options, known, 'options')
  problems.check(Number.isInteger(episodes) && episodes >= 1, `episodes must be a whole number >= 1, got ${episodes}`)
  problems.check(Number.isSafeInteger(seed), `seed must be a whole number, got ${seed}`)
  problems.throwIfAny('imitate')
}

function teachingPilot(
  agent: Imitator,
  rule: Controller,
  { action }: TrainingEnvironment,
  agreement: Agreement,
): Pilot {
  const own = new Float32Array(action.names.length)
  return {
    stage: 'offline',
    rule,
    beginEpisode() {
      agent.beginEpisode?.()
    },
    decide(observation, out) {
      rule.decide(observation, out)
      return 'rule'
    },
    observe(transition) {
      agent.decide(transition.observation, own)
      agreement.add(own, transition.action)
      agent.observe(transition)
      if (agent.isDue) agent.imitate()
    },
    endEpisode() {
      agent.endEpisode()
    },
  }
}
