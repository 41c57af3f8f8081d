import * as abi from '../abi.js'
import { checkCounts, describeNotFinite, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, type Problems } from '../errors.js'
import type { Arena } from '../memory/arena.js'
import type { Context, ContextEncoder } from '../nn/context-encoder.js'
import { type GuardReport, guardReport } from '../nn/last-good.js'
import type { ReplayShape } from './pair-replay-state.js'

export interface PairReplayShape extends ReplayShape {
  /** Z */
  readonly contextSize: number
  readonly partitions: number
  readonly maxGroups: number
  readonly batchSize: number
}

/** One transition as a record holds it; of a discrete action its index. */
export interface ReplayRecord {
  readonly state: Float32Array
  readonly action: ArrayLike<number>
  readonly reward: number
  readonly nextState: Float32Array
  readonly terminated: boolean
  readonly ruleAction?: Float32Array
}

/**
 * What DDPG and DQN share inside the core (assembly/rl/off-policy.ts): a replay ring for each of many pairs, the batch that is drawn
 * from them, and a context z [Z] behind the state for each of its groups.
 */
export class PairReplay {
  readonly #core: Core
  readonly #arena: Arena
  readonly #kernel: 'ddpg' | 'dqn'
  readonly #shape: PairReplayShape
  /** Index of the io record in the arena's floats: state [S], action [A], next state [S], rule [A], reward, terminated, has rule. */
  readonly io: number

  constructor(core: Core, arena: Arena, kernel: 'ddpg' | 'dqn', shape: PairReplayShape) {
    this.#core = core
    this.#arena = arena
    this.#kernel = kernel
    this.#shape = shape
    this.io = this.at(abi.OFF_POLICY_IO)
  }

  /** Transitions now stored in all rings. */
  get size(): number {
    let size = 0
    for (let ring = 0; ring < this.#shape.partitions; ring++) size += this.sizeOf(ring)
    return size
  }

  /** Transitions now stored in a ring. @throws {ConfigError} `partition_invalid` */
  sizeOf(partition: number): number {
    this.#requirePartition(partition)
    return this.#core.exports.off_policy_ring_count(this.#arena.pointer, partition)
  }

  get updates(): number {
    return this.#core.exports.off_policy_updates(this.#arena.pointer)
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(z: Float32Array): void {
    requireLength('context', z, this.#shape.contextSize)
    requireFinite('context', z)
    this.#arena.floats.set(z, this.at(abi.OFF_POLICY_CONTEXT))
  }

  /** Writes a state and an action to the io record. @throws {ConfigError} `size_mismatch` */
  fill(state: Float32Array, action: ArrayLike<number>): void {
    requireLength('state', state, this.#shape.stateSize)
    requireLength('action', action, this.#shape.actionSize)
    this.#arena.floats.set(state, this.io)
    this.#arena.floats.set(action, this.io + this.#shape.stateSize)
  }

  /** @throws {ConfigError} `size_mismatch`, `transition_not_finite`, `partition_invalid`; nothing changed */
  insert(record: ReplayRecord, partition: number): void {
    const { state, action, reward, nextState, terminated, ruleAction } = record
    const { stateSize, actionSize } = this.#shape
    this.#requirePartition(partition)
    requireLength('nextState', nextState, stateSize)
    if (ruleAction) requireLength('ruleAction', ruleAction, actionSize)
    this.fill(state, action)
    const { floats } = this.#arena
    const next = this.io + stateSize + actionSize
    const rule = next + stateSize
    floats.set(nextState, next)
    if (ruleAction) floats.set(ruleAction, rule)
    else floats.fill(0, rule, rule + actionSize)
    floats[rule + actionSize] = reward
    floats[rule + actionSize + 1] = terminated ? 1 : 0
    floats[rule + actionSize + 2] = ruleAction ? 1 : 0
    const status = this.#core.exports.off_policy_insert(this.#arena.pointer, partition)
    if (status === abi.NOT_FINITE)
      throw new ConfigError(
        'transition_not_finite',
        describeNotFinite({ state, action, nextState, ruleAction: ruleAction ?? [] }, reward),
      )
  }

  /** @throws {ConfigError} `replay_empty` */
  update(steps: number): void {
    const name = `${this.#kernel}_update` as const
    const status = this.#core.exports[name](this.#arena.pointer, steps)
    if (status === abi.EMPTY)
      throw new ConfigError('replay_empty', 'update needs at least one stored transition (call insert first)')
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed */
  updatePairs(
    partitions: ArrayLike<number>,
    given: Float32Array | readonly Context[],
    encoder: ContextEncoder | undefined,
  ): void {
    const { maxGroups } = this.#shape
    const groups = partitions.length
    if (groups < 1 || groups > maxGroups)
      throw new ConfigError('size_mismatch', `1 to ${maxGroups} pairs an update, got ${groups} (set maxGroups)`)
    const rings = Array.from(partitions)
    for (const ring of rings) this.#requirePartition(ring)
    this.#stageContexts(groups, given, encoder)
    this.#words(abi.OFF_POLICY_CHOSEN, groups).set(rings)
    const name = `${this.#kernel}_update_pairs` as const
    const status = this.#core.exports[name](this.#arena.pointer, groups, encoder?.pointer ?? 0)
    if (status === abi.EMPTY)
      throw new ConfigError('replay_empty', `each of the partitions ${rings.join(', ')} needs a stored transition`)
  }

  /** @throws {ConfigError} `size_mismatch`, `index_invalid` */
  updateOn(indices: readonly number[]): void {
    const { batchSize, capacity, partitions } = this.#shape
    requireLength('indices', indices, batchSize)
    const isStored = (index: number): boolean => {
      const partition = Math.floor(index / capacity)
      return (
        Number.isInteger(index) && partition >= 0 && partition < partitions && index % capacity < this.sizeOf(partition)
      )
    }
    const bad = indices.find((index) => !isStored(index))
    if (bad !== undefined) throw new ConfigError('index_invalid', `indices must name stored transitions, got ${bad}`)
    this.#words(abi.OFF_POLICY_INDICES, batchSize).set(indices)
    this.#core.exports[`${this.#kernel}_learn`](this.#arena.pointer)
  }

  /** dLoss/dcontexts [G, Z] of the last update, each summed over its group's rows; a copy. */
  contextSlopes(groups: number): Float32Array {
    return this.#copy(abi.OFF_POLICY_SLOPES, groups * this.#shape.contextSize)
  }

  lastBatch(): { goals: Float32Array; values: Float32Array } {
    const { batchSize } = this.#shape
    return { goals: this.#copy(abi.OFF_POLICY_GOALS, batchSize), values: this.#copy(abi.OFF_POLICY_VALUES, batchSize) }
  }

  guardReport(): GuardReport {
    return guardReport(this.#core, this.#core.exports.off_policy_pointer(this.#arena.pointer, abi.OFF_POLICY_LAST_GOOD))
  }

  /** Where a part starts in the arena's floats. */
  at(which: number): number {
    const { pointer } = this.#arena
    return (this.#core.exports.off_policy_pointer(pointer, which) - pointer) >>> 2
  }

  #copy(which: number, length: number): Float32Array {
    const at = this.at(which)
    return this.#arena.floats.slice(at, at + length)
  }

  #words(which: number, length: number): Int32Array {
    const at = this.#core.exports.off_policy_pointer(this.#arena.pointer, which)
    return new Int32Array(this.#core.memory.buffer, at, length)
  }

  #stageContexts(groups: number, given: Float32Array | readonly Context[], encoder: ContextEncoder | undefined): void {
    const { contextSize } = this.#shape
    if (given instanceof Float32Array) {
      requireLength('embeddings', given, groups * contextSize)
      requireFinite('embeddings', given)
      this.#arena.floats.set(given, this.at(abi.OFF_POLICY_CONTEXTS))
      return
    }
    requireLength('contexts', given, groups)
    if (encoder?.embeddingSize !== contextSize)
      throw new ConfigError(
        'size_mismatch',
        `the encoder's embeddings have ${encoder?.embeddingSize} numbers, the agent's contexts ${contextSize}`,
      )
    encoder.stage(given, this.#core)
  }

  #requirePartition(partition: number): void {
    const { partitions } = this.#shape
    if (!(Number.isInteger(partition) && partition >= 0 && partition < partitions))
      throw new ConfigError(
        'partition_invalid',
        `partition must be in 0 … ${partitions - 1}, got ${partition} (set partitions)`,
      )
  }
}

/** Of the options of any agent with a `PairReplay`. */
export interface PairReplayOptions {
  readonly stateSize: number
  readonly contextSize: number
  readonly batchSize: number
  readonly capacity: number
  readonly partitions: number
  readonly maxGroups: number
  readonly hidden: readonly number[]
  readonly seed: number
  readonly discount: number
  readonly targetRate: number
}

/** Notes everything that is wrong with them. */
export function checkPairReplay(problems: Problems, options: PairReplayOptions): void {
  const { stateSize, contextSize, batchSize, capacity, partitions, maxGroups, hidden, seed } = options
  checkCounts(problems, { stateSize, batchSize, capacity, partitions, maxGroups, hidden })
  if (contextSize !== 0) checkCounts(problems, { contextSize })
  problems.check(maxGroups <= batchSize, `maxGroups must not exceed batchSize ${batchSize}, got ${maxGroups}`)
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  for (const name of ['discount', 'targetRate'] as const) {
    problems.check(options[name] >= 0 && options[name] <= 1, `${name} must be in [0, 1], got ${options[name]}`)
  }
}
