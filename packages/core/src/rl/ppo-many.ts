import * as abi from '../abi.js'
import { requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError } from '../errors.js'
import type { Arena } from '../memory/arena.js'
import { actionWidthOf, type PpoKernelOptions } from './ppo-options.js'

/** A step of n agents, row i of agent i. S: state, Z: context, G: global, K: numbers of an action. */
export interface PpoRows {
  /** [n, S] */
  readonly states: Float32Array
  /** [n, K] */
  readonly actions: Float32Array
  /** [n] */
  readonly rewards: ArrayLike<number>
  /** [n, S] */
  readonly nextStates: Float32Array
  /** [n, G] */
  readonly globals: Float32Array
  /** [n, G] */
  readonly nextGlobals: Float32Array
  /** Whose trajectory each row goes on, [n], none twice. */
  readonly partitions: Int32Array
  /** [n, Z]; default: that of `setContext` for all. */
  readonly contexts?: Float32Array | undefined
}

/** Whether a number is one of so many choices. */
export const isChoice = (value: number, choices: number): boolean =>
  Number.isInteger(value) && value >= 0 && value < choices

/** A PPO agent's acting and remembering for many agents at once: each in one call into the core, row by row the same bits as one by one. */
export class PpoMany {
  readonly #core: Core
  readonly #arena: Arena
  readonly #options: Required<PpoKernelOptions>
  /** K */
  readonly #actionWidth: number

  constructor(core: Core, arena: Arena, options: Required<PpoKernelOptions>) {
    this.#core = core
    this.#arena = arena
    this.#options = options
    this.#actionWidth = actionWidthOf(options)
  }

  /**
   * The likeliest action for each of n states [n, S], as `PpoKernel.act` gives it: fills `out` [n, K].
   * @param contexts  [n, Z]; default: that of `setContext` for all
   * @throws {ConfigError} `size_mismatch`, more agents than partitions included
   */
  act(states: Float32Array, out: Float32Array, contexts?: Float32Array): void {
    this.#act(states, out, contexts, 0)
  }

  /** The same, drawn from the policy. */
  sample(states: Float32Array, out: Float32Array, contexts?: Float32Array): void {
    this.#act(states, out, contexts, 1)
  }

  /**
   * Appends a step of each agent to the rollout. A row with a state, global or reward that is not finite is left out, and its
   * partition's episode ends there.
   * @returns how many rows were stored
   * @throws {ConfigError} `size_mismatch`, `action_invalid`, `partition_invalid`, `rollout_full`; nothing changed
   */
  append(rows: PpoRows): number {
    this.check(rows)
    const n = rows.partitions.length
    const { stateSize, contextSize, capacity } = this.#options
    const { exports, memory } = this.#core
    const { pointer, floats, doubles } = this.#arena
    const count = exports.ppo_get(pointer, abi.PPO_COUNT)
    if (count + n > capacity) {
      throw new ConfigError(
        'rollout_full',
        `the rollout holds ${count} of ${capacity} steps, ${n} more have no room: update or clear first`,
      )
    }
    for (const [which, states, globals] of [
      [abi.PPO_STATES, rows.states, rows.globals],
      [abi.PPO_NEXTS, rows.nextStates, rows.nextGlobals],
    ] as const) {
      const at = this.#at(which) + count * this.#width
      this.#putRows(states, stateSize, at, this.#width, n)
      this.#putContexts(rows.contexts, at + stateSize, this.#width, n)
      this.#putRows(globals, this.#options.globalSize, at + stateSize + contextSize, this.#width, n)
    }
    floats.set(rows.actions, this.#at(abi.PPO_ACTIONS) + count * this.#actionWidth)
    doubles.set(rows.rewards, (this.#at(abi.PPO_REWARDS) >>> 1) + count)
    new Int32Array(memory.buffer, exports.ppo_pointer(pointer, abi.PPO_PARTITIONS) + 4 * count, n).set(rows.partitions)
    return exports.ppo_append(pointer, n)
  }

  /**
   * Whether the rows are any.
   * @throws {ConfigError} `size_mismatch`, `action_invalid`, `partition_invalid`
   */
  check(rows: PpoRows): void {
    const { stateSize, contextSize, globalSize, partitions, heads } = this.#options
    const n = rows.partitions.length
    requireLength('states', rows.states, n * stateSize)
    requireLength('nextStates', rows.nextStates, n * stateSize)
    requireLength('actions', rows.actions, n * this.#actionWidth)
    requireLength('rewards', rows.rewards, n)
    requireLength('globals', rows.globals, n * globalSize)
    requireLength('nextGlobals', rows.nextGlobals, n * globalSize)
    if (rows.contexts) requireLength('contexts', rows.contexts, n * contextSize)
    const isThere = (partition: number): boolean => partition >= 0 && partition < partitions
    if (!rows.partitions.every(isThere) || new Set(rows.partitions).size !== n) {
      throw new ConfigError(
        'partition_invalid',
        `partitions must be in 0 … ${partitions - 1} and named once each, got [${rows.partitions.join(', ')}]`,
      )
    }
    const isGaussian = this.#options.policy === 'gaussian'
    for (const [i, value] of rows.actions.entries()) {
      if (isGaussian ? Number.isFinite(value) : isChoice(value, heads[i % heads.length]!)) continue
      throw new ConfigError(
        'action_invalid',
        `actions[${i}] of agent ${Math.floor(i / this.#actionWidth)} is no action, got ${value}; nothing was stored`,
      )
    }
  }

  /** Numbers of what the value network sees. */
  get #width(): number {
    const { stateSize, contextSize, globalSize } = this.#options
    return stateSize + contextSize + globalSize
  }

  #act(states: Float32Array, out: Float32Array, contexts: Float32Array | undefined, sample: 0 | 1): void {
    const { stateSize, contextSize, partitions } = this.#options
    const n = out.length / this.#actionWidth
    if (!(Number.isInteger(n) && n >= 1 && n <= partitions)) {
      throw new ConfigError(
        'size_mismatch',
        `out must hold ${this.#actionWidth} numbers for each of 1 to ${partitions} agents, got ${out.length} (set partitions)`,
      )
    }
    requireLength('states', states, n * stateSize)
    if (contexts) requireLength('contexts', contexts, n * contextSize)
    const at = this.#at(abi.PPO_DESK_INPUTS)
    this.#putRows(states, stateSize, at, stateSize + contextSize, n)
    this.#putContexts(contexts, at + stateSize, stateSize + contextSize, n)
    this.#core.exports.ppo_act_many(this.#arena.pointer, n, sample)
    const actions = this.#at(abi.PPO_DESK_ACTIONS)
    out.set(this.#arena.floats.subarray(actions, actions + out.length))
  }

  /** Columns [n, width] into rows that lie `stride` numbers apart from `at` on. */
  #putRows(values: Float32Array, width: number, at: number, stride: number, n: number): void {
    const { floats } = this.#arena
    if (width === stride) {
      floats.set(values, at)
      return
    }
    for (let i = 0, from = 0, to = at; i < n; i++, to += stride) {
      for (let j = 0; j < width; j++) floats[to + j] = values[from++]!
    }
  }

  #putContexts(contexts: Float32Array | undefined, at: number, stride: number, n: number): void {
    const { stateSize, contextSize } = this.#options
    if (contexts) {
      this.#putRows(contexts, contextSize, at, stride, n)
      return
    }
    const { floats } = this.#arena
    const live = this.#at(abi.PPO_IO) + stateSize
    for (let i = 0, to = at; i < n && contextSize > 0; i++, to += stride)
      floats.copyWithin(to, live, live + contextSize)
  }

  /** Index of a part in the arena's floats. */
  #at(which: number): number {
    const { pointer } = this.#arena
    return (this.#core.exports.ppo_pointer(pointer, which) - pointer) >>> 2
  }
}
