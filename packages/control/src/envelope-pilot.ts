import { type Agent, type Controller, Problems, type Space, type StepInfo, type Transition } from '@trimtab/core'
import type { Decider, Stage } from '@trimtab/learn'
import { reachOf } from './reach.js'
import type { LearningPilot } from './retraining-pilot.js'

/** How fast the envelope widens and narrows, by what evidence, and what the agent learns beside it. */
export interface EnvelopeOptions {
  /** Whether a step broke the SLO, as measured: the evidence that the envelope moves by. */
  readonly isViolation: (info: StepInfo) => boolean
  /**
   * For each coordinate of the action, where more of it is safer: 1 upwards, −1 downwards, 0 unknown. Exploration and the
   * wide side of the envelope point there. Default: all 0, a symmetric envelope.
   */
  readonly safeDirection?: readonly (-1 | 0 | 1)[]
  /**
   * What the step just taken would have been under another action, where that is known without trying it (used memory was
   * measured, so a kill under any limit follows). Learned from beside the real step; violations in it cost nothing.
   */
  readonly hindsight?: (action: Float32Array) => Transition | undefined
  /**
   * Half-width, in units of [−1, 1], of what the agent's own action spans around the rule's: 0 is then the rule itself, ±1 this
   * far from it, and widths and exploration count in this span. An agent that knows nothing yet says about 0, so it begins as the
   * rule and learns where to leave it; one of absolute actions must learn the rule first. Needs a box of [−1, 1];
   * such an agent may be taught by this pilot only. Default: its action is absolute.
   */
  readonly reach?: number
  /** Episodes the rule drives alone, to learn its own rate of violations. Default 6. */
  readonly ruleEpisodes?: number
  /** Half-width of the envelope on the risky side when the agent starts, in units of [−1, 1]. Default 0.1. */
  readonly startWidth?: number
  /** Width on the safe side, until the risky side grows past it. Default 0.5. */
  readonly safeWidth?: number
  /** What an episode without a violation adds to the width. Default 0.08. */
  readonly widening?: number
  /** Violations allowed: this factor of the rule's own rate … Default 1.1. */
  readonly rateFactor?: number
  /** … plus this share of all steps. Default 0.0008. */
  readonly rateSlack?: number
  /** Debt, in violations, from which on the rule drives. Default 2. */
  readonly credit?: number
  /** Weight of the pull towards the rule's action at the start; fades as the envelope widens. Default 1. */
  readonly cloningWeight?: number
}

/** Everything that an envelope has learned about itself, as plain JSON. */
export interface EnvelopeState {
  readonly episode: number
  readonly width: number
  readonly balance: number
  readonly isRuleDriving: boolean
  readonly ruleSteps: number
  readonly ruleViolations: number
}

const DEFAULTS = {
  ruleEpisodes: 6,
  startWidth: 0.1,
  safeWidth: 0.5,
  widening: 0.08,
  rateFactor: 1.1,
  rateSlack: 0.0008,
  credit: 2,
  cloningWeight: 1,
} as const

const OPTIONS: readonly (keyof EnvelopeOptions)[] = [
  'isViolation',
  'safeDirection',
  'hindsight',
  'reach',
  'ruleEpisodes',
  'startWidth',
  'safeWidth',
  'widening',
  'rateFactor',
  'rateSlack',
  'credit',
  'cloningWeight',
]

const ROUNDING = 1e-5 // of f32 actions on the way to the world and back
const FULL_WIDTH = 2 // the action space: the envelope no longer binds
const MAX_CREDIT = 5 // violations that may be saved up: old luck must not pay for new damage
const LEAST_NOISE = 0.1 // standard deviation, in units of the action space
const NOISE_SHARE = 0.2 // of the width: exploration follows it
const MEAN_OF_HALF_NORMAL = 0.7979 // √(2/π): what one-sided noise of deviation 1 adds on average
// The rule's rate starts from one violation in 500 steps, so that a lucky or unlucky first hour decides little.
const PRIOR_VIOLATIONS = 1
const PRIOR_STEPS = 500

/**
 * Bootstrapping that protects (5.4). The rule never stops running. At first it acts and the agent learns off-policy; then the
 * agent acts, but each coordinate stays inside an envelope around what the rule would do here and now: wide on the safe side,
 * narrow on the risky one.
 *
 * An error budget moves the risky side. Each step earns the rate of violations that is allowed, each measured violation spends
 * one; an episode widens the envelope by what it left of its budget and narrows it by what it overspent. In debt the rule drives.
 *
 * Agents of every family fit in. Discrete actions must be levels in order, the envelope is whole levels of them around the rule's
 * choice: a width of 0.5 on 11 frequencies is 3 of them on each side.
 *
 * The papers' switch compares rewards while the rule acts and so says nothing about the agent (see `LifecyclePilot`); a critic's
 * opinion of its own policy is no evidence either. Measured violations of actions really taken are.
 */
export class EnvelopePilot implements LearningPilot {
  readonly rule: Controller
  readonly agent: Agent
  /**
   * The policy as it stands, without chance: what is served and judged. It is the mean of the exploring one, safe side
   * included, since that is what the error budget has measured.
   */
  readonly policy: Controller
  readonly #options: Required<Omit<EnvelopeOptions, 'hindsight' | 'safeDirection' | 'reach'>> & EnvelopeOptions
  readonly #action: Space
  readonly #safeDirection: readonly (-1 | 0 | 1)[]
  readonly #ruleAction: Float32Array // [A]
  readonly #centre: Float32Array // [A], of the envelope, in the agent's own words: the rule's action, or 0 where they are deviations
  readonly #deviation: Float32Array // [A], what is learned from where they are
  readonly #risky: Float64Array // [A], how far the envelope reaches, in the action's own units
  readonly #safe: Float64Array // [A]
  #episode = 0
  #width: number
  #balance: number
  #isRuleDriving = true
  #ruleSteps = PRIOR_STEPS
  #ruleViolations = PRIOR_VIOLATIONS
  #steps = 0 // measured in this episode: steps without telemetry are no evidence
  #violations = 0 // among them

  /**
   * @param action  the environment's action space: a box, or levels in order
   * @param state  what `save` returned, to go on from there
   * @throws {ConfigError} `config_invalid` with every problem
   */
  constructor(agent: Agent, rule: Controller, action: Space, options: EnvelopeOptions, state?: EnvelopeState) {
    const o = { ...DEFAULTS, ...options }
    const actionSize = action.names.length
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.check(
      Number.isInteger(o.ruleEpisodes) && o.ruleEpisodes >= 1,
      `ruleEpisodes must be a whole number >= 1, got ${o.ruleEpisodes}`,
    )
    problems.check(
      o.startWidth >= 0 && o.startWidth <= FULL_WIDTH,
      `startWidth must be in 0 … ${FULL_WIDTH}, got ${o.startWidth}`,
    )
    for (const name of ['safeWidth', 'widening', 'rateFactor', 'rateSlack', 'credit', 'cloningWeight'] as const) {
      problems.check(o[name] >= 0, `${name} must be >= 0, got ${o[name]}`)
    }
    problems.check(
      o.rateFactor + o.rateSlack > 0,
      'rateFactor and rateSlack must not both be 0: no violation could ever be paid for',
    )
    const directions = o.safeDirection?.length ?? actionSize
    problems.check(directions === actionSize, `safeDirection must have ${actionSize} entries, got ${directions}`)
    if (o.reach !== undefined) {
      problems.check(
        o.reach > 0 && o.reach <= FULL_WIDTH,
        `reach must be above 0, at most ${FULL_WIDTH}, got ${o.reach}`,
      )
      const isUnit = action.low.every((low) => low === -1) && action.high.every((high) => high === 1)
      problems.check(action.kind === 'box' && isUnit, 'reach needs an action that is a box of [−1, 1]')
    }
    problems.throwIfAny('envelope')
    this.agent = agent
    this.rule = rule
    this.#options = o
    this.#action = action
    this.#safeDirection = o.safeDirection ?? new Array<0>(actionSize).fill(0)
    this.#ruleAction = new Float32Array(actionSize)
    this.#centre = o.reach === undefined ? this.#ruleAction : new Float32Array(actionSize)
    this.#deviation = new Float32Array(actionSize)
    this.#risky = new Float64Array(actionSize)
    this.#safe = new Float64Array(actionSize)
    this.#width = o.startWidth
    this.#balance = o.credit
    if (state !== undefined) {
      this.#episode = state.episode
      this.#width = state.width
      this.#balance = state.balance
      this.#isRuleDriving = state.isRuleDriving
      this.#ruleSteps = state.ruleSteps
      this.#ruleViolations = state.ruleViolations
    }
    this.#follow()
    this.policy = {
      name: agent.name,
      beginEpisode: () => rule.beginEpisode?.(),
      decide: (observation, out) => {
        rule.decide(observation, this.#ruleAction)
        agent.decide(observation, out)
        if (action.kind === 'box') this.#lean(out)
        this.#confine(out)
        this.#toWorld(out)
      },
    }
  }

  get stage(): Stage {
    return this.#isRuleDriving ? 'offline' : 'online'
  }

  /** How far the agent may go from the rule's action on the risky side. */
  get width(): number {
    return this.#width
  }

  /** Between two episodes. The agent saves itself. */
  save(): EnvelopeState {
    return {
      episode: this.#episode,
      width: this.#width,
      balance: this.#balance,
      isRuleDriving: this.#isRuleDriving,
      ruleSteps: this.#ruleSteps,
      ruleViolations: this.#ruleViolations,
    }
  }

  /** Violations in hand; negative: in debt. */
  get balance(): number {
    return this.#balance
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    this.rule.decide(observation, this.#ruleAction)
    if (this.#isRuleDriving) {
      out.set(this.#ruleAction)
      return 'rule'
    }
    this.agent.explore(observation, out, 0, this.#safeDirection)
    this.#confine(out)
    this.#toWorld(out)
    return 'agent'
  }

  /** By what one-sided noise adds on average. Choices at random know no sides. */
  #lean(out: Float32Array): void {
    const { low, high } = this.#action
    const lean = MEAN_OF_HALF_NORMAL * this.agent.explorationLevel
    for (let i = 0; i < out.length; i++) {
      out[i] = Math.min(high[i]!, Math.max(low[i]!, out[i]! + lean * this.#safeDirection[i]!))
    }
  }

  #confine(out: Float32Array): void {
    for (let i = 0; i < out.length; i++) {
      const centre = this.#centre[i]!
      const below = this.#safeDirection[i]! < 0 ? this.#safe[i]! : this.#risky[i]!
      const above = this.#safeDirection[i]! > 0 ? this.#safe[i]! : this.#risky[i]!
      out[i] = Math.min(centre + above, Math.max(centre - below, out[i]!))
    }
  }

  /** The action that a deviation [A] from the rule stands for, in place. */
  #toWorld(out: Float32Array): void {
    const { reach } = this.#options
    if (reach === undefined) return
    for (let i = 0; i < out.length; i++) out[i] = Math.min(1, Math.max(-1, this.#ruleAction[i]! + reach * out[i]!))
  }

  /** Lets the agent learn from a step, in its own words; what they cannot say, beyond `reach`, it does not learn from. */
  #teach(transition: Transition): void {
    const { reach } = this.#options
    const isRuleKnown = this.#ruleAction.every(Number.isFinite)
    const pull = isRuleKnown ? { ruleAction: this.#centre } : {} // a rule without answer pulls nowhere
    if (reach === undefined) {
      this.agent.observe({ ...transition, ...pull })
      return
    }
    if (!isRuleKnown) return
    for (let i = 0; i < this.#deviation.length; i++) {
      const deviation = (transition.action[i]! - this.#ruleAction[i]!) / reach
      if (Math.abs(deviation) > 1 + ROUNDING) return
      this.#deviation[i] = Math.min(1, Math.max(-1, deviation))
    }
    this.agent.observe({ ...transition, action: this.#deviation, ...pull })
  }

  observe(transition: Transition, info: StepInfo): void {
    const imagined = this.#options.hindsight?.(transition.action)
    if (imagined) this.#teach(imagined)
    this.#teach(transition)
    this.agent.update()
    this.#steps++
    if (this.#options.isViolation(info)) this.#violations++
  }

  /** An episode is over: its violations are booked against the error budget, and that decides who drives the next one. */
  endEpisode(): void {
    this.#episode++
    if (this.#isRuleDriving) {
      this.#ruleSteps += this.#steps
      this.#ruleViolations += this.#violations
    }
    // Exploration fades with the episodes that the agent has acted in.
    if (!this.#isRuleDriving || this.agent.isOnPolicy) this.agent.endEpisode()
    const { ruleEpisodes, rateFactor, rateSlack, credit } = this.#options
    const budget = ((rateFactor * this.#ruleViolations) / this.#ruleSteps + rateSlack) * this.#steps
    if (this.#isRuleDriving) {
      // What the rule itself breaks is its own affair: its episodes only pay debts.
      if (this.#episode > ruleEpisodes) this.#balance += budget
    } else {
      this.#balance += budget - this.#violations
      if (budget > 0) this.#move((budget - this.#violations) / budget)
    }
    this.#balance = Math.min(this.#balance, MAX_CREDIT)
    this.#isRuleDriving = this.#episode < ruleEpisodes || this.#balance < -credit
    this.#steps = 0
    this.#violations = 0
    this.#follow()
  }

  /** @param left  what the episode left of its budget, as a share: 1 all of it, negative when overspent */
  #move(left: number): void {
    const { startWidth, widening } = this.#options
    const next = Math.max(this.#width + widening * left, this.#width / 2)
    this.#width = Math.min(FULL_WIDTH, Math.max(startWidth, next))
  }

  /** The envelope, exploration and the pull to the rule follow the width. */
  #follow(): void {
    reachOf(this.#action, this.#width, this.#risky)
    reachOf(this.#action, Math.max(this.#width, this.#options.safeWidth), this.#safe)
    const schedule = this.agent.explorationLevel / this.agent.explorationScale
    const deviation = Math.min(schedule, Math.max(LEAST_NOISE, NOISE_SHARE * this.#width))
    this.agent.explorationScale = schedule > 0 ? deviation / schedule : 1
    this.agent.setCloningWeight?.(this.#options.cloningWeight * (1 - this.#width / FULL_WIDTH))
  }
}
