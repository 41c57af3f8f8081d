import type { Controller, StepInfo, Transition } from '@trimtab/core'
import type { Lifecycle } from './lifecycle.js'
import { type Decider, type EpisodeSummary, measuredReward, type Pilot, type Stage } from './pilot.js'

/** A pilot that learns, and whose policy can be served as it stands; `EnvelopePilot` is one. */
export interface LearningPilot extends Pilot {
  /** What it has learned, without chance. */
  readonly policy: Controller
}

/**
 * Incremental retraining: the detector of Algorithm 5.1 around a pilot that learns.
 *
 * In SERVING the policy acts as it stands and nothing is learned. When the mean or the deviation of the recent episode rewards
 * leaves its bounds (a patch, other payloads, another load), the pilot goes on learning from where it stood, under the protection
 * that it has; when the rewards are good again, it is served. An envelope stays as wide as it was and narrows by what breaks:
 * drawn close to a rule at once, it does harm where the update has broken the rule too.
 *
 * `LifecyclePilot` is the algorithm to the letter, with free exploration in ONLINE.
 *
 * Source: dissertation 5.3.3, Algorithm 5.1, lines 14–21.
 */
export class RetrainingPilot implements Pilot {
  readonly rule: Controller
  readonly #learner: LearningPilot
  readonly #lifecycle: Lifecycle

  constructor({ learner, lifecycle }: { readonly learner: LearningPilot; readonly lifecycle: Lifecycle }) {
    this.rule = learner.rule
    this.#learner = learner
    this.#lifecycle = lifecycle
    this.#lifecycle.begin()
  }

  get stage(): Stage {
    return this.#isServing ? 'serving' : this.#learner.stage
  }

  get #isServing(): boolean {
    return this.#lifecycle.stage === 'serving'
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    if (!this.#isServing) return this.#learner.decide(observation, out)
    this.#learner.policy.decide(observation, out)
    return 'agent'
  }

  observe(transition: Transition, info: StepInfo): void {
    if (!this.#isServing) this.#learner.observe(transition, info)
  }

  endEpisode(summary: EpisodeSummary): void {
    if (!this.#isServing) this.#learner.endEpisode(summary)
    this.#lifecycle.observe(measuredReward(summary))
  }
}
