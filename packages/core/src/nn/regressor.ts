import * as abi from '../abi.js'
import { COUNT, checkCounts, isCount, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { byteTensor, doubleTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import { Arena, planArena } from '../memory/arena.js'
import { loadBlocks, readBlock, saveBlocks, writeBlock } from '../memory/blocks.js'
import type { Context, ContextEncoder } from './context-encoder.js'
import { type GuardReport, guardReport, loadGuard, saveGuard } from './last-good.js'

/**
 * What a regressor minimises, a mean over rows and outputs of
 *
 *     mse        (ŷ − y)²
 *     l1         |ŷ − y|
 *     mape       |ŷ − y| / |y|       a share, not percent; |y| no smaller than 1e-7, as in Keras
 *     huber      0.5 (ŷ − y)² within 1 of y, |ŷ − y| − 0.5 beyond
 *     log-mape   |e^(ŷ − y) − 1|      the relative error where outputs and goals are logarithms
 */
export type RegressionLoss = 'mse' | 'l1' | 'mape' | 'huber' | 'log-mape'

const LOSSES: Readonly<Record<RegressionLoss, number>> = {
  mse: abi.LOSS_MSE,
  l1: abi.LOSS_L1,
  mape: abi.LOSS_MAPE,
  huber: abi.LOSS_HUBER,
  'log-mape': abi.LOSS_LOG_MAPE,
}

/** Sizes, loss and optimiser of a regressor. N: rows of a batch, F: features, Z: context, O: outputs. */
export interface RegressorKernelOptions {
  readonly featureSize: number
  /** Z, columns of a context behind the features. Default 0. */
  readonly contextSize?: number
  /** Default 1. */
  readonly outputSize?: number
  /** Hidden widths, ReLU; the output is linear. */
  readonly hidden: readonly number[]
  /** Rows per step. */
  readonly batchSize: number
  /** Most groups of a batch, each with a context of its own. Default 1. */
  readonly maxGroups?: number
  readonly loss: RegressionLoss
  readonly learningRate: number
  /**
   * λ of coupled L2: λ · w is added to the gradient of every weight and bias, as in PyTorch. Default 0.
   * Keras's `l2(λ)` adds 2λ · w to those of weights, beside a MAPE in percent: its λ is 0.02 λ here when the loss is `mape`.
   */
  readonly weightDecay?: number
  /** Gradients of a larger L2 norm are scaled down to it. Default 0: never. */
  readonly maxGradientNorm?: number
  /** Share of hidden outputs dropped while learning, in [0, 1). Default 0. */
  readonly dropout?: number
  readonly seed: number
}

/** Which context the rows of a step have: row i that of group `groupOf[i]`. */
export type RowGroups = { readonly groupOf: ArrayLike<number> } & (
  | { /** [G, Z] */ readonly contexts: Float32Array; readonly encoder?: undefined }
  | { readonly contexts: readonly Context[]; readonly encoder: ContextEncoder }
)

/** What the last step of a regressor did. */
export interface RegressorReport extends GuardReport {
  /** Steps done. */
  readonly updates: number
  /** Of the last step's batch, before the step. */
  readonly loss: number
}

const VALUES = [abi.REGRESSOR_LEARNING_RATE, abi.REGRESSOR_LOSS]
const BLOCKS = [
  ['parameters', abi.REGRESSOR_PARAMETERS],
  ['adam.m', abi.REGRESSOR_FIRST_MOMENT],
  ['adam.v', abi.REGRESSOR_SECOND_MOMENT],
] as const
const RANDOM_BYTES = 32

/**
 * A regression network inside the core: predictions, single steps and whole epochs, one call each, by Adam.
 *
 * A step whose loss or gradient is not finite changes nothing and is counted; after three in a row the last good weights come
 * back. Parameters are read and written in the canonical layout of `Mlp`.
 * F: features, Z: context, O: outputs, N: rows; all arrays are row-major.
 */
export class RegressorKernel {
  readonly options: Required<RegressorKernelOptions>
  readonly #core: Core
  readonly #arena: Arena

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: RegressorKernelOptions) {
    const whole = {
      contextSize: 0,
      outputSize: 1,
      maxGroups: 1,
      weightDecay: 0,
      maxGradientNorm: 0,
      dropout: 0,
      ...options,
    }
    check(whole)
    const { featureSize, contextSize, outputSize, batchSize, maxGroups, hidden, seed } = whole
    this.options = whole
    this.#core = core
    const { exports } = core
    const { loss, learningRate, weightDecay, maxGradientNorm, dropout } = whole
    this.#arena = planArena(core, {
      owner: 'RegressorKernel',
      shapeBytes: exports.regressor_shape_bytes(hidden.length),
      shape: { featureSize, contextSize, outputSize, batchSize, maxGroups, hidden },
      bytes: (at) => exports.regressor_bytes(at),
      create: (pointer, at) => {
        exports.regressor_create(pointer, at, seed | 0, Math.floor(seed / 2 ** 32) | 0)
        exports.regressor_configure(pointer, LOSSES[loss], learningRate, weightDecay, maxGradientNorm, dropout)
      },
    })
  }

  /** Weights and biases of the net. */
  get parameterCount(): number {
    return this.#core.exports.regressor_canonical(this.#arena.pointer)
  }

  /** From now on the context [Z] of every row that is not in a group; zeros at creation. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(context: Float32Array): void {
    requireLength('context', context, this.options.contextSize)
    requireFinite('context', context)
    this.#arena.floats.set(context, this.#at(abi.REGRESSOR_CONTEXT))
  }

  /**
   * out [n, O] = net(x [n, F]), any n. A NaN in x comes out as NaN.
   * @throws {ConfigError} `size_mismatch`
   */
  predict(x: Float32Array, out: Float32Array): void {
    const { featureSize, outputSize } = this.options
    const rows = this.#rowsOf(x)
    requireLength('out', out, rows * outputSize)
    for (const [start, n] of this.#batches(rows)) {
      this.#putFeatures(x.subarray(start * featureSize, (start + n) * featureSize))
      this.#core.exports.regressor_predict(this.#arena.pointer, n)
      const at = this.#at(abi.REGRESSOR_PREDICTIONS)
      out.set(this.#arena.floats.subarray(at, at + n * outputSize), start * outputSize)
    }
  }

  /**
   * Mean loss on x [n, F], y [n, O] as served, without dropout.
   * @throws {ConfigError} `size_mismatch`, `rows_empty`
   */
  evaluate(x: Float32Array, y: Float32Array): number {
    const { featureSize, outputSize } = this.options
    const rows = this.#table(x, y)
    let sum = 0
    for (const [start, n] of this.#batches(rows)) {
      this.#putFeatures(x.subarray(start * featureSize, (start + n) * featureSize))
      this.#arena.floats.set(y.subarray(start * outputSize, (start + n) * outputSize), this.#at(abi.REGRESSOR_GOALS))
      sum += n * this.#core.exports.regressor_evaluate(this.#arena.pointer, n)
    }
    return sum / rows
  }

  /**
   * Passes over x [n, F], y [n, O] in random order, one call into the core; the last batch of a pass is as small as it comes.
   * @returns each pass's mean loss while learning, NaN where every step was given up
   * @throws {ConfigError} `size_mismatch`, `rows_empty`, `not_finite`; nothing changed
   */
  fit(x: Float32Array, y: Float32Array, epochs = 1): Float64Array {
    const rows = this.requireTable(x, y)
    if (!isCount(epochs)) throw new ConfigError('config_invalid', `epochs must be ${COUNT}, got ${epochs}`)
    const bytes = 8 * epochs + 4 * (x.length + y.length + rows)
    const staging = new Arena(this.#core, bytes, 'RegressorKernel.fit', { epochs, rows })
    try {
      const losses = staging.pointer
      const features = losses + 8 * epochs
      const goals = features + 4 * x.length
      staging.floats.set(x, 2 * epochs)
      staging.floats.set(y, 2 * epochs + x.length)
      this.#core.exports.regressor_fit(this.#arena.pointer, features, goals, goals + 4 * y.length, rows, epochs, losses)
      return staging.doubles.slice(0, epochs)
    } finally {
      staging.dispose()
    }
  }

  /**
   * One step on x [n, F], y [n, O], n at most `batchSize`, one call into the core.
   *
   * With groups row i has context `groupOf[i]`, and `slopes` then holds what the loss says of the contexts; with an encoder it
   * steps along them in the same call, and both step or none. Otherwise every row has the context of `setContext`.
   * @throws {ConfigError} `size_mismatch`, `rows_empty`, `not_finite`, `group_invalid`; nothing changed
   */
  learn(x: Float32Array, y: Float32Array, groups?: RowGroups): void {
    const rows = this.requireTable(x, y)
    const { batchSize } = this.options
    if (rows > batchSize) {
      throw new ConfigError('size_mismatch', `a step takes up to ${batchSize} rows, got ${rows} (set batchSize)`)
    }
    const count = groups ? this.#putGroups(groups, rows) : 0
    this.#putFeatures(x)
    this.#arena.floats.set(y, this.#at(abi.REGRESSOR_GOALS))
    const encoder = groups?.encoder?.pointer ?? 0
    this.#core.exports.regressor_learn(this.#arena.pointer, rows, count, encoder)
  }

  /** dLoss/dcontexts [G, Z] of the last step with groups, each summed over its rows; a copy. */
  slopes(groups: number): Float32Array {
    const at = this.#at(abi.REGRESSOR_SLOPES)
    return this.#arena.floats.slice(at, at + groups * this.options.contextSize)
  }

  /** What the last step did. */
  report(): RegressorReport {
    return {
      updates: this.#get(abi.REGRESSOR_UPDATES),
      loss: this.#get(abi.REGRESSOR_LOSS),
      ...guardReport(this.#core, this.#guard),
    }
  }

  get learningRate(): number {
    return this.#get(abi.REGRESSOR_LEARNING_RATE)
  }

  /** From the next step on. @throws {ConfigError} `config_invalid` */
  set learningRate(rate: number) {
    if (!(rate >= 0 && rate < Infinity))
      throw new ConfigError('config_invalid', `learningRate must be ≥ 0, got ${rate}`)
    this.#core.exports.regressor_set(this.#arena.pointer, abi.REGRESSOR_LEARNING_RATE, rate)
  }

  /** A copy, canonical. */
  parameters(): Float32Array {
    return this.#read(abi.REGRESSOR_PARAMETERS)
  }

  /** The last step's gradient before clipping and decay, canonical, a copy. */
  gradients(): Float32Array {
    return this.#read(abi.REGRESSOR_GRADIENT)
  }

  /** Moments stay as they are. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(parameters: Float32Array): void {
    requireLength('parameters', parameters, this.parameterCount)
    requireFinite('parameters', parameters)
    this.#write(abi.REGRESSOR_PARAMETERS, parameters)
  }

  /** Everything an exact resume needs: weights, moments, randomness, counters. The context is not part of it. */
  save(): Tensor[] {
    const random = this.#random
    return [
      ...saveBlocks(BLOCKS, (which) => this.#read(which)),
      ...saveGuard(this.#core, this.#guard),
      byteTensor('random', this.#arena.bytes.subarray(random, random + RANDOM_BYTES)),
      wordTensor('updates', [this.#get(abi.REGRESSOR_UPDATES)]),
      doubleTensor(
        'values',
        VALUES.map((which) => this.#get(which)),
      ),
    ]
  }

  /**
   * Continues exactly where `save` was called, in a regressor of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const applyBlocks = loadBlocks(
      BLOCKS,
      reader,
      () => this.parameterCount,
      (which, values) => this.#write(which, values),
    )
    const applyGuard = loadGuard(this.#core, this.#guard, reader)
    const random = reader.bytes('random', RANDOM_BYTES)
    const [updates] = reader.words('updates', 1)
    const values = reader.doubles('values', VALUES.length)

    applyBlocks()
    applyGuard()
    this.#arena.bytes.set(random, this.#random)
    this.#core.exports.regressor_set(this.#arena.pointer, abi.REGRESSOR_UPDATES, updates!)
    for (const [i, which] of VALUES.entries()) this.#core.exports.regressor_set(this.#arena.pointer, which, values[i]!)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** What `fit` and `learn` ask of x [n, F], y [n, O]; returns n. @throws {ConfigError} `size_mismatch`, `rows_empty`, `not_finite` */
  requireTable(x: Float32Array, y: Float32Array): number {
    const rows = this.#table(x, y)
    requireFinite('x', x)
    requireFinite('y', y)
    return rows
  }

  #get(which: number): number {
    return this.#core.exports.regressor_get(this.#arena.pointer, which)
  }

  get #guard(): number {
    return this.#core.exports.regressor_pointer(this.#arena.pointer, abi.REGRESSOR_LAST_GOOD)
  }

  get #random(): number {
    return this.#core.exports.regressor_pointer(this.#arena.pointer, abi.REGRESSOR_RANDOM) - this.#arena.pointer
  }

  /** Where a part starts in the arena's floats. */
  #at(which: number): number {
    const { pointer } = this.#arena
    return (this.#core.exports.regressor_pointer(pointer, which) - pointer) >>> 2
  }

  #rowsOf(x: Float32Array): number {
    const { featureSize } = this.options
    const rows = x.length / featureSize
    if (!Number.isInteger(rows))
      throw new ConfigError('size_mismatch', `x must hold whole rows of ${featureSize} numbers, got ${x.length}`)
    return rows
  }

  #table(x: Float32Array, y: Float32Array): number {
    const rows = this.#rowsOf(x)
    requireLength('y', y, rows * this.options.outputSize)
    if (rows === 0) throw new ConfigError('rows_empty', 'x and y must have at least one row')
    return rows
  }

  *#batches(rows: number): Generator<readonly [start: number, n: number]> {
    const { batchSize } = this.options
    for (let start = 0; start < rows; start += batchSize) yield [start, Math.min(batchSize, rows - start)]
  }

  #putFeatures(x: Float32Array): void {
    const { featureSize, contextSize } = this.options
    const { floats } = this.#arena
    const inputs = this.#at(abi.REGRESSOR_INPUTS)
    const row = featureSize + contextSize
    for (let i = 0; i * featureSize < x.length; i++) {
      for (let j = 0; j < featureSize; j++) floats[inputs + i * row + j] = x[i * featureSize + j]!
    }
  }

  #putGroups({ groupOf, contexts, encoder }: RowGroups, rows: number): number {
    const { contextSize, maxGroups } = this.options
    if (encoder && encoder.embeddingSize !== contextSize) {
      throw new ConfigError(
        'size_mismatch',
        `the encoder's embeddings have ${encoder.embeddingSize} numbers, contextSize is ${contextSize}`,
      )
    }
    const count = encoder ? contexts.length : contexts.length / contextSize
    if (!isCount(count) || count > maxGroups) {
      throw new ConfigError(
        'size_mismatch',
        `contexts must be of 1 to ${maxGroups} groups with ${contextSize} numbers each, got ${count} (set contextSize, maxGroups)`,
      )
    }
    requireLength('groupOf', groupOf, rows)
    for (let i = 0; i < rows; i++) {
      const group = groupOf[i]!
      if (!Number.isInteger(group) || group < 0 || group >= count) {
        throw new ConfigError('group_invalid', `groupOf[${i}] must be in 0 … ${count - 1}, got ${group}`)
      }
    }
    if (encoder) encoder.stage(contexts, this.#core)
    else {
      requireFinite('contexts', contexts)
      this.#arena.floats.set(contexts, this.#at(abi.REGRESSOR_CONTEXTS))
    }
    const { pointer } = this.#arena
    const at = this.#core.exports.regressor_pointer(pointer, abi.REGRESSOR_GROUPS)
    new Int32Array(this.#core.memory.buffer, at, rows).set(groupOf)
    return count
  }

  #read(which: number): Float32Array {
    const { pointer } = this.#arena
    return readBlock(this.#core, this.parameterCount, (at) =>
      this.#core.exports.regressor_convert(pointer, which, at, 0),
    )
  }

  #write(which: number, values: Float32Array): void {
    const { pointer } = this.#arena
    writeBlock(this.#core, values, (at) => this.#core.exports.regressor_convert(pointer, which, at, 1))
  }
}

function check(options: Required<RegressorKernelOptions>): void {
  const problems = new Problems()
  const { featureSize, outputSize, batchSize, maxGroups, hidden, contextSize, seed, loss, dropout } = options
  checkCounts(problems, { featureSize, outputSize, batchSize, maxGroups, hidden })
  if (contextSize !== 0) checkCounts(problems, { contextSize })
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.check(Object.hasOwn(LOSSES, loss), `loss must be one of ${Object.keys(LOSSES).join(', ')}, got ${loss}`)
  problems.check(dropout >= 0 && dropout < 1, `dropout must be in [0, 1), got ${dropout}`)
  for (const name of ['learningRate', 'weightDecay', 'maxGradientNorm'] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be ≥ 0, got ${options[name]}`)
  }
  problems.throwIfAny('RegressorKernel')
}
