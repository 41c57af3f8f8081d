import type { Controller, Core, Environment, RandomSource, Space, StepInfo, Transition } from '@trimtab/core'
import type { BaseLearnerChoice } from '@trimtab/learn'

/** A simulator of a task: an environment with a lifetime. */
export interface TaskEnvironment extends Environment {
  /** May be called twice. */
  dispose(): void
}

/** A rule that needs no learning: baseline, teacher and fallback of whatever learns. */
export interface TaskRule<World extends TaskEnvironment = TaskEnvironment> {
  /** Machine name, `hpa-vpa`; one of its own in the task. */
  readonly name: string
  /** What a person reads; the name unless told. */
  readonly label?: string
  /** The rule for one world; it acts in that world only. */
  create(core: Core, world: World): Controller
}

/** What a step is judged by apart from its reward, and which way is the safe one: what an envelope and a margin go by. */
export interface TaskSafety<World extends TaskEnvironment = TaskEnvironment> {
  /** Whether a step broke the SLO as a controller could measure it. */
  isViolation(info: StepInfo): boolean
  /** Whether it truly did, where a simulator knows better than its sensors; `isViolation` unless told. */
  isTrueViolation?(info: StepInfo): boolean
  /** For each coordinate of the action [A]: more of it is safer (1), less is (−1), unknown (0). All 0 unless told. */
  readonly safeDirection?: readonly (-1 | 0 | 1)[]
  /** Where the learner's action counts from the rule's, and how far it goes: see `EnvelopeOptions.reach`. Absolute unless told. */
  readonly reach?: number
  /**
   * What the step just taken would have been under another action, where that is known without trying it.
   * @returns undefined where it is not known
   */
  hindsight?(world: World, action: Float32Array, random: RandomSource): Transition | undefined
}

/** Words of a task in reports. */
export interface TaskLabels {
  /** The task itself; its name unless told. */
  readonly task: string
  /** What a spec describes: `application`, `network`; `pair` unless told. */
  readonly spec: string
  /** What an episode's reward is; `reward an episode` unless told. */
  readonly reward: string
  /** What a violation is; `violations` unless told. */
  readonly violation: string
}

/**
 * A task of control: an agent acts in worlds step by step. Each world follows from a plain JSON `Spec`, so that a worker can
 * rebuild it from `{ task, spec }` alone.
 */
export interface ControlTaskDefinition<Spec, World extends TaskEnvironment = TaskEnvironment> {
  /** Told apart from supervised tasks by it. */
  readonly kind: 'control'
  /** Lower case, digits and dashes: names files and reports. */
  readonly name: string
  /** What a controller sees [S]: a box. */
  readonly observation: Space
  /** A box of [−1, 1] [A], or discrete: then an action is one index. */
  readonly action: Space
  /** Steps after which a world cuts its episode. */
  readonly episodeSteps: number
  /**
   * The ⟨application, environment⟩ pair (5.6) number `number` ≥ 0, from that number alone: pools over disjoint numbers share none.
   * @throws {ConfigError} `config_invalid` where there are not so many
   */
  generate(core: Core, number: number): Spec
  /** @throws {ConfigError} `config_invalid` when `spec` was not made by `generate` */
  environment(core: Core, spec: Spec): World
  /** At least one; the first is the fallback and acts before anything has been learned. */
  readonly rules: readonly TaskRule<World>[]
  /** The agent that learns it when nothing else is said: `preset.ts` of the task's folder. */
  readonly baseLearner: BaseLearnerChoice
  /** Without it, reward alone judges, and the guard alone protects. */
  readonly safety?: TaskSafety<World>
  /** What the state does not show: the pair's true parameters, each in about [−1, 1]. The embedding of an oracle. */
  parameters?(core: Core, spec: Spec): Float32Array
  /** Words for reports. */
  readonly labels?: Partial<TaskLabels>
}

/** A checked task of control, as studies, command and playground take it. */
export interface ControlTask<Spec = unknown, World extends TaskEnvironment = TaskEnvironment>
  extends ControlTaskDefinition<Spec, World> {
  readonly labels: TaskLabels
  /**
   * The pairs number `first` … `first + count − 1`.
   * @throws {ConfigError} `config_invalid`
   */
  pool(core: Core, first: number, count: number): Spec[]
  /** The first rule, made for a world. */
  fallback(core: Core, world: World): Controller
}

/** Something that learns a supervised task from data. */
export interface TaskPredictor<Data, Model> {
  /** Machine name, `gaussian`; one of its own in the task. */
  readonly name: string
  /** Whether it is simple enough that every other one is shown beside it. */
  readonly isBaseline: boolean
  /** Same data and seed, same model. */
  fit(core: Core, data: Data, seed: number): Model
}

/** The error of a predictor on what it has not seen, given so many labels of it. */
export interface LabelError {
  /** How many labels of a new case the predictor was given. */
  readonly labels: number
  /** Mean absolute percentage error, as a fraction: over cases, then over repeats. */
  readonly mape: number
  /** Standard deviation over repeats; 0 of one. */
  readonly deviation: number
  /** Of the case that is predicted worst, mean over repeats. */
  readonly worst: number
}

/** A supervised task: nothing acts, a predictor learns from a table. A reader stands in the simulator's place. */
export interface SupervisedTaskDefinition<Data, Model> {
  /** Told apart from tasks of control by it. */
  readonly kind: 'supervised'
  /** Lower case, digits and dashes: names files and reports. */
  readonly name: string
  /** Made-up data number `number` ≥ 0, to try and to judge predictors on. */
  generate(core: Core, number: number): Data
  /**
   * Reads what was measured.
   * @param name  of the file, for messages
   * @throws {ConfigError} `table_invalid`
   */
  read(name: string, text: string): Data
  /** At least one; the first is the default. */
  readonly predictors: readonly TaskPredictor<Data, Model>[]
  /**
   * How far a predictor is off on held-out parts of the data.
   * @returns yields after each part; then the errors
   */
  judge(
    core: Core,
    data: Data,
    predictor: TaskPredictor<Data, Model>,
    seed: number,
  ): Generator<{ readonly done: number; readonly total: number }, readonly LabelError[]>
  /** Words for reports. */
  readonly labels?: Partial<TaskLabels>
}

/** A checked supervised task. */
export interface SupervisedTask<Data = unknown, Model = unknown> extends SupervisedTaskDefinition<Data, Model> {
  readonly labels: TaskLabels
}

/** Any task. `kind` tells which. */
export type Task = ControlTask | SupervisedTask
