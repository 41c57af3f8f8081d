import {
  type Agent,
  type Bytes,
  byteTensor,
  ConfigError,
  type Core,
  doubleTensor,
  Problems,
  Random,
  type Space,
  type Transition,
  type UpdateReport,
} from '@trimtab/core'
import { openAgent, writeAgent } from './agent-file.js'
import { type AgentFamily, type AgentSetup, openSetup } from './agent-setup.js'
import { requireNoContext, requireTransition } from './checks.js'
import { checkEpsilon, type EpsilonSchedule, epsilonAt } from './epsilon.js'
import { requireExplorationScale } from './noise.js'
import { OptionChecks } from './option-checks.js'
import type { PolicyHeader } from './policy-file.js'
import { choicesOf } from './spaces.js'

/** Everything that a Q-table can be told; its size comes from the spaces. */
export interface QTableOptions {
  /** Equal parts that each entry of a box is cut into; beyond its bounds counts as the outermost. A discrete observation is not cut. */
  readonly bins: number
  /** α, at most 1. */
  readonly learningRate: number
  /** γ */
  readonly discount: number
  /** Share of random actions over the steps explored. */
  readonly epsilon: EpsilonSchedule
}

/** SOL's learner on tasks of some ten thousand steps. */
export const qTableDefaults: QTableOptions = {
  bins: 10,
  learningRate: 0.2,
  discount: 0.99,
  epsilon: { from: 1, to: 0.05, steps: 20_000 },
}

/** What a Q-table is made of: its observation is one choice (`discreteSpace`) or a box with finite bounds, its action one choice. */
export type QTableSetup = AgentSetup<QTableOptions>

const MOST_VALUES = 2 ** 24 // 128 MiB

/** Which of a seed's streams feeds exploration. */
const EXPLORATION_STREAM = 0x71746162

/**
 * Makes a table of zeros; `load` continues a saved one.
 * @throws {ConfigError} `config_invalid` with every problem of the set-up at once
 * @example
 * const agent = createQTable(core, { observation: boxSpace(['load'], 0, 1), action: discreteSpace('frequency', 5), seed: 1 })
 */
export function createQTable(core: Core, setup: QTableSetup): QTable {
  const { options, header } = openSetup(FAMILY, setup)
  const { observation, action } = header
  const problems = new Problems()
  const isBounded = observation.names.every(
    (_, i) => Number.isFinite(observation.high[i]! - observation.low[i]!) && observation.low[i]! < observation.high[i]!,
  )
  problems.check(
    choicesOf(observation) > 0 || (observation.kind === 'box' && isBounded),
    'observation must be discrete or a box whose entries have finite bounds to be cut between',
  )
  const values = statesOf(observation, options.bins) * choicesOf(action)
  problems.check(values <= MOST_VALUES, `the table would hold ${values} values, at most ${MOST_VALUES}: use fewer bins`)
  problems.throwIfAny('q-table')
  return new QTable(core, options, header)
}

const FAMILY: AgentFamily<QTableOptions> = {
  algorithm: 'q-table',
  defaults: qTableDefaults,
  actions: ['discrete'],
  heads: 'one',
  keys: [],
  network: () => ({ hidden: [], normalised: false }),
  checkOptions(options, problems, path) {
    const check = new OptionChecks(options, Object.keys(qTableDefaults), problems, path)
    check.counts('bins')
    check.number('learningRate', 'in (0, 1]', (x) => x > 0 && x <= 1)
    check.shares('discount')
    checkEpsilon(options.epsilon, problems, `${path}.epsilon`)
  },
}

const statesOf = (observation: Space, bins: number): number =>
  observation.kind === 'discrete' ? choicesOf(observation) : bins ** observation.names.length

/**
 * Tabular Q-learning (Watkins 1989), SOL's learner, in f64: Q(s, a) += α (r + γ (1 − terminated) max Q(s', ·) − Q(s, a)).
 *
 * It learns from each step at once. Same seed and steps, same bytes on every host.
 */
export class QTable implements Agent {
  readonly name: string
  readonly options: QTableOptions
  /** There is no context beside the observation. */
  readonly contextSize = 0
  readonly #values: Float64Array // [states, actions]
  readonly #states: number
  readonly #actions: number
  readonly #random: Random
  #header: PolicyHeader
  /** Steps explored. */
  #steps = 0
  #explorationScale = 1
  #updates = 0
  /** Squared temporal difference of the last step. */
  #loss = 0
  #meanQ = 0

  /** Use `createQTable`, which checks what it is given. */
  constructor(core: Core, options: QTableOptions, header: PolicyHeader) {
    this.name = `q-table/${header.preset}`
    this.options = options
    this.#header = header
    this.#states = statesOf(header.observation, options.bins)
    this.#actions = choicesOf(header.action)
    this.#values = new Float64Array(this.#states * this.#actions)
    this.#random = new Random(core, header.seed, EXPLORATION_STREAM)
  }

  /** The best action, the first of equals: fills `out` [1]. NaN where the observation is not finite, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    const state = this.stateOf(observation)
    out[0] = Number.isNaN(state) ? Number.NaN : this.best(state)
  }

  /** The behaviour policy while learning: any action with probability ε. */
  explore(observation: Float32Array, out: Float32Array): void {
    const isRandom = this.#random.uniform() < this.explorationLevel
    this.#steps++
    if (isRandom) out[0] = this.#random.integer(this.#actions)
    else this.decide(observation, out)
  }

  /**
   * Learns from a step at once; `action` [1] is what was applied, whoever chose it.
   * @throws {ConfigError} `size_mismatch`, `transition_not_finite`, `transition_invalid`, `action_invalid`, `state_invalid`; nothing changed
   */
  observe(transition: Transition): void {
    const { observation, action } = this.#header
    requireTransition(transition, observation, action)
    const [state, next] = [this.stateOf(transition.observation), this.stateOf(transition.nextObservation)]
    this.learn(state, transition.action[0]!, transition.reward, next, transition.terminated)
  }

  /**
   * Learns from one step between states, as `stateOf` counts them. A time limit is no end: pass `terminated: false`.
   * @returns Q(state, action) as it is now
   * @throws {ConfigError} `state_invalid`, `action_invalid`, `not_finite` (a reward, or one that takes the value beyond f64); nothing changed
   */
  learn(state: number, action: number, reward: number, next: number, terminated: boolean): number {
    const { learningRate, discount } = this.options
    const row = this.#row(state)
    if (!Number.isInteger(action) || action < 0 || action >= this.#actions) {
      throw new ConfigError('action_invalid', `action must be an index in 0 … ${this.#actions - 1}, got ${action}`)
    }
    const future = terminated ? 0 : this.#row(next).reduce((most, q) => Math.max(most, q))
    const difference = reward + discount * future - row[action]!
    const value = row[action]! + learningRate * difference
    if (!Number.isFinite(value)) {
      throw new ConfigError('not_finite', `a reward of ${reward} makes the value ${value}; nothing was learned`)
    }
    row[action] = value
    this.#updates++
    this.#loss = difference ** 2
    this.#meanQ = value
    return value
  }

  /** `observe` has learned already: what was done so far, with the last step's squared error and value. */
  update(): UpdateReport {
    return { updates: this.#updates, skipped: 0, criticLoss: this.#loss, actorLoss: 0, meanQ: this.#meanQ }
  }

  /** Nothing ends with an episode: ε goes by steps. */
  endEpisode(): void {}

  /** @throws {ConfigError} `size_mismatch` unless empty */
  setContext(z: Float32Array): void {
    requireNoContext(z)
  }

  /** ε now, the share of random actions: schedule × `explorationScale`, at most 1. */
  get explorationLevel(): number {
    return Math.min(1, this.#explorationScale * epsilonAt(this.options.epsilon, this.#steps))
  }

  /** A factor on the scheduled ε, 1 unless set. */
  get explorationScale(): number {
    return this.#explorationScale
  }

  set explorationScale(scale: number) {
    requireExplorationScale(scale)
    this.#explorationScale = scale
  }

  /** Which state an observation is: its index, or the number whose digits are the bins, the first entry's last; NaN where it is not finite. */
  stateOf(observation: Float32Array): number {
    const { names, low, high, kind } = this.#header.observation
    const { bins } = this.options
    if (observation.length !== names.length) {
      throw new ConfigError('size_mismatch', `observation must hold ${names.length} numbers, got ${observation.length}`)
    }
    if (!observation.every(Number.isFinite)) return Number.NaN
    if (kind === 'discrete') return observation[0]!
    let state = 0
    for (let i = names.length - 1; i >= 0; i--) {
      const part = Math.floor(((observation[i]! - low[i]!) / (high[i]! - low[i]!)) * bins)
      state = state * bins + Math.min(bins - 1, Math.max(0, part))
    }
    return state
  }

  /** The best action of a state, the first of equals. @throws {ConfigError} `state_invalid` */
  best(state: number): number {
    const row = this.#row(state)
    let best = 0
    for (let action = 1; action < row.length; action++) if (row[action]! > row[best]!) best = action
    return best
  }

  /** Q(state, ·) [actions], a copy. @throws {ConfigError} `state_invalid` */
  values(state: number): Float64Array {
    return this.#row(state).slice()
  }

  /** What the policy file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /** Everything as a policy file; an agent of the same set-up that loads it goes on to the bit. */
  save(): Uint8Array {
    return writeAgent(
      this.#header,
      [],
      [
        doubleTensor('q', [...this.#values]),
        byteTensor('exploration.random', this.#random.save()),
        doubleTensor('agent.progress', [this.#steps, this.#explorationScale, this.#updates, this.#loss, this.#meanQ]),
      ],
    )
  }

  /**
   * Continues a saved agent. The file is judged whole first: if it is refused, this agent is as it was.
   * @throws {FormatError} those of `openAgent`; `tensor_missing`, `tensor_mismatch`
   */
  load(bytes: Bytes): void {
    const { header, reader } = openAgent(bytes, this.#header)
    const values = reader.doubles('q', this.#values.length)
    const random = reader.bytes('exploration.random', this.#random.save().length)
    const [steps, scale, updates, loss, meanQ] = reader.doubles('agent.progress', 5) as unknown as number[]
    this.#values.set(values)
    this.#random.load(random)
    this.#steps = steps!
    this.#explorationScale = scale!
    this.#updates = updates!
    this.#loss = loss!
    this.#meanQ = meanQ!
    this.#header = header
  }

  /** May be called twice. */
  dispose(): void {
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #row(state: number): Float64Array {
    if (!Number.isInteger(state) || state < 0 || state >= this.#states) {
      throw new ConfigError('state_invalid', `a state must be an index in 0 … ${this.#states - 1}, got ${state}`)
    }
    return this.#values.subarray(state * this.#actions, (state + 1) * this.#actions)
  }
}
