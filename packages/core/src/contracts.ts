// The words that every package shares (Gymnasium's, with units in names). Types only.
import type { Bytes } from './files/bytes.js'

/** A box of real numbers, or, when `discrete`, for each name one choice out of `high[i] + 1`. */
export interface Space {
  readonly names: readonly string[]
  readonly low: Float64Array
  readonly high: Float64Array
  readonly kind: 'box' | 'discrete'
}

/** Numbers that explain a step: what happened, apart from what was rewarded. */
export type StepInfo = Readonly<Record<string, number>>

/** What one step of an environment gave: [S] numbers observed, what that was worth, and whether the episode goes on. */
export interface Step {
  readonly observation: Float32Array
  readonly reward: number
  /** The task reached an end state: nothing follows. */
  readonly terminated: boolean
  /** A time limit cut the episode: the future still has value. */
  readonly truncated: boolean
  readonly info: StepInfo
}

/** One thing that an actuator moves, its unit in the name: `replicas`, `memoryMiBPerReplica`, `clockMhz`. */
export interface Quantity {
  readonly name: string
  /** What the actuator itself allows, whatever is asked. */
  readonly low: number
  readonly high: number
  /** Whole numbers only. */
  readonly isWhole: boolean
}

/**
 * How the actions of an environment read in the units of what they move. A relative action asks for something else in every step,
 * so the limits that an operator can say, and holding what is in force, need these units. U: quantities, A: action.
 */
export interface Actuator {
  readonly quantities: readonly Quantity[]
  /** Fills `out` [U] with what is in force now; NaN where that is not known. */
  inForce(out: Float64Array): void
  /** Fills `out` [U] with what `action` [A] would bring into force now. Withdraws an `overrule` that no step has carried out. */
  toUnits(action: Float32Array, out: Float64Array): void
  /**
   * The next step brings exactly `units` [U] into force, whatever its action says. Fills `action` [A] with the one that comes
   * closest: what is recorded and learned from.
   */
  overrule(units: Float64Array, action: Float32Array): void
}

/** A simulator: synchronous, deterministic by seed, clonable through `save` and `load`. */
export interface Environment {
  readonly observation: Space
  readonly action: Space
  /** Where there is one, the guard knows limits in its units, and holds what is in force rather than the last action. */
  readonly actuator?: Actuator
  /**
   * Begins the episode that `seed` says; the same seed, the same episode.
   * @returns the first observation [S]
   */
  reset(seed: number): Float32Array
  /** Takes one action [A], clipped to the space. */
  step(action: Float32Array): Step
  /** All that decides what comes next; `load` goes on from there to the byte. */
  save(): Uint8Array
  /**
   * Goes back to what `save` gave.
   * @throws {FormatError} for what another environment saved
   */
  load(state: Uint8Array): void
}

/** What one step of many agents gave. N: agents, S: observation, G: global. Row i is agent i's. */
export interface ParallelStep {
  /** [N, S] */
  readonly observations: Float32Array
  /** What a critic may see, [N, G], beside its agent's observation while it learns, and no actor ever does. */
  readonly globals: Float32Array
  /** [N] */
  readonly rewards: Float32Array
  /** A time limit cut the episode of all of them: the future still has value. */
  readonly truncated: boolean
  /** What happened, apart from what was rewarded: a name in the unit of its numbers, each [N]. */
  readonly info: Readonly<Record<string, Float64Array>>
}

/**
 * A simulator of many agents of one kind that act at once (PettingZoo's parallel environment, in flat arrays). What it returns is
 * overwritten by the next call: copy what you keep. N: agents, S: observation, G: global, A: action.
 */
export interface ParallelEnvironment {
  /** Of each agent [S]. */
  readonly observation: Space
  /** Of each agent [A]. */
  readonly action: Space
  /** What critics see more [G]; names may be none. */
  readonly global: Space
  readonly agents: number
  /** Begins the episode that `seed` says; the same seed, the same episode. Rewards are 0. */
  reset(seed: number): ParallelStep
  /** Takes all actions [N, A], row i of agent i, each clipped to the space. */
  step(actions: Float32Array): ParallelStep
  /** All that decides what comes next; `load` goes on from there to the byte. */
  save(): Uint8Array
  /**
   * Goes back to what `save` gave.
   * @throws {FormatError} for what another environment saved
   */
  load(state: Uint8Array): void
}

/** A cluster, a host, a gateway: the same words, but it takes time and may fail. */
export interface LiveEnvironment {
  readonly observation: Space
  readonly action: Space
  /** As in `Environment`. */
  readonly actuator?: Actuator
  /** Waits for the first usable observation [S]; rejects with the signal's reason when that is aborted. */
  reset(signal?: AbortSignal): Promise<Float32Array>
  /** Sets an action [A] and waits for what comes of it; rejects with the signal's reason when that is aborted. */
  step(action: Float32Array, signal?: AbortSignal): Promise<Step>
}

/** Anything that decides: a policy, a heuristic, a constant. Anything can be the fallback, baseline or shadow of anything. */
export interface Controller {
  readonly name: string
  /** Fills `out` [A] from `observation` [S]; allocates nothing. */
  decide(observation: Float32Array, out: Float32Array): void
  /** A new episode starts: forget what belongs to the last one. */
  beginEpisode?(): void
}

/**
 * One step as an agent learns from it: state [S], action [A] in the actuator's own coordinates, reward, next state [S].
 */
export interface Transition {
  readonly observation: Float32Array
  readonly action: Float32Array
  readonly reward: number
  readonly nextObservation: Float32Array
  readonly terminated: boolean
  /** What a critic may see beside the observation while it learns, and beside the next one [G]: an agent made with a `global` space needs both. */
  readonly global?: Float32Array
  readonly nextGlobal?: Float32Array
  /** What the rule-based controller would have done here, where one ran in shadow [A]. */
  readonly ruleAction?: Float32Array
}

/** What one learning update did; non-finite updates are skipped and counted. */
export interface UpdateReport {
  readonly updates: number
  readonly skipped: number
  readonly criticLoss: number
  readonly actorLoss: number
  readonly meanQ: number
}

/**
 * A controller that learns, whatever its family: actions of a box or one choice, on-policy or off-policy, nets or a table.
 *
 *     explore → the environment steps → observe → update, and endEpisode behind an episode's last step
 *
 * Several environments may take turns, each with a `partition` of its own.
 * S: observation entries, A: action entries (1 of a discrete action: the index), Z: context.
 */
export interface Agent extends Controller {
  /** Z: numbers of an embedding behind the observation; 0: none. */
  readonly contextSize: number
  /**
   * Learns from rollouts of its own, once, in the context that it acted in (`Ppo`): it must be told where every episode ends, whoever
   * acted. Absent: from whatever is in its replay.
   */
  readonly isOnPolicy?: boolean
  /**
   * The behaviour policy while learning: fills `out` [A].
   * @param partition  whose turn it is; default 0
   * @param sides  [A], the only direction in which exploration may move each coordinate, 0 for both; a discrete action has no sides
   */
  explore(observation: Float32Array, out: Float32Array, partition?: number, sides?: readonly (-1 | 0 | 1)[]): void
  /**
   * Takes in a step; the action is what was applied, whoever chose it.
   * @throws {ConfigError} `size_mismatch`, `transition_not_finite`, `transition_invalid`, `action_invalid`, `partition_invalid`; nothing was stored
   */
  observe(transition: Transition, partition?: number): void
  /** Learns what one time step is worth, as far as the family learns now; what it did so far. */
  update(): UpdateReport
  /** Call after the last step of an episode; a step that did not terminate it was cut by a time limit. */
  endEpisode(partition?: number): void
  /** z [Z] behind the observations to come; zeros are the null context. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(z: Float32Array): void
  /** A factor on the scheduled exploration, 1 unless set. Setting: @throws {ConfigError} `config_invalid` below 0 or not finite */
  explorationScale: number
  /** What exploration amounts to now, the scale included: the deviation of the noise on a box, the share of random choices. */
  readonly explorationLevel: number
  /** Weight of the pull to a transition's `ruleAction`, where the family has one. @throws {ConfigError} `config_invalid` */
  setCloningWeight?(weight: number): void
  /** Everything, as a file: an agent of the same set-up that loads it goes on to the bit. */
  save(): Uint8Array
  /** Judges the file whole first: where it is refused, this agent is as it was. @throws {FormatError} */
  load(bytes: Bytes): void
  /** May be called twice. */
  dispose(): void
}

/** One time step of a trajectory as it is stored. Arrays are copies owned by the store. */
export interface TrajectoryStep {
  readonly episode: number
  readonly step: number
  readonly observation: Float32Array
  readonly action: Float32Array
  readonly reward: number
}

/** Source of uniform numbers; `Random` of this package is one. */
export interface RandomSource {
  /** Uniform in [0, 1). */
  uniform(): number
  /** Uniform in 0 … n − 1. */
  integer(n: number): number
}

/** Every (state, action, reward) with episode and step; memory, file, InfluxDB (5.1, trajectory database). */
export interface TrajectoryStore {
  /** Takes what it keeps before it returns: the step and its arrays are the caller's. */
  append(step: TrajectoryStep): void | Promise<void>
  /** The last n steps, oldest first. */
  recent(n: number): readonly TrajectoryStep[]
  /** The n episodes of highest total reward, best first. */
  best(n: number): readonly (readonly TrajectoryStep[])[]
  /** n steps drawn uniformly with replacement. */
  sample(n: number, random: RandomSource): readonly TrajectoryStep[]
}

/** Milliseconds since any fixed moment; the host's clock or a test's. */
export interface Clock {
  /** The time, in the unit that the owner of the clock says. */
  now(): number
}

/** Matches console, pino and consola. A library never logs on its own. */
export interface Logger {
  /** For who looks for a fault. */
  debug(message: string, fields?: object): void
  /** What happens in the normal course. */
  info(message: string, fields?: object): void
  /** What goes on, but should be looked at. */
  warn(message: string, fields?: object): void
  /** What did not work. */
  error(message: string, fields?: object): void
}
