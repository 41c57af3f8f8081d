import { type Agent, type Controller, Problems, type Space, type StepInfo, type Transition } from '@trimtab/core'
import type { Decider, Stage } from '@trimtab/learn'
import { leaning } from './lean.js'
import type { LearningPilot } from './retraining-pilot.js'

/** What a margin answers to, and how far it goes. */
export interface MarginOptions {
  /** Whether a step broke the SLO, as measured. */
  readonly isViolation: (info: StepInfo) => boolean
  /** For each coordinate of the action [A], where more of it is safer: 1 upwards, −1 downwards, 0 neither. */
  readonly safeDirection: readonly (-1 | 0 | 1)[]
  /** Violations allowed, as a share of steps in (0, 1): what the policy had when it was good. */
  readonly allowedRate: number
  /** What one violation adds to the margin, in units of [−1, 1]. Default 0.05. */
  readonly gain?: number
  /** The margin to start with, in [0, 1], e.g. what `margin` said before. Default 0. */
  readonly margin?: number
  /** What the step just taken would have been under another action, where that is known without trying it; learned from too. */
  readonly hindsight?: (action: Float32Array) => Transition | undefined
}

/** The policy that a margin is added to, who learns, and the rule beside them. */
export interface MarginParts {
  /** Who learns from what happens; without exploration of its own. */
  readonly agent: Pick<Agent, 'observe' | 'update' | 'endEpisode'>
  /** The policy that the agent has learned and goes on learning, e.g. `EnvelopePilot.policy`. */
  readonly policy: Controller
  readonly rule: Controller
  /** The environment's action space: a box, or levels in order. */
  readonly action: Space
}

const OPTIONS: readonly (keyof MarginOptions)[] = [
  'isViolation',
  'safeDirection',
  'allowedRate',
  'gain',
  'margin',
  'hindsight',
]

const MAX_MARGIN = 1 // half the action space: beyond, no policy is left that the margin could belong to

/**
 * Learning on that protects where no rule can: after an update the rule may be as wrong as the policy. The policy acts, and each
 * coordinate leans to its safe side by one margin m that measured violations set:
 *
 *     m ← clip(m + gain · (violated − allowedRate), 0, 1)
 *
 * A violation moves the margin at once, and it is given back slowly, at the rate at which violations are allowed. While m stays
 * below 1 the share of violations in T steps is at most `allowedRate` + (m_T − m_0) / (gain · T), whatever the system does:
 * adaptive conformal inference (Gibbs and Candès 2021) with a lean in place of a quantile. The agent learns off-policy beside it.
 */
export class MarginPilot implements LearningPilot {
  readonly rule: Controller
  readonly stage: Stage = 'online'
  /** The learned policy with the margin as it stands: what has been measured is what is served. */
  readonly policy: Controller
  readonly #agent: MarginParts['agent']
  readonly #options: Required<Omit<MarginOptions, 'hindsight'>> & MarginOptions
  #margin: number

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor({ agent, policy, rule, action }: MarginParts, options: MarginOptions) {
    const o = { gain: 0.05, margin: 0, ...options }
    const actionSize = action.names.length
    const directions = o.safeDirection.length
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.check(directions === actionSize, `safeDirection must have ${actionSize} entries, got ${directions}`)
    problems.check(o.allowedRate > 0 && o.allowedRate < 1, `allowedRate must be inside 0 … 1, got ${o.allowedRate}`)
    problems.check(o.gain > 0 && o.gain <= MAX_MARGIN, `gain must be > 0 and <= ${MAX_MARGIN}, got ${o.gain}`)
    problems.check(o.margin >= 0 && o.margin <= MAX_MARGIN, `margin must be in 0 … ${MAX_MARGIN}, got ${o.margin}`)
    problems.check(
      o.safeDirection.some((direction) => direction !== 0),
      'safeDirection must know a safe side of at least one coordinate',
    )
    problems.throwIfAny('margin')
    this.rule = rule
    this.#agent = agent
    this.#options = o
    this.#margin = o.margin
    this.policy = leaning(policy, action, o.safeDirection, () => this.#margin)
  }

  /** The lean to the safe side now, in [0, 1]. */
  get margin(): number {
    return this.#margin
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    this.policy.decide(observation, out)
    return 'agent'
  }

  observe(transition: Transition, info: StepInfo): void {
    const { hindsight, isViolation, gain, allowedRate } = this.#options
    const imagined = hindsight?.(transition.action)
    if (imagined) this.#agent.observe(imagined)
    this.#agent.observe(transition)
    this.#agent.update()
    const next = this.#margin + gain * ((isViolation(info) ? 1 : 0) - allowedRate)
    this.#margin = Math.min(MAX_MARGIN, Math.max(0, next))
  }

  /** An episode is over: the agent starts afresh, the margin stays. */
  endEpisode(): void {
    this.#agent.endEpisode()
  }
}
