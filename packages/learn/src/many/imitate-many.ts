import type { Controller } from '@trimtab/core'
import { Agreement } from '../episode/agreement.js'
import type { GuardOptions } from '../episode/guard.js'
import { checkImitation, IMITATION_EPISODES, type ImitationReport } from '../episode/imitate.js'
import { type ManyImitator, ruleOfEach } from './many-agent.js'
import { type ManyEnvironment, type ManyPilot, type ManySummary, runManyEpisode } from './run-many.js'
import { meanReward, rulesOf } from './train-many.js'

/** How one policy learns from the rules of many agents. */
export interface ImitateManyOptions {
  /** Default 30. */
  readonly episodes?: number
  /** Episode i runs on seed + i. Default 0. */
  readonly seed?: number
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on each agent's changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** What each episode came to under the rules, and how far the policy, which had not seen it, would have acted alike. */
  readonly onEpisode?: (summary: ManySummary, agreement: number) => void
  /** Ends the run between two steps; what was learned stays learned. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof ImitateManyOptions)[] = [
  'episodes',
  'seed',
  'episodeSteps',
  'guard',
  'onEpisode',
  'signal',
]

/**
 * `imitate` for many agents: the rule of each acts, and one policy learns from all.
 *
 * @param rule  makes the rule of each agent
 * @throws {ConfigError} `config_invalid` with every problem; what `runManyEpisode` throws; the signal's reason
 * @example
 * imitateMany(agent, () => createRule(), environment)
 * trainMany(agent, environment)
 */
export function imitateMany(
  agent: ManyImitator,
  rule: (agent: number) => Controller,
  environment: ManyEnvironment,
  options: ImitateManyOptions = {},
): ImitationReport {
  const { episodes = IMITATION_EPISODES, seed = 0, onEpisode, ...rest } = options
  checkImitation(options, OPTIONS, episodes, seed)
  const rules = rulesOf(environment, rule)
  const report = { agreements: [] as number[], rewards: [] as number[], steps: 0 }
  for (let episode = 0; episode < episodes; episode++) {
    const agreement = new Agreement(environment.action)
    const pilot = teachingManyPilot(agent, rules, agreement)
    const summary = runManyEpisode(environment, pilot, { ...rest, seed: seed + episode, episode })
    report.agreements.push(agreement.share)
    report.rewards.push(meanReward(summary))
    report.steps += summary.steps
    onEpisode?.(summary, agreement.share)
  }
  agent.imitate()
  return report
}

function teachingManyPilot(agent: ManyImitator, rules: readonly Controller[], agreement: Agreement): ManyPilot {
  const all = ruleOfEach(rules)
  let own = new Float32Array(0)
  return {
    decider: 'rule',
    rules,
    beginEpisode() {
      agent.beginEpisode?.()
    },
    decide(observations, out) {
      all.decideMany(observations, out)
    },
    observe(step) {
      if (own.length === 0) own = new Float32Array(step.actions.length)
      agent.decideMany(step.observations, own)
      agreement.add(own, step.actions)
      agent.observeMany(step)
      if (agent.isDue) agent.imitate()
    },
    endEpisode() {
      for (const partition of rules.keys()) agent.endEpisode(partition)
    },
  }
}
