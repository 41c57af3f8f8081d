import { ConfigError, type Controller, type ParallelEnvironment, type ParallelStep, Problems } from '@trimtab/core'
import { Guard, type GuardOptions } from '../episode/guard.js'
import type { Decider, Pilot, Source } from '../episode/pilot.js'
import type { ManyTransition } from './many-agent.js'
import { requireParallelStep } from './parallel-step-check.js'

/**
 * What training and judging ask of an environment of many agents; it need not be clonable. Where its `info` has a `present` [N], 0 says
 * that an agent is not there now: nothing is learned from its steps, and its episode ends.
 */
export type ManyEnvironment = Omit<ParallelEnvironment, 'save' | 'load'>

/** Decides for many agents, step by step, and learns from what came of it. N: agents, S: observation, A: action. */
export interface ManyPilot {
  /** Whose actions it chooses. */
  readonly decider: Decider
  /** Of each agent [N]: who decides where its telemetry or action is unusable. */
  readonly rules: readonly Controller[]
  /** The environment was reset; the rules are told apart from this. */
  beginEpisode?(): void
  /** Fills `out` [N, A] from `observations` [N, S]; rows may hold NaN. */
  decide(observations: Float32Array, out: Float32Array): void
  /** Called after each step with what was applied; a reward is NaN where one of the agent's two observations was unusable. Its arrays are reused. */
  observe(step: ManyTransition): void
  /** An episode of all agents is over. */
  endEpisode(): void
}

/** One step of all agents; its arrays are reused, copy what you keep. */
export interface ManyTick {
  readonly episode: number
  readonly step: number
  /** What was decided upon [N, S]. */
  readonly observations: Float32Array
  /** What was applied [N, A]. */
  readonly actions: Float32Array
  /** What came of it. */
  readonly result: ParallelStep
}

/** What one episode of many agents came to. */
export interface ManySummary {
  readonly episode: number
  readonly steps: number
  /** Sum of each agent's measured rewards [N]. */
  readonly rewards: Float64Array
  /** Steps of agents by whose action was applied; they sum to N times `steps`. */
  readonly sources: Readonly<Record<Source, number>>
}

/** How an episode of many agents is run. */
export interface ManyEpisodeOptions {
  /** Of the environment's chance. */
  readonly seed: number
  /** Its number in the summary and in the ticks; default 0. */
  readonly episode?: number
  /** Steps after which it is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on each agent's changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** Called after each step. */
  readonly onStep?: (tick: ManyTick) => void
  /** Ends the run between two steps. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof ManyEpisodeOptions)[] = ['seed', 'episode', 'episodeSteps', 'guard', 'onStep', 'signal']

/** No task is meant to last so long. */
const ENDLESS = 1_000_000

/**
 * Runs one episode of many agents, a guard for each between pilot and environment.
 *
 * @throws {ConfigError} `config_invalid`, `step_invalid` (the environment answers no `ParallelStep`), `episode_endless`; what pilot and
 *   environment throw; the signal's reason
 */
export function runManyEpisode(
  environment: ManyEnvironment,
  pilot: ManyPilot,
  options: ManyEpisodeOptions,
): ManySummary {
  const { seed, episode = 0, episodeSteps = Number.POSITIVE_INFINITY, guard, onStep, signal } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(episodeSteps >= 1, `episodeSteps must be >= 1, got ${episodeSteps}`)
  problems.check(
    pilot.rules.length === environment.agents,
    `each of ${environment.agents} agents needs a rule, got ${pilot.rules.length}`,
  )
  problems.throwIfAny('episode')
  const crowd = new Crowd(environment, pilot, guard)
  pilot.beginEpisode?.()
  for (const rule of pilot.rules) rule.beginEpisode?.()
  crowd.receive(environment.reset(seed))
  for (let step = 0, isOver = false; !isOver; step++) {
    signal?.throwIfAborted()
    if (step === ENDLESS) {
      throw new ConfigError(
        'episode_endless',
        `the environment has ended no episode in ${ENDLESS} steps (set episodeSteps, or answer truncated: true)`,
      )
    }
    const result = environment.step(crowd.decide())
    crowd.settle(result)
    isOver = result.truncated || step + 1 >= episodeSteps
    onStep?.({ episode, step, observations: crowd.transition.observations, actions: crowd.actions, result })
  }
  pilot.endEpisode()
  return { episode, steps: crowd.steps, rewards: crowd.rewards, sources: crowd.sources }
}

/** All agents of an episode: what was last seen of each, their guards, and what they earned. */
class Crowd {
  readonly actions: Float32Array // [N, A] applied
  readonly rewards: Float64Array // [N]
  readonly sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }
  steps = 0
  readonly #environment: ManyEnvironment
  readonly #pilot: ManyPilot
  readonly #agents: readonly GuardedAgent[]
  readonly #wanted: Float32Array // [N, A]
  /** What was decided upon, and what was seen then. */
  #here: Page
  #there: Page
  readonly #learned: Float32Array // [N], rewards that may be learned from

  constructor(environment: ManyEnvironment, pilot: ManyPilot, guard: GuardOptions | undefined) {
    const { agents, action } = environment
    const size = action.names.length
    this.#environment = environment
    this.#pilot = pilot
    this.#wanted = new Float32Array(agents * size)
    this.actions = new Float32Array(agents * size)
    this.rewards = new Float64Array(agents)
    this.#learned = new Float32Array(agents)
    this.#here = new Page(environment)
    this.#there = new Page(environment)
    const rowOf = (rows: Float32Array, i: number): Float32Array => rows.subarray(i * size, (i + 1) * size)
    this.#agents = pilot.rules.map((rule, i) => ({
      guard: new Guard({ observation: environment.observation, action }, guard),
      action: rowOf(this.actions, i),
      pilot: choosing(rowOf(this.#wanted, i), pilot.decider, rule),
    }))
  }

  /** The last step, between two calls of `settle`. */
  get transition(): ManyTransition {
    return {
      observations: this.#here.observations,
      actions: this.actions,
      rewards: this.#learned,
      nextObservations: this.#there.observations,
      globals: this.#here.globals,
      nextGlobals: this.#there.globals,
    }
  }

  /** The environment was reset. */
  receive(step: ParallelStep): void {
    requireParallelStep(step, this.#environment)
    this.#take(step)
  }

  /** What to apply [N, A]; it is reused. */
  decide(): Float32Array {
    const page = this.#here
    ;[this.#here, this.#there] = [this.#there, page]
    this.#pilot.decide(this.#here.observations, this.#wanted)
    for (const [i, { guard, pilot, action }] of this.#agents.entries())
      this.sources[guard.decide(pilot, this.#here.rows[i]!, action)]++
    return this.actions
  }

  /** What came of it. */
  settle(step: ParallelStep): void {
    requireParallelStep(step, this.#environment)
    this.steps++
    this.#take(step)
    for (const [i, reward] of step.rewards.entries()) {
      if (Number.isFinite(reward)) this.rewards[i]! += reward
      this.#learned[i] = this.#here.isUsable[i] && this.#there.isUsable[i] ? reward : Number.NaN
    }
    this.#pilot.observe(this.transition)
  }

  #take(step: ParallelStep): void {
    const page = this.#there
    page.observations.set(step.observations)
    page.globals.set(step.globals)
    const { present } = step.info
    for (const [i, { guard }] of this.#agents.entries()) {
      const isSeen = guard.receive(page.rows[i]!) === undefined
      page.isUsable[i] = isSeen && present?.[i] !== 0 ? 1 : 0
    }
  }
}

interface GuardedAgent {
  readonly guard: Guard
  readonly pilot: Pilot
  /** [A], its row of what is applied. */
  readonly action: Float32Array
}

/** What was seen of all agents at one moment. */
class Page {
  readonly observations: Float32Array // [N, S]
  readonly globals: Float32Array // [N, G]
  readonly rows: readonly Float32Array[] // of each agent [S], into the observations
  readonly isUsable: Uint8Array // [N]

  constructor({ agents, observation, global }: ManyEnvironment) {
    const size = observation.names.length
    this.observations = new Float32Array(agents * size)
    this.globals = new Float32Array(agents * global.names.length)
    this.rows = Array.from({ length: agents }, (_, i) => this.observations.subarray(i * size, (i + 1) * size))
    this.isUsable = new Uint8Array(agents)
  }
}

/** An agent's pilot: what was chosen for all, or its rule. */
function choosing(wanted: Float32Array, decider: Decider, rule: Controller): Pilot {
  return {
    stage: 'online',
    rule,
    decide(_observation, out) {
      out.set(wanted)
      return decider
    },
    observe() {},
    endEpisode() {},
  }
}
