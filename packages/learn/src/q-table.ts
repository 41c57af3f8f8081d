import {
  type Bytes,
  byteTensor,
  ConfigError,
  type Core,
  doubleTensor,
  Problems,
  Random,
  readSafetensors,
  type Tensor,
  TensorReader,
  writeSafetensors,
} from '@trimtab/core'
import { type EpsilonSchedule, epsilonAt } from './epsilon.js'

export interface QTableOptions {
  readonly states: number
  readonly actions: number
  /** α. Default 0.1. */
  readonly learningRate?: number
  /** γ. Default 0.99. */
  readonly discount?: number
  /** Share of random actions over the steps explored. Default 1 to 0.05 over 1000. */
  readonly epsilon?: EpsilonSchedule
  readonly seed: number
}

/** Which of a seed's streams feeds exploration. */
const EXPLORATION_STREAM = 0x71746162

/**
 * Tabular Q-learning (Watkins 1989), SOL's learner, in f64: Q(s, a) += α (r + γ (1 − terminated) max Q(s', ·) − Q(s, a)).
 *
 * States and actions are indices; the caller cuts observations into states. Same seed and steps, same bytes on every host.
 * @example
 * const table = new QTable(core, { states: 4, actions: 3, seed: 1 })
 * const action = table.explore(state)
 * table.update(state, action, reward, next, false)
 */
export class QTable {
  readonly options: Required<QTableOptions>
  readonly #values: Float64Array // [states, actions]
  readonly #random: Random
  #steps = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: QTableOptions) {
    const whole = { learningRate: 0.1, discount: 0.99, epsilon: { from: 1, to: 0.05, steps: 1000 }, ...options }
    check(whole)
    this.options = whole
    this.#values = new Float64Array(whole.states * whole.actions)
    this.#random = new Random(core, whole.seed, EXPLORATION_STREAM)
  }

  /** The best action, the first of equals. @throws {ConfigError} `state_invalid` */
  best(state: number): number {
    const row = this.#row(state)
    let best = 0
    for (let action = 1; action < row.length; action++) if (row[action]! > row[best]!) best = action
    return best
  }

  /** Any action with probability ε, else the best. @throws {ConfigError} `state_invalid` */
  explore(state: number): number {
    const best = this.best(state)
    const isRandom = this.#random.uniform() < this.epsilon
    this.#steps++
    return isRandom ? this.#random.integer(this.options.actions) : best
  }

  get epsilon(): number {
    return epsilonAt(this.options.epsilon, this.#steps)
  }

  /**
   * Learns from one step. A time limit is no end: pass `terminated: false`.
   * @returns Q(state, action) as it is now
   * @throws {ConfigError} `state_invalid`, `action_invalid`, `not_finite` (a reward, or one that takes the value beyond f64); nothing changed
   */
  update(state: number, action: number, reward: number, next: number, terminated: boolean): number {
    const { actions, learningRate, discount } = this.options
    const row = this.#row(state)
    if (!Number.isInteger(action) || action < 0 || action >= actions) {
      throw new ConfigError('action_invalid', `action must be an index in 0 … ${actions - 1}, got ${action}`)
    }
    const future = terminated ? 0 : Math.max(...this.#row(next))
    const value = row[action]! + learningRate * (reward + discount * future - row[action]!)
    if (!Number.isFinite(value)) {
      throw new ConfigError('not_finite', `a reward of ${reward} makes the value ${value}; nothing was learned`)
    }
    row[action] = value
    return value
  }

  /** Q(state, ·) [actions], a copy. @throws {ConfigError} `state_invalid` */
  values(state: number): Float64Array {
    return this.#row(state).slice()
  }

  /** The table, the random stream and the count of steps as a safetensors file. */
  save(): Uint8Array {
    const { states, actions } = this.options
    const table: Tensor = { ...doubleTensor('q', [...this.#values]), shape: [states, actions] }
    return writeSafetensors([table, byteTensor('random', this.#random.save()), doubleTensor('steps', [this.#steps])], {
      format: 'trimtab-q-table',
    })
  }

  /**
   * Continues exactly where `save` was called, in a table of the same size.
   * @throws {FormatError} those of `readSafetensors`; `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed
   */
  load(bytes: Bytes): void {
    const { states, actions } = this.options
    // Read row by row as one: the shape is checked here, the reader knows doubles by their number only.
    const tensors = [...readSafetensors(bytes).tensors.values()].map((tensor) =>
      tensor.name === 'q' && tensor.shape.join() === `${states},${actions}`
        ? { ...tensor, shape: [states * actions] }
        : tensor,
    )
    const reader = new TensorReader(tensors as Tensor[])
    const values = reader.doubles('q', states * actions)
    const random = reader.bytes('random', this.#random.save().length)
    const [steps] = reader.doubles('steps', 1)
    this.#values.set(values)
    this.#random.load(random)
    this.#steps = steps!
  }

  /** May be called twice. */
  dispose(): void {
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #row(state: number): Float64Array {
    const { states, actions } = this.options
    if (!Number.isInteger(state) || state < 0 || state >= states) {
      throw new ConfigError('state_invalid', `a state must be an index in 0 … ${states - 1}, got ${state}`)
    }
    return this.#values.subarray(state * actions, (state + 1) * actions)
  }
}

function check({ states, actions, learningRate, discount, epsilon, seed }: Required<QTableOptions>): void {
  const problems = new Problems()
  for (const [name, value] of Object.entries({ states, actions, 'epsilon.steps': epsilon.steps })) {
    problems.check(Number.isInteger(value) && value > 0, `${name} must be a positive integer, got ${value}`)
  }
  problems.check(learningRate > 0 && learningRate <= 1, `learningRate must be in (0, 1], got ${learningRate}`)
  problems.check(discount >= 0 && discount <= 1, `discount must be in [0, 1], got ${discount}`)
  for (const name of ['from', 'to'] as const) {
    problems.check(epsilon[name] >= 0 && epsilon[name] <= 1, `epsilon.${name} must be in [0, 1], got ${epsilon[name]}`)
  }
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.throwIfAny('QTable')
}
