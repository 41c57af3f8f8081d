import type { Controller } from '@trimtab/core'

/** Whose the rows of a call are. N: agents, Z: context. */
export interface AgentRows {
  /** The partition of each [N], none twice; default: row i is of partition i. */
  readonly partitions?: Int32Array
  /** What stands behind each observation [N, Z]; default: what `setContext` set for all. */
  readonly contexts?: Float32Array
}

/** A step of many agents as one policy learns from it, row i of agent i. N: agents, S: observation, A: action, G: global. */
export interface ManyTransition extends AgentRows {
  /** [N, S] */
  readonly observations: Float32Array
  /** What was applied [N, A]. */
  readonly actions: Float32Array
  /** [N]; NaN where it was not measured: nothing is learned from that agent's step. */
  readonly rewards: Float32Array
  /** [N, S] */
  readonly nextObservations: Float32Array
  /** [N, G], where the critic sees more. */
  readonly globals?: Float32Array
  readonly nextGlobals?: Float32Array
}

/** Anything that decides for many agents at once: one policy, or a rule for each. */
export interface ManyController {
  readonly name: string
  /** Fills `out` [N, A] from `observations` [N, S], row by row; a row that holds NaN may come out as NaN. */
  decideMany(observations: Float32Array, out: Float32Array): void
  /** A new episode starts: forget what belongs to the last one. */
  beginEpisode?(): void
}

/** What learns for many agents at once: one policy, or one for each group of them. `Ppo` is one. */
export interface ManyLearner extends ManyController {
  /** The behaviour policy while learning: fills `out` [N, A]. */
  exploreMany(observations: Float32Array, out: Float32Array): void
  /** Takes in a step of all; says how many of the agents' steps could be used. @throws {ConfigError} as `Agent.observe`; nothing was stored */
  observeMany(step: ManyTransition): number
  /** Learns, as far as there is enough to learn from. */
  update(): unknown
  /** An agent's episode is over: a time limit cut it, or the agent has left. */
  endEpisode(agent: number): void
}

/** What can learn to do what was done with many agents. `Ppo` is one. */
export interface ManyImitator extends ManyLearner {
  /** There is enough to learn from. */
  readonly isDue: boolean
  /** Learns from what was observed, enough or not, what was done there and what it was worth. */
  imitate(): unknown
}

/**
 * A rule for each agent, with a memory of its own, as one controller.
 * @example
 * evaluateMany(ruleOfEach(Array.from({ length: 12 }, () => createRule())), environment)
 */
export function ruleOfEach(rules: readonly Controller[]): ManyController {
  return {
    name: rules[0]?.name ?? 'none',
    decideMany(observations, out) {
      const [states, actions] = [observations.length / rules.length, out.length / rules.length]
      for (const [i, rule] of rules.entries()) {
        rule.decide(observations.subarray(i * states, (i + 1) * states), out.subarray(i * actions, (i + 1) * actions))
      }
    },
    beginEpisode() {
      for (const rule of rules) rule.beginEpisode?.()
    },
  }
}
