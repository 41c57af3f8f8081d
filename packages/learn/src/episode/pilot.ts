import type { Controller, StepInfo, Transition } from '@trimtab/core'

/** Where an agent stands in its life (Algorithm 5.1). */
export type Stage = 'initialized' | 'offline' | 'online' | 'serving'

/** Whose action a pilot chose. */
export type Decider = 'agent' | 'rule'

/** Whose action was applied; `hold`: neither had a usable one, the last safe action stays. */
export type Source = Decider | 'hold'

/** What one episode came to. */
export interface EpisodeSummary {
  readonly episode: number
  readonly steps: number
  /** Sum of the rewards that were measured. */
  readonly reward: number
  /** Steps whose reward was measured: less than `steps` when telemetry was missing. */
  readonly rewardedSteps: number
  /** Steps by whose action was applied; they sum to `steps`. */
  readonly sources: Readonly<Record<Source, number>>
  /** The task ended by itself, not by a time limit. */
  readonly terminated: boolean
}

/** The episode's reward, steps without a measured one counted as average: missing telemetry must not look like a bad policy. */
export const measuredReward = ({ reward, rewardedSteps, steps }: EpisodeSummary): number =>
  (reward / rewardedSteps) * steps

/**
 * Decides, step by step, who acts and what is learned from it. The `ControlLoop` calls it; the guard stands behind it.
 *
 * A pilot may throw (a trapped core does): the loop then goes on under `rule` and never calls this pilot again, `runEpisode` ends.
 */
export interface Pilot {
  /** The stage in which the next decision is made. */
  readonly stage: Stage

  /**
   * The fallback. It sees NaN where a metric is missing, and must either cope with it or answer NaN (the last safe action
   * is then held). When a pilot runs it in shadow and its agent's action turns out unusable, it is asked twice in one step.
   */
  readonly rule: Controller

  /** A simulator was reset: forget what belongs to the last episode. `rule` is told apart from this. */
  beginEpisode?(): void

  /** Fills `out` [A] from a usable `observation` [S] (finite, fresh, in order) and says whose action it is. Allocates nothing. */
  decide(observation: Float32Array, out: Float32Array): Decider

  /**
   * Called after each step whose two observations and reward are usable. `transition.action` is what was applied, after the
   * guard. The object and its arrays belong to the loop and are valid during the call only.
   */
  observe(transition: Transition, info: StepInfo): void

  /** An episode is over: its sums and means, before the next reset. */
  endEpisode(summary: EpisodeSummary): void
}

/** A rule without an answer: the guard holds the last safe action wherever it is asked. */
export const HOLD: Controller = {
  name: 'hold',
  decide(_observation, out) {
    out.fill(Number.NaN)
  },
}

/** A pilot that never leaves the rule: a baseline, and what remains when an agent has failed. */
export function rulePilot(rule: Controller): Pilot {
  return {
    stage: 'offline',
    rule,
    decide(observation, out) {
      rule.decide(observation, out)
      return 'rule'
    },
    observe() {},
    endEpisode() {},
  }
}

/** A pilot that always follows one controller, learning nothing: a trained policy, judged or served as it stands. */
export function servingPilot(controller: Controller, rule: Controller): Pilot {
  return {
    stage: 'serving',
    rule,
    beginEpisode() {
      if (controller !== rule) controller.beginEpisode?.()
    },
    decide(observation, out) {
      controller.decide(observation, out)
      return 'agent'
    },
    observe() {},
    endEpisode() {},
  }
}
