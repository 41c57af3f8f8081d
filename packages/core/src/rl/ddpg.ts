import * as abi from '../abi.js'
import { checkCounts, requireFinite, requireLength } from '../checks.js'
import type { UpdateReport } from '../contracts.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { type Tensor, TensorReader } from '../files/tensor.js'
import { type Arena, planArena } from '../memory/arena.js'
import { readBlock, writeBlock } from '../memory/blocks.js'
import type { Context, ContextEncoder } from '../nn/context-encoder.js'
import type { GuardReport } from '../nn/last-good.js'
import { type BlockAccess, loadDdpg, loadLearned, saveDdpg, saveLearned } from './ddpg-state.js'
import { checkPairReplay, PairReplay } from './pair-replay.js'

/** Sizes and hyperparameters of a DDPG agent. N: batch, S: state, A: action. */
export interface DdpgKernelOptions {
  readonly stateSize: number
  readonly actionSize: number
  /** Z: numbers of a context behind the state, in both networks. Default 0. */
  readonly contextSize?: number
  /** P: rings of replay, one for each pair that shares the agent. Default 1. */
  readonly partitions?: number
  /** G: most pairs that an update mixes. Default 1. */
  readonly maxGroups?: number
  /** Hidden widths of actor ((S+Z)-h-A, ReLU, tanh) and critic ((S+Z+A)-h-1, ReLU, linear). */
  readonly hidden: readonly number[]
  readonly batchSize: number
  /** Transitions each ring keeps. */
  readonly capacity: number
  readonly seed: number
  readonly actorLearningRate: number
  readonly criticLearningRate: number
  /** γ */
  readonly discount: number
  /** τ of the soft target update. */
  readonly targetRate: number
  /** averaged += rate · (actor − averaged) after each update; 0: the averaged actor is the actor. */
  readonly averageRate: number
  /** Coupled L2, on both networks. */
  readonly weightDecay: number
  /** Each network's gradient is scaled down to this L2 norm; 0: never. */
  readonly maxGradientNorm: number
  /** Weight of the mean square of the actor's outputs before tanh. */
  readonly outputPenalty: number
  /** Weight of mean max(0, |z| − saturationLimit)², z the actor's outputs before tanh: keeps it out of corners it cannot leave. Default 0. */
  readonly saturationPenalty?: number
  /** Default 1.5. */
  readonly saturationLimit?: number
  /** λ of λ · mean (π(s) − rule action)² over the coordinates of sampled transitions that have a rule action. */
  readonly cloningWeight: number
}

/** The nets of an agent: those that learn, their slow copies, and the average of the actor that serves. */
export type DdpgNet = 'actor' | 'critic' | 'targetActor' | 'targetCritic' | 'averagedActor'

const NETS: Readonly<Record<DdpgNet, number>> = {
  actor: abi.DDPG_ACTOR,
  critic: abi.DDPG_CRITIC,
  targetActor: abi.DDPG_TARGET_ACTOR,
  targetCritic: abi.DDPG_TARGET_CRITIC,
  averagedActor: abi.DDPG_AVERAGED_ACTOR,
}

/** What may change between two updates. */
export type LiveHyperparameter = 'actorLearningRate' | 'criticLearningRate' | 'outputPenalty' | 'cloningWeight'

const LIVE: Readonly<Record<LiveHyperparameter, number>> = {
  actorLearningRate: abi.DDPG_ACTOR_LEARNING_RATE,
  criticLearningRate: abi.DDPG_CRITIC_LEARNING_RATE,
  outputPenalty: abi.DDPG_OUTPUT_PENALTY,
  cloningWeight: abi.DDPG_CLONING_WEIGHT,
}

/**
 * A deep deterministic policy gradient agent inside the core: acting, replay and whole updates, one call each.
 *
 * Actions are in [−1, 1]. Targets start as copies. An update goes critic → actor, through the updated critic → targets →
 * average; where a loss or gradient is not finite, nothing changes but the count of skipped updates, and after three in a row
 * the last good weights come back.
 *
 * Many pairs may share an agent, each with a ring of replay and a context z [Z] of its own behind the state; `updatePairs` mixes
 * them. The critic's loss says what of the contexts was wrong, the actor sees them and says nothing.
 * Networks are read and written in the canonical layout of `Mlp`.
 *
 * Source: Lillicrap et al. 2016; dissertation 3.2.4, Algorithm 3.3.
 */
export class DdpgKernel {
  readonly options: Required<DdpgKernelOptions>
  readonly #core: Core
  readonly #arena: Arena
  readonly #replay: PairReplay

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: DdpgKernelOptions) {
    const whole = {
      contextSize: 0,
      partitions: 1,
      maxGroups: 1,
      saturationPenalty: 0,
      saturationLimit: 1.5,
      ...options,
    }
    check(whole)
    const { stateSize, actionSize, hidden, batchSize, capacity, contextSize, partitions, maxGroups, seed } = whole
    this.options = whole
    this.#core = core
    const { exports } = core
    this.#arena = planArena(core, {
      owner: 'DdpgKernel',
      shapeBytes: exports.ddpg_shape_bytes(hidden.length),
      shape: { stateSize, actionSize, batchSize, capacity, contextSize, partitions, maxGroups, hidden },
      bytes: (at) => exports.ddpg_bytes(at),
      create: (pointer, at) => {
        exports.ddpg_create(pointer, at, seed | 0, Math.floor(seed / 2 ** 32) | 0)
        exports.ddpg_configure(
          pointer,
          options.actorLearningRate,
          options.criticLearningRate,
          options.weightDecay,
          options.maxGradientNorm,
          options.discount,
          options.targetRate,
          options.averageRate,
          options.outputPenalty,
          options.cloningWeight,
          whole.saturationPenalty,
          whole.saturationLimit,
        )
      },
    })
    this.#replay = new PairReplay(core, this.#arena, 'ddpg', whole)
  }

  /** Transitions now stored in all rings. */
  get size(): number {
    return this.#replay.size
  }

  /** Transitions now stored in a ring. @throws {ConfigError} `partition_invalid` */
  sizeOf(partition: number): number {
    return this.#replay.sizeOf(partition)
  }

  /**
   * z [Z] of decisions and of updates without named pairs from now on; zeros, the null context, at creation.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  setContext(z: Float32Array): void {
    this.#replay.setContext(z)
  }

  /**
   * out [A] = π(state [S]). Allocates nothing.
   * @throws {ConfigError} `size_mismatch`
   */
  act(state: Float32Array, out: Float32Array, which: 'actor' | 'averaged' = 'actor'): void {
    const { stateSize, actionSize } = this.options
    requireLength('state', state, stateSize)
    requireLength('out', out, actionSize)
    const { pointer, floats } = this.#arena
    const { io } = this.#replay
    for (let i = 0; i < stateSize; i++) floats[io + i] = state[i]!
    this.#core.exports.ddpg_act(pointer, which === 'averaged' ? 1 : 0)
    for (let i = 0; i < actionSize; i++) out[i] = floats[io + stateSize + i]!
  }

  /**
   * Q(state [S], action [A]) of the critic.
   * @throws {ConfigError} `size_mismatch`
   */
  q(state: Float32Array, action: Float32Array): number {
    this.#replay.fill(state, action)
    return this.#core.exports.ddpg_q(this.#arena.pointer)
  }

  /**
   * Stores a transition in a ring, over the oldest when it is full.
   * @throws {ConfigError} `size_mismatch`, `transition_not_finite`, `partition_invalid`; nothing changed
   */
  insert(
    state: Float32Array,
    action: Float32Array,
    reward: number,
    nextState: Float32Array,
    terminated: boolean,
    ruleAction?: Float32Array,
    partition = 0,
  ): void {
    this.#replay.insert({ state, action, reward, nextState, terminated, ...(ruleAction && { ruleAction }) }, partition)
  }

  /**
   * Whole updates on batches drawn uniformly with replacement from ring 0; one call into the core.
   * @throws {ConfigError} `replay_empty`
   */
  update(steps = 1): void {
    this.#replay.update(steps)
  }

  /**
   * One update on equal shares of the named rings [G], each seen under its own context, in one call into the core: embeddings
   * [G, Z] as they are, or contexts that `encoder` turns into embeddings and learns from, along the critic's loss.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed
   */
  updatePairs(partitions: Int32Array, embeddings: Float32Array): void
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): void
  updatePairs(partitions: Int32Array, given: Float32Array | readonly Context[], encoder?: ContextEncoder): void {
    this.#replay.updatePairs(partitions, given, encoder)
  }

  /** dLoss/dcontexts [G, Z] of the last update's critic loss, each summed over its rows; a copy. */
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

  /** Updates done and skipped, and the losses of the last one done. */
  report(): UpdateReport & GuardReport {
    const get = (which: number): number => this.#core.exports.ddpg_get(this.#arena.pointer, which)
    return {
      updates: this.#replay.updates,
      ...this.#replay.guardReport(),
      criticLoss: get(abi.DDPG_CRITIC_LOSS),
      actorLoss: get(abi.DDPG_ACTOR_LOSS),
      meanQ: get(abi.DDPG_MEAN_Q),
    }
  }

  /** The last batch's goals r + γ (1 − terminated) Q'(s', π'(s')) and the critic's values before its step, [batchSize] each. */
  lastBatch(): { goals: Float32Array; values: Float32Array } {
    return this.#replay.lastBatch()
  }

  /** The last update's gradient before clipping and decay, canonical, a copy. */
  gradients(which: 'actor' | 'critic'): Float32Array {
    return this.#read(which === 'actor' ? abi.DDPG_ACTOR_GRADIENT : abi.DDPG_CRITIC_GRADIENT)
  }

  /** A live hyperparameter as it is now. */
  get(name: LiveHyperparameter): number {
    return this.#core.exports.ddpg_get(this.#arena.pointer, LIVE[name])
  }

  /** @throws {ConfigError} `config_invalid` */
  set(name: LiveHyperparameter, value: number): void {
    if (!(name in LIVE) || !Number.isFinite(value) || value < 0) {
      throw new ConfigError(
        'config_invalid',
        `${name} must be one of ${Object.keys(LIVE).join(', ')} and >= 0, got ${value}`,
      )
    }
    this.#core.exports.ddpg_set(this.#arena.pointer, LIVE[name], value)
  }

  /** A copy, canonical. */
  parameters(which: DdpgNet): Float32Array {
    return this.#read(NETS[which])
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(which: DdpgNet, parameters: Float32Array): void {
    requireLength(which, parameters, this.#core.exports.ddpg_canonical(this.#arena.pointer, NETS[which]))
    requireFinite(which, parameters)
    this.#write(NETS[which], parameters)
    this.#core.exports.ddpg_keep(this.#arena.pointer)
  }

  /** Networks, Adam moments and the count of updates: what training in several places averages. */
  learned(): Tensor[] {
    return saveLearned(this.#core, this.#arena, this.#access)
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    loadLearned(this.#core, this.#arena, this.#access, new TensorReader(tensors))()
    this.#core.exports.ddpg_keep(this.#arena.pointer)
  }

  /** Everything an exact resume needs: networks, moments, replay, randomness, counters, live hyperparameters. */
  save(): Tensor[] {
    return saveDdpg(this.#core, this.#arena, this.options, this.#access)
  }

  /**
   * Continues exactly where `save` was called, in an agent of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    loadDdpg(this.#core, this.#arena, this.options, tensors, this.#access)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  readonly #access: BlockAccess = {
    read: (which) => this.#read(which),
    write: (which, values) => this.#write(which, values),
  }

  #read(which: number): Float32Array {
    const { pointer } = this.#arena
    const length = this.#core.exports.ddpg_canonical(pointer, which)
    return readBlock(this.#core, length, (at) => this.#core.exports.ddpg_convert(pointer, which, at, 0))
  }

  #write(which: number, values: Float32Array): void {
    const { pointer } = this.#arena
    writeBlock(this.#core, values, (at) => this.#core.exports.ddpg_convert(pointer, which, at, 1))
  }
}

function check(options: Required<DdpgKernelOptions>): void {
  const problems = new Problems()
  const { actionSize, hidden, averageRate } = options
  checkPairReplay(problems, options)
  checkCounts(problems, { actionSize })
  problems.check(hidden.length > 0, 'hidden must name at least one width')
  problems.check(averageRate >= 0 && averageRate <= 1, `averageRate must be in [0, 1], got ${averageRate}`)
  for (const name of [
    'actorLearningRate',
    'criticLearningRate',
    'weightDecay',
    'maxGradientNorm',
    'outputPenalty',
    'cloningWeight',
    'saturationPenalty',
    'saturationLimit',
  ] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be >= 0, got ${options[name]}`)
  }
  problems.throwIfAny('DdpgKernel')
}
