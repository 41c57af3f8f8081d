import * as abi from '../abi.js'
import { checkCounts, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { type Tensor, TensorReader } from '../files/tensor.js'
import { type Arena, planArena } from '../memory/arena.js'
import { readBlock, writeBlock } from '../memory/blocks.js'
import type { Context, ContextEncoder } from '../nn/context-encoder.js'
import type { GuardReport } from '../nn/last-good.js'
import { learnedDqn, loadDqn, loadLearnedDqn, saveDqn } from './dqn-state.js'
import { checkPairReplay, PairReplay } from './pair-replay.js'

/** Sizes and hyperparameters of a DQN agent. N: batch, S: state. */
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

/** What the last update did. */
export interface DqnReport extends GuardReport {
  readonly updates: number
  /** Of the last update done, before its step: mean loss, and mean Q(s, a) of the batch. */
  readonly loss: number
  readonly meanQ: number
}

/** The net that learns, and the one that its goals come from. */
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
  readonly #replay: PairReplay
  /** Index of q [A] in the arena's floats. */
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
    const { exports } = core
    this.#arena = planArena(core, {
      owner: 'DqnKernel',
      shapeBytes: exports.dqn_shape_bytes(hidden.length),
      shape: { stateSize, contextSize, actions, batchSize, capacity, partitions, maxGroups, hidden },
      bytes: (at) => exports.dqn_bytes(at),
      create: (pointer, at) => {
        exports.dqn_create(pointer, at, seed | 0, Math.floor(seed / 2 ** 32) | 0)
        exports.dqn_configure(
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
      },
    })
    this.#replay = new PairReplay(core, this.#arena, 'dqn', { ...whole, actionSize: 1 })
    const { pointer } = this.#arena
    this.#q = (exports.dqn_q(pointer) - pointer) >>> 2
  }

  /** Transitions now stored in all rings. */
  get size(): number {
    return this.#replay.size
  }

  /** Transitions now stored in a ring. @throws {ConfigError} `partition_invalid` */
  sizeOf(partition: number): number {
    return this.#replay.sizeOf(partition)
  }

  /** From now on the context [Z] of `best`, `update` and `updateOn`; zeros at creation. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(context: Float32Array): void {
    this.#replay.setContext(context)
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
    const { io } = this.#replay
    for (let i = 0; i < stateSize; i++) floats[io + i] = state[i]!
    const best = this.#core.exports.dqn_values(pointer)
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
    const { actions } = this.options
    if (!Number.isInteger(action) || action < 0 || action >= actions) {
      throw new ConfigError('action_invalid', `action must be an index in 0 … ${actions - 1}, got ${action}`)
    }
    this.#replay.insert({ state, action: [action], reward, nextState, terminated }, partition)
  }

  /**
   * Whole updates on batches drawn uniformly with replacement from the first ring; one call into the core.
   * @throws {ConfigError} `replay_empty`
   */
  update(steps = 1): void {
    this.#replay.update(steps)
  }

  /**
   * One update on equal shares of the named rings [G], each row under its ring's context: embeddings [G, Z] as they are, or
   * those that an encoder makes of contexts; the encoder then learns in the same call, and both step or none.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed
   */
  updatePairs(partitions: ArrayLike<number>, contexts: Float32Array): void
  updatePairs(partitions: ArrayLike<number>, contexts: readonly Context[], encoder: ContextEncoder): void
  updatePairs(partitions: ArrayLike<number>, given: Float32Array | readonly Context[], encoder?: ContextEncoder): void {
    this.#replay.updatePairs(partitions, given, encoder)
  }

  /** dLoss/dcontexts [G, Z] of the last update, each summed over its group's rows; a copy. */
  contextSlopes(groups = 1): Float32Array {
    return this.#replay.contextSlopes(groups)
  }

  /**
   * One update on chosen transitions: place in the ring + partition · capacity; `indices` holds `batchSize` of them.
   * @throws {ConfigError} `size_mismatch`, `index_invalid`
   */
  updateOn(indices: readonly number[]): void {
    this.#replay.updateOn(indices)
  }

  /** What the last update did. */
  report(): DqnReport {
    return {
      updates: this.#replay.updates,
      loss: this.#get(abi.DQN_LOSS),
      meanQ: this.#get(abi.DQN_MEAN_Q),
      ...this.#replay.guardReport(),
    }
  }

  /** The last batch's goals r + γ (1 − terminated) Q'(s', a') and the values Q(s, a) before the step, [batchSize] each. */
  lastBatch(): { goals: Float32Array; values: Float32Array } {
    return this.#replay.lastBatch()
  }

  get learningRate(): number {
    return this.#get(abi.DQN_LEARNING_RATE)
  }

  /** From the next update on. @throws {ConfigError} `config_invalid` */
  set learningRate(rate: number) {
    if (!(rate >= 0 && rate < Infinity))
      throw new ConfigError('config_invalid', `learningRate must be ≥ 0, got ${rate}`)
    this.#core.exports.dqn_set(this.#arena.pointer, abi.DQN_LEARNING_RATE, rate)
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
    requireLength(which, parameters, this.#core.exports.dqn_canonical(this.#arena.pointer))
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

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #get(which: number): number {
    return this.#core.exports.dqn_get(this.#arena.pointer, which)
  }

  #read(which: number): Float32Array {
    const { pointer } = this.#arena
    const length = this.#core.exports.dqn_canonical(pointer)
    return readBlock(this.#core, length, (at) => this.#core.exports.dqn_convert(pointer, which, at, 0))
  }

  #write(which: number, values: Float32Array): void {
    const { pointer } = this.#arena
    writeBlock(this.#core, values, (at) => this.#core.exports.dqn_convert(pointer, which, at, 1))
  }
}

function check(options: Required<DqnKernelOptions>): void {
  const problems = new Problems()
  const { loss } = options
  checkPairReplay(problems, options)
  checkCounts(problems, { actions: options.actions, targetInterval: options.targetInterval })
  problems.check(loss === 'huber' || loss === 'mse', `loss must be huber or mse, got ${loss}`)
  for (const name of ['learningRate', 'weightDecay', 'maxGradientNorm'] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be ≥ 0, got ${options[name]}`)
  }
  problems.throwIfAny('DqnKernel')
}
