import * as abi from './abi.js'
import { Arena } from './arena.js'
import { readBlock, writeBlock } from './blocks.js'
import { describeNotFinite, isCount, requireFinite, requireLength } from './checks.js'
import type { Context, ContextEncoder } from './context-encoder.js'
import type { Core } from './core.js'
import { learnedDqn, loadDqn, loadLearnedDqn, saveDqn } from './dqn-state.js'
import { ConfigError, Problems } from './errors.js'
import { type GuardReport, guardReport } from './last-good.js'
import { type Tensor, TensorReader } from './tensor.js'

export interface DqnKernelOptions {
  readonly stateSize: number
  /** Z, columns of a context behind the state. Default 0. */
  readonly contextSize?: number
  /** A: how many actions there are; one is its index. */
  readonly actions: number
  /** Hidden widths, ReLU; none for a linear net. */
  readonly hidden: readonly number[]
  readonly batchSize: number
  /** Transitions each replay ring keeps. */
  readonly capacity: number
  /** Replay rings, one for each ⟨application, environment⟩ pair. Default 1. */
  readonly partitions?: number
  /** Most groups of a batch, each with a context of its own. Default 1. */
  readonly maxGroups?: number
  readonly seed: number
  readonly learningRate: number
  /** γ */
  readonly discount: number
  /** Of Q(s, a) against its goal. Default `huber`. */
  readonly loss?: 'huber' | 'mse'
  /** Whether the online net chooses the next action and the target net values it (van Hasselt et al. 2016). Default true. */
  readonly double?: boolean
  /** target += rate · (online − target), every `targetInterval` updates; 1: a copy. */
  readonly targetRate: number
  /** Default 1. */
  readonly targetInterval?: number
  /** Coupled L2. Default 0. */
  readonly weightDecay?: number
  /** Gradients of a larger L2 norm are scaled down to it. Default 0: never. */
  readonly maxGradientNorm?: number
}

export interface DqnReport extends GuardReport {
  readonly updates: number
  /** Of the last update done, before its step: mean loss, and mean Q(s, a) of the batch. */
  readonly loss: number
  readonly meanQ: number
}

export type DqnNet = 'online' | 'target'

const NETS: Readonly<Record<DqnNet, number>> = { online: abi.DQN_ONLINE, target: abi.DQN_TARGET }

/**
 * A deep Q-learning agent inside the core: values, replay and whole updates, one call each.
 *
 * The target starts as a copy. An update whose loss or gradient is not finite changes nothing and is counted; after three in a row
 * the last good weights come back. Networks are read and written in the canonical layout of `Mlp`. S: state, Z: context, A: actions.
 *
 * Source: Mnih et al. 2015; van Hasselt et al. 2016.
 */
export class DqnKernel {
  readonly options: Required<DqnKernelOptions>
  readonly #core: Core
  readonly #arena: Arena
  /** Indices in the arena's floats: the io record (state [S], action, next state [S], rule, reward, terminated, has rule), q [A]. */
  readonly #io: number
  readonly #q: number

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: DqnKernelOptions) {
    const whole = {
      contextSize: 0,
      partitions: 1,
      maxGroups: 1,
      loss: 'huber' as const,
      double: true,
      targetInterval: 1,
      weightDecay: 0,
      maxGradientNorm: 0,
      ...options,
    }
    check(whole)
    const { stateSize, contextSize, actions, batchSize, capacity, partitions, maxGroups, hidden, seed } = whole
    this.options = whole
    this.#core = core
    const shape = new Arena(core, core.exports.dqn_shape_bytes!(hidden.length, partitions), 'DqnKernel')
    const sizes = [stateSize, contextSize, actions, batchSize, capacity, partitions, maxGroups]
    const words = [...sizes, hidden.length, ...hidden]
    new Int32Array(core.memory.buffer, shape.pointer, words.length).set(words)
    this.#arena = new Arena(core, core.exports.dqn_bytes!(shape.pointer) >>> 0, 'DqnKernel')
    const { pointer } = this.#arena
    core.exports.dqn_create!(pointer, shape.pointer, seed | 0, Math.floor(seed / 2 ** 32) | 0)
    core.exports.dqn_configure!(
      pointer,
      whole.loss === 'huber' ? abi.LOSS_HUBER : abi.LOSS_MSE,
      whole.double ? 1 : 0,
      whole.learningRate,
      whole.weightDecay,
      whole.maxGradientNorm,
      whole.discount,
      whole.targetRate,
      whole.targetInterval,
    )
    shape.dispose()
    this.#io = this.#at(abi.DQN_IO)
    this.#q = this.#at(abi.DQN_Q)
  }

  /** Transitions now stored, of one ring or of all. */
  size(partition?: number): number {
    const count = (ring: number): number => this.#core.exports.dqn_ring_count!(this.#arena.pointer, ring)
    if (partition !== undefined) return count(this.#ring(partition))
    let sum = 0
    for (let ring = 0; ring < this.options.partitions; ring++) sum += count(ring)
    return sum
  }

  /** From now on the context [Z] of `values`, `update` and `updateOn`; zeros at creation. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(context: Float32Array): void {
    requireLength('context', context, this.options.contextSize)
    requireFinite('context', context)
    this.#arena.floats.set(context, this.#at(abi.DQN_CONTEXT))
  }

  /**
   * The best action at state [S], the first of equals, and where `out` [A] is given the value of each. Allocates nothing.
   * @returns its index, or NaN where the state or a value is not finite
   * @throws {ConfigError} `size_mismatch`
   */
  best(state: Float32Array, out?: Float32Array): number {
    const { stateSize, actions } = this.options
    requireLength('state', state, stateSize)
    if (out) requireLength('out', out, actions)
    const { pointer, floats } = this.#arena
    for (let i = 0; i < stateSize; i++) floats[this.#io + i] = state[i]!
    let best: number
    try {
      best = this.#core.exports.dqn_values!(pointer)
    } catch (cause) {
      throw this.#core.failed('dqn_values', cause)
    }
    if (out) for (let i = 0; i < actions; i++) out[i] = floats[this.#q + i]!
    return best === abi.NOT_FINITE ? Number.NaN : best
  }

  /**
   * Stores a transition, over the ring's oldest when it is full.
   * @throws {ConfigError} `size_mismatch`, `action_invalid`, `partition_invalid`, `transition_not_finite`; nothing changed
   */
  insert(
    state: Float32Array,
    action: number,
    reward: number,
    nextState: Float32Array,
    terminated: boolean,
    partition = 0,
  ): void {
    const { stateSize, actions } = this.options
    requireLength('state', state, stateSize)
    requireLength('nextState', nextState, stateSize)
    if (!Number.isInteger(action) || action < 0 || action >= actions) {
      throw new ConfigError('action_invalid', `action must be an index in 0 … ${actions - 1}, got ${action}`)
    }
    const ring = this.#ring(partition)
    const { floats } = this.#arena
    floats.set(state, this.#io)
    floats[this.#io + stateSize] = action
    floats.set(nextState, this.#io + stateSize + 1)
    const rest = this.#io + 2 * stateSize + 1
    floats[rest] = 0
    floats[rest + 1] = reward
    floats[rest + 2] = terminated ? 1 : 0
    floats[rest + 3] = 0
    const status = this.#core.guard('dqn_insert', (e) => e.dqn_insert!(this.#arena.pointer, ring))
    if (status === abi.NOT_FINITE)
      throw new ConfigError('transition_not_finite', describeNotFinite({ state, nextState }, reward))
  }

  /**
   * Whole updates on batches drawn uniformly with replacement from the first ring; one call into the core.
   * @throws {ConfigError} `replay_empty`
   */
  update(steps = 1): void {
    this.#requireStored(this.#core.guard('dqn_update', (e) => e.dqn_update!(this.#arena.pointer, steps)))
  }

  /**
   * One update on equal shares of the named rings [G], each row under its ring's context: embeddings [G, Z] as they are, or
   * those that an encoder makes of contexts; the encoder then learns in the same call, and both step or none.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed
   */
  updatePairs(partitions: ArrayLike<number>, contexts: Float32Array): void
  updatePairs(partitions: ArrayLike<number>, contexts: readonly Context[], encoder: ContextEncoder): void
  updatePairs(
    partitions: ArrayLike<number>,
    contexts: Float32Array | readonly Context[],
    encoder?: ContextEncoder,
  ): void {
    const { contextSize, maxGroups } = this.options
    const groups = partitions.length
    if (groups < 1 || groups > maxGroups)
      throw new ConfigError('size_mismatch', `1 to ${maxGroups} partitions at a time, got ${groups} (set maxGroups)`)
    const rings = Array.from(partitions, (partition) => this.#ring(partition))
    if (encoder) {
      if (encoder.embeddingSize !== contextSize) {
        throw new ConfigError(
          'size_mismatch',
          `the encoder's embeddings have ${encoder.embeddingSize} numbers, contextSize is ${contextSize}`,
        )
      }
      requireLength('contexts', contexts, groups)
      encoder.stage(contexts as readonly Context[], this.#core)
    } else {
      requireLength('contexts', contexts, groups * contextSize)
      requireFinite('contexts', contexts as Float32Array)
      this.#arena.floats.set(contexts as Float32Array, this.#at(abi.DQN_CONTEXTS))
    }
    this.#words(abi.DQN_CHOSEN, groups).set(rings)
    const { pointer } = this.#arena
    const status = this.#core.guard('dqn_update_pairs', (e) =>
      e.dqn_update_pairs!(pointer, groups, encoder?.pointer ?? 0),
    )
    this.#requireStored(status)
  }

  /** dLoss/dcontexts [G, Z] of the last update, each summed over its group's rows; a copy. */
  slopes(groups: number): Float32Array {
    const at = this.#at(abi.DQN_SLOPES)
    return this.#arena.floats.slice(at, at + groups * this.options.contextSize)
  }

  /**
   * One update on chosen transitions: place in the ring + partition · capacity; `indices` holds `batchSize` of them.
   * @throws {ConfigError} `size_mismatch`, `index_invalid`
   */
  updateOn(indices: readonly number[]): void {
    const { batchSize, capacity, partitions } = this.options
    requireLength('indices', indices, batchSize)
    const bad = indices.find((index) => {
      const partition = Math.floor(index / capacity)
      return (
        !(partition >= 0 && partition < partitions && Number.isInteger(index)) ||
        index % capacity >= this.size(partition)
      )
    })
    if (bad !== undefined) throw new ConfigError('index_invalid', `indices must name stored transitions, got ${bad}`)
    this.#words(abi.DQN_INDICES, batchSize).set(indices)
    this.#core.guard('dqn_learn', (e) => e.dqn_learn!(this.#arena.pointer))
  }

  report(): DqnReport {
    return {
      updates: this.#get(abi.DQN_UPDATES),
      loss: this.#get(abi.DQN_LOSS),
      meanQ: this.#get(abi.DQN_MEAN_Q),
      ...guardReport(this.#core, this.#core.exports.dqn_pointer!(this.#arena.pointer, abi.DQN_LAST_GOOD)),
    }
  }

  /** The last batch's goals r + γ (1 − terminated) Q'(s', a') and the values Q(s, a) before the step, [batchSize] each. */
  lastBatch(): { goals: Float32Array; values: Float32Array } {
    const read = (which: number): Float32Array => {
      const at = this.#at(which)
      return this.#arena.floats.slice(at, at + this.options.batchSize)
    }
    return { goals: read(abi.DQN_GOALS), values: read(abi.DQN_VALUES) }
  }

  get learningRate(): number {
    return this.#get(abi.DQN_LEARNING_RATE)
  }

  /** From the next update on. @throws {ConfigError} `config_invalid` */
  set learningRate(rate: number) {
    if (!(rate >= 0 && rate < Infinity))
      throw new ConfigError('config_invalid', `learningRate must be ≥ 0, got ${rate}`)
    this.#core.exports.dqn_set!(this.#arena.pointer, abi.DQN_LEARNING_RATE, rate)
  }

  /** A copy, canonical. */
  parameters(which: DqnNet): Float32Array {
    return this.#read(NETS[which])
  }

  /** The last update's gradient before clipping and decay, canonical, a copy. */
  gradients(): Float32Array {
    return this.#read(abi.DQN_GRADIENT)
  }

  /** Moments stay as they are. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(which: DqnNet, parameters: Float32Array): void {
    requireLength(which, parameters, this.#core.exports.dqn_canonical!(this.#arena.pointer))
    requireFinite(which, parameters)
    this.#write(NETS[which], parameters)
  }

  /** Networks, Adam moments and the count of updates: what training in several places averages. */
  learned(): Tensor[] {
    return learnedDqn(this.#core, this.#arena, (which) => this.#read(which))
  }

  /** What is set counts as good. @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    loadLearnedDqn(this.#core, this.#arena, new TensorReader(tensors), (which, values) => this.#write(which, values))()
  }

  /** Everything an exact resume needs: networks, moments, replay, randomness, counters, context. */
  save(): Tensor[] {
    return saveDqn(this.#core, this.#arena, this.options, (which) => this.#read(which))
  }

  /**
   * Continues exactly where `save` was called, in an agent of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    loadDqn(this.#core, this.#arena, this.options, tensors, (which, values) => this.#write(which, values))
  }

  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #get(which: number): number {
    return this.#core.exports.dqn_get!(this.#arena.pointer, which)
  }

  /** Where a part starts in the arena's floats. */
  #at(which: number): number {
    const { pointer } = this.#arena
    return (this.#core.exports.dqn_pointer!(pointer, which) - pointer) >>> 2
  }

  #words(which: number, length: number): Int32Array {
    return new Int32Array(this.#core.memory.buffer, this.#core.exports.dqn_pointer!(this.#arena.pointer, which), length)
  }

  #ring(partition: number): number {
    const { partitions } = this.options
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
      throw new ConfigError(
        'partition_invalid',
        `a partition must be in 0 … ${partitions - 1}, got ${partition} (set partitions)`,
      )
    }
    return partition
  }

  #requireStored(status: number): void {
    if (status === abi.EMPTY)
      throw new ConfigError(
        'replay_empty',
        'an update needs at least one stored transition of each pair (call insert first)',
      )
  }

  #read(which: number): Float32Array {
    const { pointer } = this.#arena
    return readBlock(this.#core, 'dqn_convert', [pointer, which], this.#core.exports.dqn_canonical!(pointer))
  }

  #write(which: number, values: Float32Array): void {
    writeBlock(this.#core, 'dqn_convert', [this.#arena.pointer, which], values)
  }
}

function check(options: Required<DqnKernelOptions>): void {
  const problems = new Problems()
  const { stateSize, hidden, contextSize, capacity, partitions, seed, discount, targetRate, loss } = options
  for (const name of [
    'stateSize',
    'actions',
    'batchSize',
    'capacity',
    'partitions',
    'maxGroups',
    'targetInterval',
  ] as const) {
    problems.check(isCount(options[name]), `${name} must be a positive integer, got ${options[name]}`)
  }
  problems.check(contextSize === 0 || isCount(contextSize), `contextSize must be an integer ≥ 0, got ${contextSize}`)
  problems.check(hidden.every(isCount), `hidden must name positive widths, got [${hidden.join(', ')}]`)
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.check(discount >= 0 && discount <= 1, `discount must be in [0, 1], got ${discount}`)
  problems.check(targetRate >= 0 && targetRate <= 1, `targetRate must be in [0, 1], got ${targetRate}`)
  problems.check(loss === 'huber' || loss === 'mse', `loss must be huber or mse, got ${loss}`)
  for (const name of ['learningRate', 'weightDecay', 'maxGradientNorm'] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be ≥ 0, got ${options[name]}`)
  }
  const replayBytes = 4 * partitions * capacity * (2 * stateSize + 5)
  problems.check(!(replayBytes > 2 ** 30), `capacity ${capacity} needs ${replayBytes} bytes of replay, at most 2^30`)
  problems.throwIfAny('DqnKernel')
}
