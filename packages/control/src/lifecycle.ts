import { Problems } from '@trimtab/core'
import type { Stage } from '@trimtab/learn'

/** The user's profile P of Algorithm 5.1. Rewards are episode totals; thresholds belong to one environment and do not travel. */
export interface LifecycleProfile {
  /** Begin under the rule (OFFLINE) instead of with the agent (ONLINE). */
  readonly bootstrap: boolean
  /** T_online: the mean reward that ends OFFLINE; a good value is the rule's own mean in this environment. */
  readonly onlineReward: number
  /** T_serving: the mean reward that ends ONLINE, e.g. 0.974 of the converged one. */
  readonly servingReward: number
  /** T_var, a standard deviation in spite of its name: the most that SERVING allows. */
  readonly servingDeviation: number
  /** An option beyond the algorithm: a mean reward below this sends ONLINE or SERVING back to OFFLINE. Default: never. */
  readonly offlineReward?: number
  /** Episodes that count as recent; default 10. */
  readonly window?: number
  /** Episodes in a row that must agree before the stage changes; default 2. 1 is the algorithm to the letter. */
  readonly hysteresis?: number
}

const PROFILE: readonly (keyof LifecycleProfile)[] = [
  'bootstrap',
  'onlineReward',
  'servingReward',
  'servingDeviation',
  'offlineReward',
  'window',
  'hysteresis',
]

/** Everything a lifecycle remembers, as plain JSON. */
export interface LifecycleState {
  readonly stage: Stage
  /** Recent episode rewards of whoever acts in this stage, oldest first. */
  readonly rewards: readonly number[]
  /** The stage that the last episodes asked for, and how many of them in a row. */
  readonly candidate: Stage
  readonly agreed: number
}

/**
 * Algorithm 5.1: which stage an agent is in, from its episode rewards alone.
 *
 * INITIALIZED → OFFLINE (bootstrapping) or ONLINE; OFFLINE → ONLINE when avg(R) ≥ T_online; ONLINE → SERVING when
 * avg(R) ≥ T_serving and std(R) ≤ T_var; SERVING → ONLINE when either fails.
 *
 * Where the text is silent: R are the last `window` episodes, std is the population's; OFFLINE and ONLINE are left for something
 * riskier only on a full window, while a way back needs no full one; R starts anew when somebody else begins to act, because the
 * rule's rewards say nothing about the agent's.
 *
 * Source: dissertation 5.3.2, Algorithm 5.1.
 */
export class Lifecycle {
  readonly #profile: LifecycleProfile
  readonly #window: number
  readonly #hysteresis: number
  #stage: Stage = 'initialized'
  #rewards: number[] = []
  #candidate: Stage = 'initialized'
  #agreed = 0

  /**
   * @param state  what `save` returned, to go on from there
   * @throws {ConfigError} `config_invalid` with every problem found
   */
  constructor(profile: LifecycleProfile, state?: LifecycleState) {
    const { window = 10, hysteresis = 2 } = profile
    const problems = new Problems()
    problems.checkKeys(profile, PROFILE, 'profile')
    for (const name of ['onlineReward', 'servingReward', 'servingDeviation'] as const)
      problems.check(!Number.isNaN(profile[name] ?? Number.NaN), `${name} must be a number, got ${profile[name]}`)
    problems.check(!(profile.servingDeviation < 0), `servingDeviation must be >= 0, got ${profile.servingDeviation}`)
    problems.check(
      !((profile.offlineReward ?? Number.NEGATIVE_INFINITY) > profile.servingReward),
      `offlineReward must not exceed servingReward, got ${profile.offlineReward} > ${profile.servingReward}`,
    )
    problems.check(Number.isInteger(window) && window >= 1, `window must be a whole number >= 1, got ${window}`)
    problems.check(
      Number.isInteger(hysteresis) && hysteresis >= 1,
      `hysteresis must be a whole number >= 1, got ${hysteresis}`,
    )
    problems.throwIfAny('lifecycle')
    this.#profile = profile
    this.#window = window
    this.#hysteresis = hysteresis
    if (state !== undefined) {
      this.#stage = state.stage
      this.#rewards = state.rewards.slice(-window)
      this.#candidate = state.candidate
      this.#agreed = state.agreed
    }
  }

  /** Who acts now. */
  get stage(): Stage {
    return this.#stage
  }

  /** Mean of the recent rewards; NaN without any. */
  get mean(): number {
    return this.#rewards.reduce((sum, reward) => sum + reward, 0) / this.#rewards.length
  }

  /** Population standard deviation of the recent rewards; NaN without any. */
  get deviation(): number {
    const mean = this.mean
    return Math.sqrt(this.#rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / this.#rewards.length)
  }

  /** Leaves INITIALIZED; later calls change nothing. */
  begin(): Stage {
    if (this.#stage === 'initialized') this.#enter(this.#profile.bootstrap ? 'offline' : 'online')
    return this.#stage
  }

  /** Takes one episode's reward and returns the stage of the next episode. A reward that is not finite is not evidence. */
  observe(episodeReward: number): Stage {
    this.begin()
    if (!Number.isFinite(episodeReward)) return this.#stage
    this.#rewards.push(episodeReward)
    if (this.#rewards.length > this.#window) this.#rewards.shift()
    const candidate = this.#next()
    this.#agreed = candidate === this.#candidate ? this.#agreed + 1 : 1
    this.#candidate = candidate
    if (candidate !== this.#stage && this.#agreed >= this.#hysteresis) this.#enter(candidate)
    return this.#stage
  }

  /** Leaves SERVING for ONLINE on evidence that is not in the rewards, with R anew; in other stages nothing happens. */
  retrain(): void {
    if (this.#stage !== 'serving') return
    this.#rewards = []
    this.#enter('online')
  }

  /** All that decides when the stage changes; plain data. */
  save(): LifecycleState {
    return { stage: this.#stage, rewards: [...this.#rewards], candidate: this.#candidate, agreed: this.#agreed }
  }

  /** The stage that the recent rewards ask for. */
  #next(): Stage {
    const { onlineReward, servingReward, servingDeviation, offlineReward = Number.NEGATIVE_INFINITY } = this.#profile
    const isFull = this.#rewards.length === this.#window
    const mean = this.mean
    const serves = mean >= servingReward && this.deviation <= servingDeviation
    switch (this.#stage) {
      case 'initialized':
        return 'initialized'
      case 'offline':
        return isFull && mean >= onlineReward ? 'online' : 'offline'
      case 'online':
        if (mean < offlineReward) return 'offline'
        return isFull && serves ? 'serving' : 'online'
      case 'serving':
        if (mean < offlineReward) return 'offline'
        return serves ? 'serving' : 'online'
      default:
        return this.#stage satisfies never
    }
  }

  #enter(stage: Stage): void {
    if (stage === 'offline' || this.#stage === 'offline') this.#rewards = []
    this.#stage = stage
    this.#candidate = stage
    this.#agreed = 0
  }
}
