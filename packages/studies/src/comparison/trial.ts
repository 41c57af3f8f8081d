import { EnvelopePilot } from '@trimtab/control'
import { type Controller, type Core, Random } from '@trimtab/core'
import {
  createBaseLearner,
  evaluate,
  exploringPilot,
  type Pilot,
  rulePilot,
  runEpisode,
  type Tick,
} from '@trimtab/learn'
import type { ControlTask, TaskEnvironment } from '@trimtab/tasks'
import { LEARNERS } from './controllers.js'

/** One controller, one pair, one seed: the unit of work. Cloneable. */
export interface TrialSpec {
  /** What `loadTask` takes: a name, or the URL of a module. */
  readonly task: string
  /** Number of the pair. */
  readonly pair: number
  readonly seed: number
  /** Name of a rule of the task, `trimtab` or `scratch`. */
  readonly controller: string
  /** Episodes before it is judged. */
  readonly episodes: number
}

/** What a trial came to. */
export interface TrialResult {
  readonly spec: TrialSpec
  /** Without exploration, on episodes that nobody learned from. */
  readonly judged: {
    /** Mean of an episode. */
    readonly reward: number
    /** True violations, percent of steps; absent where the task has none. */
    readonly violationPercent?: number
  }
  /** While learning, episode by episode; rules live through the same ones. */
  readonly learning: {
    readonly reward: readonly number[]
    readonly violationPercent?: readonly number[]
    /** Episodes that the rule drove. */
    readonly ruleEpisodes: number
  }
}

const JUDGED_EPISODES = 10
const EPISODES_APART = 100_000 // seeds of different runs never meet
const FIRST_JUDGED = 50_000
const STREAM = 107

/** Counts the steps that broke the SLO, and all. */
class ViolationCount {
  readonly #isViolation: ((info: Tick['info']) => boolean) | undefined
  #violations = 0
  #steps = 0

  constructor({ safety }: ControlTask) {
    const truth = safety && (safety.isTrueViolation ?? safety.isViolation)
    this.#isViolation = truth && ((info) => truth.call(safety, info))
  }

  readonly note = ({ info }: Tick): void => {
    this.#steps++
    if (this.#isViolation?.(info)) this.#violations++
  }

  /** Since the last call; nothing where the task has no violations. */
  take(): { readonly violationPercent?: number } {
    const percent = (100 * this.#violations) / Math.max(1, this.#steps)
    this.#violations = 0
    this.#steps = 0
    return this.#isViolation ? { violationPercent: percent } : {}
  }
}

/** Who acts while learning, who is judged, and what has to be given back. */
interface Cast {
  readonly pilot: Pilot
  readonly judged: Controller
  dispose(): void
}

/** What happened in one learning episode. */
export interface TrialEpisode {
  readonly reward: number
  /** True violations, percent of steps; absent where the task has none. */
  readonly violationPercent?: number
  /** Where its pilot stood: who decided. */
  readonly stage: string
}

/**
 * One controller living with one pair, episode by episode, the guard always between controller and world; then judged. Everything
 * follows from the spec.
 */
export class Trial {
  readonly spec: TrialSpec
  readonly #task: ControlTask
  readonly #world: TaskEnvironment
  readonly #rule: Controller
  readonly #random: Random
  readonly #cast: Cast
  readonly #count: ViolationCount
  readonly #reward: number[] = []
  readonly #percents: number[] = []
  #ruleEpisodes = 0

  /** @throws {ConfigError} `config_invalid`; what the task's worlds refuse */
  constructor(core: Core, task: ControlTask, spec: TrialSpec) {
    this.spec = spec
    this.#task = task
    this.#world = task.environment(core, task.generate(core, spec.pair))
    this.#rule = (LEARNERS as readonly string[]).includes(spec.controller)
      ? task.fallback(core, this.#world)
      : task.rules.find(({ name }) => name === spec.controller)!.create(core, this.#world)
    this.#random = new Random(core, spec.seed, STREAM)
    this.#cast = castOf(core, task, spec, this.#world, this.#rule, this.#random)
    this.#count = new ViolationCount(task)
  }

  /**
   * Lives through one learning episode.
   * @param onTick  sees every step; the tick is reused
   */
  learnEpisode(onTick?: (tick: Tick) => void): TrialEpisode {
    const { pilot } = this.#cast
    const { stage } = pilot
    if (stage === 'offline') this.#ruleEpisodes++
    const episode = this.#reward.length
    const { reward } = runEpisode(this.#world, pilot, {
      ...{ seed: this.#firstSeed + episode, episode, episodeSteps: this.#task.episodeSteps },
      onTick: (tick) => {
        this.#count.note(tick)
        onTick?.(tick)
      },
    })
    const violations = this.#count.take()
    this.#reward.push(reward)
    this.#percents.push(violations.violationPercent ?? 0)
    return { reward, ...violations, stage }
  }

  /** Judges the policy as it stands, without exploration, on episodes that nobody learned from. */
  judge(): TrialResult {
    const { safety, episodeSteps } = this.#task
    const seeds = Array.from({ length: JUDGED_EPISODES }, (_, i) => this.#firstSeed + FIRST_JUDGED + i)
    const options = { seeds, rule: this.#rule, episodeSteps, onTick: this.#count.note }
    const { mean } = evaluate(this.#cast.judged, this.#world, options)
    return {
      spec: this.spec,
      judged: { reward: mean, ...this.#count.take() },
      learning: {
        ...{ reward: [...this.#reward], ruleEpisodes: this.#ruleEpisodes },
        ...(safety && { violationPercent: [...this.#percents] }),
      },
    }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    for (const one of [this.#cast, this.#world, this.#random]) one.dispose()
  }

  get #firstSeed(): number {
    return this.spec.seed * EPISODES_APART
  }
}

/**
 * Lives through a whole trial: learning episodes, then judged ones.
 *
 * @param onTick  sees every learning step; the tick is reused
 * @throws {ConfigError} `config_invalid`; what the task's worlds refuse
 * @example
 * const spec = { task: 'cpu-frequency', pair: 1, seed: 1, controller: 'trimtab', episodes: 50 }
 * const { judged } = runTrial(core, findTask('cpu-frequency'), spec)
 */
export function runTrial(core: Core, task: ControlTask, spec: TrialSpec, onTick?: (tick: Tick) => void): TrialResult {
  const trial = new Trial(core, task, spec)
  try {
    for (let episode = 0; episode < spec.episodes; episode++) trial.learnEpisode(onTick)
    return trial.judge()
  } finally {
    trial.dispose()
  }
}

function castOf(
  core: Core,
  task: ControlTask,
  { controller, seed, pair }: TrialSpec,
  world: TaskEnvironment,
  rule: Controller,
  random: Random,
): Cast {
  const isLearner = (LEARNERS as readonly string[]).includes(controller)
  if (!isLearner) return { pilot: rulePilot(rule), judged: rule, dispose() {} }
  const { observation, action, safety, baseLearner: base, name } = task
  const agent = createBaseLearner(core, {
    ...{ task: name, base, observation, action, contextSize: 0, seed: seed * 1000 + pair },
  })
  const dispose = (): void => agent.dispose()
  if (controller === 'scratch' || safety === undefined) {
    return { pilot: exploringPilot(agent, rule), judged: agent, dispose }
  }
  const pilot = new EnvelopePilot(agent, rule, action, {
    isViolation: (info) => safety.isViolation(info),
    ...(safety.safeDirection && { safeDirection: safety.safeDirection }),
    ...(safety.reach !== undefined && { reach: safety.reach }),
    ...(safety.hindsight && { hindsight: (applied) => safety.hindsight!(world, applied, random) }),
  })
  return { pilot, judged: pilot.policy, dispose }
}
