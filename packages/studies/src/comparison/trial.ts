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
import type { ControlTask } from '@trimtab/tasks'
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

/**
 * Lives through a whole trial: learning episodes, the guard always between controller and world, then judged ones. Everything
 * follows from the spec.
 *
 * @param onTick  sees every learning step; the tick is reused
 * @throws {ConfigError} `config_invalid`; what the task's worlds refuse
 * @example
 * const spec = { task: 'cpu-frequency', pair: 1, seed: 1, controller: 'trimtab', episodes: 50 }
 * const { judged } = runTrial(core, findTask('cpu-frequency'), spec)
 */
export function runTrial(core: Core, task: ControlTask, spec: TrialSpec, onTick?: (tick: Tick) => void): TrialResult {
  const world = task.environment(core, task.generate(core, spec.pair))
  const rule = (LEARNERS as readonly string[]).includes(spec.controller)
    ? task.fallback(core, world)
    : task.rules.find(({ name }) => name === spec.controller)!.create(core, world)
  const random = new Random(core, spec.seed, STREAM)
  const cast = castOf(core, task, spec, world, rule, random)
  const count = new ViolationCount(task)
  const first = spec.seed * EPISODES_APART
  const reward: number[] = []
  const percents: number[] = []
  let ruleEpisodes = 0
  try {
    for (let episode = 0; episode < spec.episodes; episode++) {
      if (cast.pilot.stage === 'offline') ruleEpisodes++
      const summary = runEpisode(world, cast.pilot, {
        ...{ seed: first + episode, episode, episodeSteps: task.episodeSteps },
        onTick(tick) {
          count.note(tick)
          onTick?.(tick)
        },
      })
      reward.push(summary.reward)
      percents.push(count.take().violationPercent ?? 0)
    }
    const seeds = Array.from({ length: JUDGED_EPISODES }, (_, i) => first + FIRST_JUDGED + i)
    const options = { seeds, rule, episodeSteps: task.episodeSteps, onTick: count.note }
    const { mean } = evaluate(cast.judged, world, options)
    return {
      spec,
      judged: { reward: mean, ...count.take() },
      learning: { reward, ruleEpisodes, ...(task.safety && { violationPercent: percents }) },
    }
  } finally {
    for (const one of [cast, world, random]) one.dispose()
  }
}

function castOf(
  core: Core,
  task: ControlTask,
  { controller, seed, pair }: TrialSpec,
  world: ReturnType<ControlTask['environment']>,
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
    ...(safety.hindsight && { hindsight: (applied) => safety.hindsight!(world, applied, random) }),
  })
  return { pilot, judged: pilot.policy, dispose }
}
