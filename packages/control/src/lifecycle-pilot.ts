import { type Agent, type Controller, Problems, type StepInfo, type Transition } from '@trimtab/core'
import { type Decider, type EpisodeSummary, measuredReward, type Pilot, type Stage } from '@trimtab/learn'
import type { Lifecycle } from './lifecycle.js'

/** Who takes part in the lifecycle of Algorithm 5.1. */
export interface LifecyclePilotOptions {
  readonly agent: Agent
  /** HPA+VPA in AWARE: acts in OFFLINE, and whenever the agent must not. */
  readonly rule: Controller
  readonly lifecycle: Lifecycle
}

/**
 * Algorithm 5.1 to the letter: the rule acts in OFFLINE while the agent learns off-policy from its trajectory; the agent acts in
 * ONLINE, exploring and learning, and in SERVING, neither, until its rewards send it back.
 *
 * The switch trusts the fallback's own reward, which says nothing about the agent: expect several times the rule's violations
 * right after it. The envelope around the rule (`envelope-pilot.ts`) is what protects.
 *
 * The rule is asked in every stage, so that one with a memory (VPA's histograms) is warm when it must take over.
 *
 * Source: dissertation 5.3.2–5.3.4.
 */
export class LifecyclePilot implements Pilot {
  readonly rule: Controller
  readonly #agent: Agent
  readonly #lifecycle: Lifecycle
  #shadow: Float32Array | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: LifecyclePilotOptions) {
    const problems = new Problems()
    problems.checkKeys(options, ['agent', 'rule', 'lifecycle'], 'options')
    problems.throwIfAny('lifecycle pilot')
    this.rule = options.rule
    this.#agent = options.agent
    this.#lifecycle = options.lifecycle
    this.#lifecycle.begin()
  }

  get stage(): Stage {
    return this.#lifecycle.stage
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    switch (this.stage) {
      case 'online':
        this.#askInShadow(observation, out.length)
        this.#agent.explore(observation, out)
        return 'agent'
      case 'serving':
        this.#askInShadow(observation, out.length)
        this.#agent.decide(observation, out)
        return 'agent'
      case 'initialized':
      case 'offline':
        this.rule.decide(observation, out)
        return 'rule'
      default:
        return this.stage satisfies never
    }
  }

  observe(transition: Transition, _info: StepInfo): void {
    if (this.stage === 'serving') return
    this.#agent.observe(this.stage === 'offline' ? { ...transition, ruleAction: transition.action } : transition)
    this.#agent.update()
  }

  /** An episode is over: its mean reward may change the stage. */
  endEpisode(summary: EpisodeSummary): void {
    // Exploration fades with the episodes that the agent has acted in; in serving it has been shown nothing.
    if (this.stage === 'online' || (this.stage === 'offline' && this.#agent.isOnPolicy)) this.#agent.endEpisode()
    this.#lifecycle.observe(measuredReward(summary))
  }

  #askInShadow(observation: Float32Array, actionSize: number): void {
    this.#shadow ??= new Float32Array(actionSize)
    try {
      this.rule.decide(observation, this.#shadow)
    } catch {
      // A rule that fails in the shadow harms nobody; should it be needed, the guard holds the last safe action.
    }
  }
}
