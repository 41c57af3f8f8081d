import * as abi from '../abi.js'
import { requireFinite, requireLength } from '../checks.js'
import type { UpdateReport } from '../contracts.js'
import type { Core } from '../core.js'
import { ConfigError } from '../errors.js'
import { type Tensor, TensorReader } from '../files/tensor.js'
import { type Arena, planArena } from '../memory/arena.js'
import { readBlock, writeBlock } from '../memory/blocks.js'
import type { Context, ContextEncoder } from '../nn/context-encoder.js'
import { type GuardReport, guardReport } from '../nn/last-good.js'
import { isChoice, PpoMany } from './ppo-many.js'
import {
  actionWidthOf,
  adamArguments,
  checkPpoOptions,
  lossArguments,
  type PpoKernelOptions,
  shapeOf,
  withDefaults,
} from './ppo-options.js'
import { loadPpo, loadPpoNets, savePpo, savePpoNets } from './ppo-state.js'

const NONE = new Float32Array(0)

/** The two nets of an agent; they share nothing. */
export type PpoNet = 'policy' | 'value'

/** What may change between two epochs. */
export type LivePpoHyperparameter = 'policyLearningRate' | 'valueLearningRate' | 'clip' | 'entropyWeight'

const LIVE: Readonly<Record<LivePpoHyperparameter, number>> = {
  policyLearningRate: abi.PPO_POLICY_LEARNING_RATE,
  valueLearningRate: abi.PPO_VALUE_LEARNING_RATE,
  clip: abi.PPO_CLIP,
  entropyWeight: abi.PPO_ENTROPY_WEIGHT,
}

/** What the steps of G partitions have behind their states: embeddings [G, Z], or what an encoder makes of G contexts. */
export type PartitionContexts =
  | Float32Array
  | { readonly contexts: readonly Context[]; readonly encoder: ContextEncoder }

const encoderOf = (contexts: PartitionContexts | undefined): number =>
  contexts === undefined || contexts instanceof Float32Array ? 0 : contexts.encoder.pointer

/** Mini-batch steps done, and means over the mini-batches of the last epoch: `criticLoss` is mean (V − return)². */
export interface PpoReport extends UpdateReport, GuardReport {
  readonly entropy: number
  /** Mean of ratio − 1 − log ratio: how far the policy has moved from the one that acted. */
  readonly divergence: number
  /** Share of steps whose ratio left 1 ± clip. */
  readonly clippedShare: number
}

/** What the last mini-batch was made of, N numbers each. */
export interface PpoBatch {
  /** As the loss used them: normalised where they are. */
  readonly advantages: Float64Array
  readonly logProbabilities: Float64Array
  readonly entropies: Float64Array
  readonly ratios: Float64Array
}

/**
 * A proximal policy optimisation agent inside the core: acting, the rollout, and whole epochs of mini-batches, one call each.
 *
 * A step is stored with the probability that the policy gave its action at that moment. `update` values the rollout, makes its
 * epochs and forgets it. A mini-batch whose loss or gradient is not finite changes nothing and is counted; after three in a row
 * the last good weights come back. Networks are read and written in the canonical layout of `Mlp`; a Gaussian policy's is
 * followed by its log deviations [A].
 *
 * S: state, Z: context, G: global, which the value network alone sees, A: `actionSize`, P: partitions, K: numbers of an action, A
 * of a Gaussian, of categories an index a head.
 * Source: Schulman et al. 2017.
 */
export class PpoKernel {
  readonly options: Required<PpoKernelOptions>
  /** The same for many agents at once. */
  readonly many: PpoMany
  readonly #core: Core
  readonly #arena: Arena
  /** K */
  readonly #actionWidth: number
  /** Index of the io record in the arena's floats: state, context, global, the next ones, action [A], distribution [A]. */
  readonly #io: number

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: PpoKernelOptions) {
    const whole = withDefaults(options)
    checkPpoOptions(whole)
    const { hidden, heads, seed, policy, actionSize, initialLogDeviation } = whole
    this.options = whole
    this.#core = core
    this.#actionWidth = actionWidthOf(whole)
    const { exports } = core
    const orthogonal = whole.initialisation === 'orthogonal' ? 1 : 0
    this.#arena = planArena(core, {
      owner: 'PpoKernel',
      shapeBytes: exports.ppo_shape_bytes(hidden.length, heads.length),
      shape: shapeOf(whole),
      bytes: (at) => exports.ppo_bytes(at),
      create: (pointer, at) => {
        exports.ppo_create(pointer, at, orthogonal, seed | 0, Math.floor(seed / 2 ** 32) | 0)
        exports.ppo_configure_adam(pointer, ...adamArguments(whole))
        exports.ppo_configure(pointer, ...lossArguments(whole))
        if (initialLogDeviation === 0 || policy !== 'gaussian') return
        const parameters = readNet(core, pointer, abi.PPO_POLICY)
        writeNet(core, pointer, abi.PPO_POLICY, parameters.fill(initialLogDeviation, parameters.length - actionSize))
        exports.ppo_keep_good(pointer)
      },
    })
    this.#io = this.#at(abi.PPO_IO)
    this.many = new PpoMany(core, this.#arena, whole)
  }

  /** Steps now stored. */
  get size(): number {
    return this.#core.exports.ppo_get(this.#arena.pointer, abi.PPO_COUNT)
  }

  /** Steps now stored of one partition. @throws {ConfigError} `partition_invalid` */
  stepsOf(partition: number): number {
    this.#checkPartition(partition)
    const { pointer } = this.#arena
    const at = this.#core.exports.ppo_pointer(pointer, abi.PPO_PARTITIONS)
    const column = new Int32Array(this.#core.memory.buffer, at, this.size)
    return column.reduce((sum, of) => sum + (of === partition ? 1 : 0), 0)
  }

  /** What `act`, `sample`, `value` and `insert` find behind the state from now on, [Z]; zeros at creation. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(context: Float32Array): void {
    requireLength('context', context, this.options.contextSize)
    requireFinite('context', context)
    this.#arena.floats.set(context, this.#io + this.options.stateSize)
  }

  /**
   * The likeliest action for state [S]: out [K] = an index a head, or means. Allocates nothing. NaN comes out as NaN.
   * @throws {ConfigError} `size_mismatch`
   */
  act(state: Float32Array, out: Float32Array): void {
    this.#act(state, out, 0)
  }

  /**
   * An action drawn from the policy for state [S], as `act` gives it; a Gaussian's may be anywhere.
   * @throws {ConfigError} `size_mismatch`
   */
  sample(state: Float32Array, out: Float32Array): void {
    this.#act(state, out, 1)
  }

  /**
   * out [A] = probabilities of the categories, or a Gaussian's means, for state [S].
   * @throws {ConfigError} `size_mismatch`
   */
  distribution(state: Float32Array, out: Float32Array): void {
    const { actionSize } = this.options
    requireLength('out', out, actionSize)
    this.#putState(state)
    this.#core.exports.ppo_act(this.#arena.pointer, 0)
    const at = this.#actionAt + actionSize
    out.set(this.#arena.floats.subarray(at, at + actionSize))
  }

  /** V(state [S], global [G]). @throws {ConfigError} `size_mismatch` */
  value(state: Float32Array, global: Float32Array = NONE): number {
    this.#putState(state)
    this.#putGlobal('global', global, this.#io)
    return this.#core.exports.ppo_value(this.#arena.pointer)
  }

  /**
   * Appends a step to the rollout. The steps of one partition follow one another in time; several may take turns.
   * @param action  [K], as `sample` gave it
   * @param global  [G] beside the state, `nextGlobal` [G] beside the next
   * @throws {ConfigError} `size_mismatch`, `action_invalid`, `partition_invalid`, `transition_not_finite`, `rollout_full`; nothing changed
   */
  insert(
    state: Float32Array,
    action: Float32Array,
    reward: number,
    nextState: Float32Array,
    terminated: boolean,
    partition = 0,
    global: Float32Array = NONE,
    nextGlobal: Float32Array = NONE,
  ): void {
    const { stateSize } = this.options
    requireLength('action', action, this.#actionWidth)
    requireLength('nextState', nextState, stateSize)
    this.#checkPartition(partition)
    this.#checkChoices(action)
    this.#putState(state)
    this.#putGlobal('global', global, this.#io)
    this.#putGlobal('nextGlobal', nextGlobal, this.#io + this.#width)
    const { floats, pointer } = this.#arena
    floats.set(nextState, this.#io + this.#width)
    floats.set(action, this.#actionAt)
    const status = this.#core.exports.ppo_insert(pointer, reward, terminated ? 1 : 0, partition)
    if (status === abi.FULL) {
      throw new ConfigError('rollout_full', `the rollout holds ${this.size} steps: update or clear before the next one`)
    }
    if (status === abi.NOT_FINITE) {
      throw new ConfigError(
        'transition_not_finite',
        describeNotFinite({ state, action, nextState, global, nextGlobal }, reward),
      )
    }
  }

  /** The partition's episode is over; its last step, unless it terminated, was cut by a time limit. @throws {ConfigError} `partition_invalid` */
  endEpisode(partition = 0): void {
    this.#checkPartition(partition)
    this.#core.exports.ppo_end_episode(this.#arena.pointer, partition)
  }

  /** Forgets the rollout. */
  clear(): void {
    this.#core.exports.ppo_clear(this.#arena.pointer)
  }

  /**
   * Values the rollout, makes `epochs` passes over it and forgets it; behind every state stands the context of `setContext`.
   * @throws {ConfigError} `rollout_empty`; nothing changed
   */
  update(epochs = 1): void {
    this.prepare()
    for (let i = 0; i < epochs; i++) this.epoch()
    this.clear()
  }

  /**
   * As `update`, but the policy learns to do what was done in the rollout, likely or not, worth it or not: cross-entropy of choices,
   * squared error of a Gaussian's means, whose deviations stay. The value network learns the returns.
   * @throws {ConfigError} `rollout_empty`; nothing changed
   */
  imitate(epochs = 1): void {
    this.prepare()
    for (let i = 0; i < epochs; i++) this.#core.exports.ppo_imitate(this.#arena.pointer)
    this.clear()
  }

  /**
   * As `update`, on the steps of the named partitions [G] alone, each seen with its own context, and the rollout stays. An
   * encoder steps once after each pass, along the slopes of the value loss, in the same call into the core.
   * @throws {ConfigError} `rollout_empty`, `size_mismatch`, `not_finite`, `partition_invalid`; nothing changed
   */
  updatePairs(epochs: number, partitions: Int32Array, contexts: PartitionContexts): void {
    this.prepare(partitions, contexts)
    const encoder = encoderOf(contexts)
    for (let i = 0; i < epochs; i++) this.#epoch(encoder)
  }

  /**
   * Values, advantages and returns of the rollout by the networks as they are now; `epoch` and `learnOn` work on these.
   * @throws {ConfigError} as `update` and `updatePairs`
   */
  prepare(partitions?: Int32Array, contexts?: PartitionContexts): void {
    if (partitions && contexts) this.#stage(partitions, contexts)
    else
      this.#stage(
        Int32Array.from({ length: this.options.partitions }, (_, p) => p),
        this.#liveContexts(),
      )
    const status = this.#core.exports.ppo_prepare(this.#arena.pointer, encoderOf(contexts))
    if (status === abi.EMPTY) throw emptyRollout()
  }

  /** One pass over the prepared rollout, all its mini-batches in one call into the core. @throws {ConfigError} `rollout_empty` */
  epoch(): void {
    this.#epoch(0)
  }

  #epoch(encoder: number): void {
    const status = this.#core.exports.ppo_epoch(this.#arena.pointer, encoder)
    if (status === abi.EMPTY) throw emptyRollout()
  }

  /**
   * One mini-batch of chosen steps of the prepared rollout, at most `miniBatchSize`, by the loss of `epoch` or that of `imitate`.
   * @throws {ConfigError} `size_mismatch`, `index_invalid`
   */
  learnOn(indices: readonly number[], loss: 'clipped' | 'imitation' = 'clipped'): void {
    const { size } = this
    const { miniBatchSize } = this.options
    if (indices.length < 1 || indices.length > miniBatchSize) {
      throw new ConfigError('size_mismatch', `a mini-batch has 1 to ${miniBatchSize} steps, got ${indices.length}`)
    }
    const bad = indices.find((index) => !Number.isInteger(index) || index < 0 || index >= size)
    if (bad !== undefined) throw new ConfigError('index_invalid', `indices must be in 0 … ${size - 1}, got ${bad}`)
    const { pointer } = this.#arena
    const at = this.#core.exports.ppo_pointer(pointer, abi.PPO_ORDER)
    new Int32Array(this.#core.memory.buffer, at, indices.length).set(indices)
    this.#core.exports.ppo_learn(pointer, indices.length, loss === 'imitation' ? 1 : 0)
  }

  /** What the last epoch did. */
  report(): PpoReport {
    const { pointer } = this.#arena
    const get = (which: number): number => this.#core.exports.ppo_get(pointer, which)
    return {
      updates: get(abi.PPO_UPDATES),
      ...guardReport(this.#core, this.#core.exports.ppo_pointer(pointer, abi.PPO_LAST_GOOD)),
      criticLoss: get(abi.PPO_VALUE_LOSS),
      actorLoss: get(abi.PPO_POLICY_LOSS),
      meanQ: get(abi.PPO_MEAN_VALUE),
      entropy: get(abi.PPO_ENTROPY),
      divergence: get(abi.PPO_DIVERGENCE),
      clippedShare: get(abi.PPO_CLIPPED),
    }
  }

  /** The first n rows of the last mini-batch. */
  lastBatch(n: number): PpoBatch {
    const at = this.#at(abi.PPO_BATCH) >>> 1
    const column = (index: number): Float64Array => {
      const from = at + index * this.options.miniBatchSize
      return this.#arena.doubles.slice(from, from + n)
    }
    return { advantages: column(0), logProbabilities: column(1), entropies: column(2), ratios: column(3) }
  }

  /** Mean over the last epoch's mini-batches of what the value loss says of the contexts, dLoss/dcontexts [P, Z]; a copy. */
  slopes(): Float32Array {
    const at = this.#at(abi.PPO_SLOPES)
    return this.#arena.floats.slice(at, at + this.options.partitions * this.options.contextSize)
  }

  /** The last mini-batch's gradient before clipping, canonical, a copy. */
  gradients(which: PpoNet): Float32Array {
    return this.#read(which === 'policy' ? abi.PPO_POLICY_GRADIENT : abi.PPO_VALUE_GRADIENT)
  }

  /** A live hyperparameter as it is now. */
  get(name: LivePpoHyperparameter): number {
    return this.#core.exports.ppo_get(this.#arena.pointer, LIVE[name])
  }

  /** @throws {ConfigError} `config_invalid` */
  set(name: LivePpoHyperparameter, value: number): void {
    if (!Object.hasOwn(LIVE, name) || !Number.isFinite(value) || value < 0) {
      throw new ConfigError(
        'config_invalid',
        `${name} must be one of ${Object.keys(LIVE).join(', ')} and >= 0, got ${value}`,
      )
    }
    this.#core.exports.ppo_set(this.#arena.pointer, LIVE[name], value)
  }

  /** A copy, canonical. */
  parameters(which: PpoNet): Float32Array {
    return this.#read(which === 'policy' ? abi.PPO_POLICY : abi.PPO_VALUE)
  }

  /** Also what comes back after three failed updates. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(which: PpoNet, parameters: Float32Array): void {
    const { pointer } = this.#arena
    const block = which === 'policy' ? abi.PPO_POLICY : abi.PPO_VALUE
    requireLength(which, parameters, this.#core.exports.ppo_canonical(pointer, block))
    requireFinite(which, parameters)
    this.#write(block, parameters)
    this.#core.exports.ppo_keep_good(pointer)
  }

  /** Networks, Adam moments and steps: what copies of an agent average and hand on. */
  learned(): Tensor[] {
    return savePpoNets(this.#core, this.#arena, (which) => this.#read(which))
  }

  /**
   * Takes over what `learned` gave, in an agent of the same networks.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed
   */
  setLearned(tensors: readonly Tensor[]): void {
    loadPpoNets(this.#core, this.#arena, new TensorReader(tensors), (which, values) => this.#write(which, values))()
    this.#core.exports.ppo_keep_good(this.#arena.pointer)
  }

  /** Everything an exact resume needs: networks, moments, rollout, randomness, counters, live hyperparameters. */
  save(): Tensor[] {
    return savePpo(this.#core, this.#arena, { ...this.options, actionWidth: this.#actionWidth }, (w) => this.#read(w))
  }

  /**
   * Continues exactly where `save` was called, in an agent of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `rollout_invalid`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    const shape = { ...this.options, actionWidth: this.#actionWidth }
    loadPpo(this.#core, this.#arena, shape, tensors, (which, values) => this.#write(which, values))
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Numbers of what the value network sees. */
  get #width(): number {
    const { stateSize, contextSize, globalSize } = this.options
    return stateSize + contextSize + globalSize
  }

  get #actionAt(): number {
    return this.#io + 2 * this.#width
  }

  /** Index of a part in the arena's floats. */
  #at(which: number): number {
    const { pointer } = this.#arena
    return (this.#core.exports.ppo_pointer(pointer, which) - pointer) >>> 2
  }

  #putState(state: Float32Array): void {
    const { stateSize } = this.options
    requireLength('state', state, stateSize)
    const { floats } = this.#arena
    for (let i = 0; i < stateSize; i++) floats[this.#io + i] = state[i]!
  }

  /** Puts what stands beside a state into the row at `at`. */
  #putGlobal(name: string, global: Float32Array, at: number): void {
    const { stateSize, contextSize, globalSize } = this.options
    requireLength(name, global, globalSize)
    this.#arena.floats.set(global, at + stateSize + contextSize)
  }

  #act(state: Float32Array, out: Float32Array, sample: 0 | 1): void {
    requireLength('out', out, this.#actionWidth)
    this.#putState(state)
    const { pointer, floats } = this.#arena
    this.#core.exports.ppo_act(pointer, sample)
    const at = this.#actionAt
    for (let i = 0; i < out.length; i++) out[i] = floats[at + i]!
  }

  /** The context of `setContext` for each partition. */
  #liveContexts(): Float32Array {
    const { partitions, stateSize, contextSize } = this.options
    const at = this.#io + stateSize
    const live = this.#arena.floats.slice(at, at + contextSize)
    return Float32Array.from({ length: partitions * contextSize }, (_, i) => live[i % contextSize]!)
  }

  #stage(partitions: Int32Array, contexts: PartitionContexts): void {
    const { contextSize } = this.options
    for (const partition of partitions) this.#checkPartition(partition)
    if (new Set(partitions).size !== partitions.length || partitions.length === 0) {
      throw new ConfigError('partition_invalid', `partitions must be named once each, got [${partitions.join(', ')}]`)
    }
    if (contexts instanceof Float32Array) {
      requireLength('contexts', contexts, partitions.length * contextSize)
      requireFinite('contexts', contexts)
      const to = this.#at(abi.PPO_CONTEXTS)
      for (const [g, partition] of partitions.entries()) {
        const row = contexts.subarray(g * contextSize, (g + 1) * contextSize)
        this.#arena.floats.set(row, to + partition * contextSize)
      }
    } else {
      const { encoder } = contexts
      if (encoder.embeddingSize !== contextSize || contexts.contexts.length !== partitions.length) {
        throw new ConfigError(
          'size_mismatch',
          `there must be a context for each of ${partitions.length} partitions and an encoder to ${contextSize} numbers, ` +
            `got ${contexts.contexts.length} and ${encoder.embeddingSize}`,
        )
      }
      encoder.stage(contexts.contexts, this.#core)
    }
    const { pointer } = this.#arena
    const at = this.#core.exports.ppo_pointer(pointer, abi.PPO_CHOSEN)
    new Int32Array(this.#core.memory.buffer, at, partitions.length).set(partitions)
    this.#core.exports.ppo_choose(pointer, partitions.length)
  }

  #checkPartition(partition: number): void {
    const { partitions } = this.options
    if (Number.isInteger(partition) && partition >= 0 && partition < partitions) return
    throw new ConfigError('partition_invalid', `partition must be in 0 … ${partitions - 1}, got ${partition}`)
  }

  /** NaN is left to the core, which says so. */
  #checkChoices(action: Float32Array): void {
    const { heads } = this.options
    const bad = heads.findIndex((size, h) => !(Number.isNaN(action[h]) || isChoice(action[h]!, size)))
    if (bad < 0) return
    throw new ConfigError(
      'action_invalid',
      `action[${bad}] must be a whole number in 0 … ${heads[bad]! - 1}, got ${action[bad]}; the step was not stored`,
    )
  }

  #read(which: number): Float32Array {
    return readNet(this.#core, this.#arena.pointer, which)
  }

  #write(which: number, values: Float32Array): void {
    writeNet(this.#core, this.#arena.pointer, which, values)
  }
}

/** A block of the agent at `pointer`, canonical, a copy. */
const readNet = (core: Core, pointer: number, which: number): Float32Array =>
  readBlock(core, core.exports.ppo_canonical(pointer, which), (at) => core.exports.ppo_convert(pointer, which, at, 0))

const writeNet = (core: Core, pointer: number, which: number, values: Float32Array): void =>
  writeBlock(core, values, (at) => core.exports.ppo_convert(pointer, which, at, 1))

const emptyRollout = (): ConfigError =>
  new ConfigError('rollout_empty', 'update needs at least one stored step (call insert first)')

function describeNotFinite(columns: Record<string, Float32Array>, reward: number): string {
  for (const [name, values] of Object.entries(columns)) {
    const bad = values.findIndex((value) => !Number.isFinite(value))
    if (bad >= 0) return `${name}[${bad}] is ${values[bad]}; the step was not stored`
  }
  if (!Number.isFinite(reward)) return `reward is ${reward}; the step was not stored`
  return 'the policy gives the action no finite log-probability; the step was not stored (are its weights finite?)'
}
