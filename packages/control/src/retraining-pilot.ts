import { type Controller, Problems, type StepInfo, type Transition } from '@trimtab/core'
import { type Decider, type EpisodeSummary, measuredReward, type Pilot, type Stage } from '@trimtab/learn'
import type { Lifecycle } from './lifecycle.js'

/** A pilot that learns, and whose policy can be served as it stands; `EnvelopePilot` is one. */
export interface LearningPilot extends Pilot {
  /** What it has learned, without chance. */
  readonly policy: Controller
}

/** Measured violations as evidence that a served policy fits no longer. */
export interface ViolationTest {
  /** Whether a step broke the SLO, as measured. */
  readonly isViolation: (info: StepInfo) => boolean
  /** Violations that are nothing new, as a share of steps in (0, 1), e.g. what serving had. */
  readonly allowedRate: number
  /** Violations beyond these that end serving, at once. Default 4. */
  readonly excess?: number
}

/** Who learns, who decides when, and what counts besides rewards. */
export interface RetrainingOptions {
  readonly learner: LearningPilot
  readonly lifecycle: Lifecycle
  /** Beside the rewards, in which a p99 a little above the SLO is next to nothing. Default: rewards alone, as in the papers. */
  readonly violations?: ViolationTest
}

/**
 * Incremental retraining: the detector of Algorithm 5.1 around a pilot that learns.
 *
 * In SERVING the policy acts as it stands and nothing is learned. When the mean or the deviation of the recent episode rewards
 * leaves its bounds (a patch, other payloads, another load), or measured violations pile up beyond the allowed rate, the pilot
 * goes on learning from where it stood, under the protection that it has; when the rewards are good again, it is served.
 *
 * Violations are summed one-sidedly (Page's CUSUM, 1954): each adds one, each step takes the allowed rate off, and the sum
 * neither falls below 0 nor rises above `excess`. The test ends serving within an episode; rewards do so between two.
 *
 * `MarginPilot` is the learner for this: an envelope around a rule does harm where the update has broken the rule too.
 * `LifecyclePilot` is the algorithm to the letter, with free exploration in ONLINE.
 *
 * Source: dissertation 5.3.3, Algorithm 5.1, lines 14–21.
 */
export class RetrainingPilot implements Pilot {
  readonly rule: Controller
  readonly #learner: LearningPilot
  readonly #lifecycle: Lifecycle
  readonly #violations: Required<ViolationTest> | undefined
  #excess = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(options: RetrainingOptions) {
    const { learner, lifecycle, violations } = options
    const problems = new Problems()
    problems.checkKeys(options, ['learner', 'lifecycle', 'violations'], 'options')
    if (violations !== undefined) {
      const test = { excess: 4, ...violations }
      const { allowedRate, excess } = test
      problems.checkKeys(violations, ['isViolation', 'allowedRate', 'excess'], 'options.violations')
      problems.check(allowedRate > 0 && allowedRate < 1, `allowedRate must be inside 0 … 1, got ${allowedRate}`)
      problems.check(excess > 0 && excess < Number.POSITIVE_INFINITY, `excess must be > 0 and finite, got ${excess}`)
      this.#violations = test
    }
    problems.throwIfAny('retraining')
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
    if (this.#violations !== undefined) this.#test(info, this.#violations)
  }

  /**
   * An episode is over: its reward, and its violations where they are told apart, decide whether to serve or to learn.
   */
  endEpisode(summary: EpisodeSummary): void {
    if (!this.#isServing) this.#learner.endEpisode(summary)
    this.#lifecycle.observe(measuredReward(summary))
  }

  #test(info: StepInfo, { isViolation, allowedRate, excess }: Required<ViolationTest>): void {
    const next = this.#excess + (isViolation(info) ? 1 : 0) - allowedRate
    this.#excess = Math.min(excess, Math.max(0, next))
    if (this.#excess === excess) this.#lifecycle.retrain()
  }
}
