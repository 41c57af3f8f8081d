import { type Controller, Problems, type StepInfo, type Transition } from '@trimtab/core'
import type { Decider, EpisodeSummary, ExploringAgent, Pilot, Stage } from './pilot.js'

/** An agent whose pull towards the rule's action and whose exploration can be turned while it runs; `Ddpg` is one. */
export interface BootstrappableAgent extends ExploringAgent {
  setCloningWeight(weight: number): void
  noiseScale: number
}

export interface EnvelopeOptions {
  /** Whether a step broke the SLO, as measured: the evidence that the envelope moves by. */
  readonly isViolation: (info: StepInfo) => boolean
  /** Episodes the rule drives alone, to learn its own rate of violations. Default 10. */
  readonly ruleEpisodes?: number
  /** Half-width of the envelope when the agent starts, in units of the action space [−1, 1]. Default 0.05. */
  readonly startWidth?: number
  /** What an episode within the budget adds to the width. Default 0.03. */
  readonly widening?: number
  /** Width at which the envelope no longer binds. Default 2, the whole action space. */
  readonly fullWidth?: number
  /** Violations allowed: this factor of the rule's own rate … Default 1.1. */
  readonly rateFactor?: number
  /** … plus this share of all steps. Default 0.0008. */
  readonly rateSlack?: number
  /** Violations that may be spent ahead of time. Default 2. */
  readonly credit?: number
  /** Weight of the pull towards the rule's action at the start; fades as the envelope widens. Default 1. */
  readonly cloningWeight?: number
  /** Exploration noise as a share of the width, at most the agent's own schedule. Default 0.5. */
  readonly noiseShare?: number
  readonly free?: readonly number[]
  readonly safe?: readonly number[]
  readonly safeWidth?: number
  readonly minNoise?: number
  readonly mode?: number
}

const DEFAULTS = {
  ruleEpisodes: 10,
  startWidth: 0.05,
  widening: 0.03,
  fullWidth: 2,
  rateFactor: 1.1,
  rateSlack: 0.0008,
  credit: 2,
  cloningWeight: 1,
  noiseShare: 0.5,
  free: [],
  safe: [],
  safeWidth: 0,
  minNoise: 0,
  mode: 0,
} as const

/**
 * Bootstrapping that protects (5.4): the rule never stops running. At first it acts and the agent learns off-policy from its
 * trajectories; then the agent acts, but each coordinate of its action stays within an envelope around what the rule would do
 * here and now. The envelope is paid for by an error budget: every step earns the rate of violations that is allowed, every
 * measured violation spends one. In credit the envelope widens, in debt it halves, deep in debt the rule drives.
 *
 * The papers' own switch compares rewards while the rule acts and says nothing about the agent (see `LifecyclePilot`); a
 * critic's advantage fires at the first chance also for a bad policy. Measured violations of actions really taken do neither.
 */
export class EnvelopePilot implements Pilot {
  readonly rule: Controller
  readonly agent: BootstrappableAgent
  readonly #options: Required<EnvelopeOptions>
  readonly #ruleAction: Float32Array
  #episode = 0
  #width: number
  #balance: number
  #drivenByRule = true
  #ruleSteps = 0
  #ruleViolations = 0
  #steps = 0
  #violations = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(agent: BootstrappableAgent, rule: Controller, actionSize: number, options: EnvelopeOptions) {
    this.agent = agent
    this.rule = rule
    this.#options = { ...DEFAULTS, ...options }
    const o = this.#options
    const problems = new Problems()
    problems.check(
      Number.isInteger(o.ruleEpisodes) && o.ruleEpisodes >= 1,
      `ruleEpisodes must be a whole number >= 1, got ${o.ruleEpisodes}`,
    )
    problems.check(
      o.startWidth >= 0 && o.startWidth <= o.fullWidth,
      `startWidth must be in 0 … fullWidth, got ${o.startWidth}`,
    )
    for (const name of ['widening', 'rateFactor', 'rateSlack', 'credit', 'cloningWeight', 'noiseShare'] as const) {
      problems.check(o[name] >= 0, `${name} must be >= 0, got ${o[name]}`)
    }
    problems.throwIfAny('envelope')
    this.#width = o.startWidth
    this.#balance = o.credit
    this.#ruleAction = new Float32Array(actionSize)
    this.#apply()
  }

  get stage(): Stage {
    return this.#drivenByRule ? 'offline' : 'online'
  }

  /** Half-width of the envelope now. */
  get width(): number {
    return this.#width
  }

  /** Violations in hand; negative: in debt. */
  get balance(): number {
    return this.#balance
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    this.rule.decide(observation, this.#ruleAction)
    if (this.#drivenByRule) {
      out.set(this.#ruleAction)
      return 'rule'
    }
    this.agent.explore(observation, out)
    this.#confine(out)
    return 'agent'
  }

  /** The policy as it stands, without exploration: what is served and judged. */
  get policy(): Controller {
    return {
      name: this.agent.name,
      beginEpisode: () => this.rule.beginEpisode?.(),
      decide: (observation, out) => {
        this.rule.decide(observation, this.#ruleAction)
        this.agent.decide(observation, out)
        this.#confine(out)
      },
    }
  }

  #confine(out: Float32Array): void {
    const width = this.#width
    for (let i = 0; i < out.length; i++) {
      if (this.#options.free.includes(i)) continue
      const centre = this.#ruleAction[i]!
      const safe = this.#options.safe[i] ?? 0
      const up = safe > 0 ? Math.max(width, this.#options.safeWidth) : width
      const down = safe < 0 ? Math.max(width, this.#options.safeWidth) : width
      out[i] = Math.min(centre + up, Math.max(centre - down, out[i]!))
    }
  }

  observe(transition: Transition, info: StepInfo): void {
    this.agent.observe({ ...transition, ruleAction: this.#ruleAction })
    this.agent.update()
    const violated = this.#options.isViolation(info)
    this.#steps++
    if (violated) this.#violations++
  }

  endEpisode(_summary: EpisodeSummary): void {
    const o = this.#options
    if (this.#drivenByRule) {
      this.#ruleSteps += this.#steps
      this.#ruleViolations += this.#violations
    } else this.agent.endEpisode()
    this.#episode++
    const allowed = o.rateFactor * ((this.#ruleViolations + 1) / Math.max(1, this.#ruleSteps + 500)) + o.rateSlack
    this.#balance = Math.min(this.#balance, 5)
    // Chance must not pile up: what the rule itself breaks is its own affair, and credit is limited to what two episodes earn.
    if (!this.#drivenByRule) this.#balance += allowed * this.#steps - this.#violations
    else if (this.#episode > o.ruleEpisodes) this.#balance += allowed * this.#steps
    if (this.#episode > o.ruleEpisodes) {
      if (o.mode === 1 && !this.#drivenByRule) {
        const budget = allowed * this.#steps
        const next = this.#width + o.widening * Math.max(-20, (budget - this.#violations) / budget)
        this.#width = Math.min(o.fullWidth, Math.max(o.startWidth, this.#width / 2, next))
      } else if (this.#balance >= 0) this.#width = Math.min(o.fullWidth, this.#width + o.widening)
      else this.#width = Math.max(o.startWidth, this.#width / 2)
    }
    this.#drivenByRule = this.#episode < o.ruleEpisodes || this.#balance < -o.credit
    this.#steps = 0
    this.#violations = 0
    this.#apply()
  }

  /** Exploration and the pull to the rule follow the width. */
  #apply(): void {
    const o = this.#options
    this.agent.noiseScale = Math.min(1, Math.max(o.minNoise, o.noiseShare * this.#width))
    this.agent.setCloningWeight(o.cloningWeight * Math.max(0, 1 - this.#width / o.fullWidth))
  }
}
