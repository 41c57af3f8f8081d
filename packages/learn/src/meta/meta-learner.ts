import { ConfigError, type Core, Problems, type RandomSource, type Tensor, TensorReader } from '@trimtab/core'
import { COUNT, type Context, ContextEncoder, isCount } from '@trimtab/core/internal'
import { ContextBuffer, NULL_CONTEXT } from './context-buffer.js'
import { checkMetaOptions } from './meta-options.js'
import { type MetaOptions, type MetaPresetName, metaPresets } from './presets.js'
import { type Samples, type SlShapes, sampleColumns, toSampleRows } from './samples.js'
import { addPrefix, withPrefix } from './tensors.js'
import { type RlShapes, stepColumns, type Trajectory, toRows } from './trajectory.js'

/** What a meta learner is made of; networks follow when a base learner registers. */
export interface MetaSetup {
  /** Default `set`. */
  readonly preset?: MetaPresetName
  /** What differs from the preset. */
  readonly options?: Partial<MetaOptions>
  /** Pairs that one update mixes at most. */
  readonly maxContexts?: number
  readonly seed: number
}

/** What a base learner sees and says; one meta learner serves one task. */
export type BaseShapes = ({ readonly kind: 'rl' } & RlShapes) | ({ readonly kind: 'sl' } & SlShapes)

const ENCODER_PREFIX = 'encoder.'

/** The pair that is meant where none is named. */
const ONLY = 'default'

/**
 * FLASH's meta learner: what a pair ⟨application, environment⟩ did in the past → its embedding z [Z], which the base learner of
 * the task sees beside its state or features. Works with any base learner; the API is that of Listing 5.1.
 *
 * While meta updates are on, the base learner's loss trains the encoder too (pretraining); off, the encoder stays as it is and
 * only the base learner is fine-tuned (adaptation).
 *
 * Source: dissertation 5.4.3, 5.6.1, A.1.
 *
 * @example
 * const meta = createMetaLearner(core, { seed: 1 })
 * meta.registerBaseLearner('autoscaling', { kind: 'rl', observation, action })
 * meta.insertTrajectories([trajectory])
 * agent.setContext(meta.getEmbedding())
 */
export class MetaLearner {
  readonly options: MetaOptions
  readonly #core: Core
  readonly #maxContexts: number
  readonly #seed: number
  readonly #buffers = new Map<string, ContextBuffer>()
  #base: { readonly task: string; readonly shapes: BaseShapes; readonly columns: number } | undefined
  #encoder: ContextEncoder | undefined
  #isUpdating = true

  /** Use `createMetaLearner`, which checks what it is given. */
  constructor(core: Core, options: MetaOptions, maxContexts: number, seed: number) {
    this.#core = core
    this.options = options
    this.#maxContexts = maxContexts
    this.#seed = seed
  }

  /** Z */
  get embeddingSize(): number {
    return this.options.dense.at(-1)!
  }

  /** The task whose base learner has registered. */
  get task(): string {
    return this.#registered().task
  }

  /**
   * The encoder of the registered learner.
   * @throws {ConfigError} when none is registered
   */
  get encoder(): ContextEncoder {
    return this.#registered().encoder
  }

  /**
   * Names the task and the shapes of its base learner; the networks are made now.
   * @throws {ConfigError} `base_learner_registered` (there is one meta learner per task)
   */
  registerBaseLearner(task: string, shapes: BaseShapes): void {
    if (this.#base) {
      throw new ConfigError(
        'base_learner_registered',
        `this meta learner serves "${this.#base.task}": make another one for "${task}"`,
      )
    }
    const columns = shapes.kind === 'rl' ? stepColumns(shapes) : sampleColumns(shapes)
    const { kind, hiddenSize, layers, dense, activation, dropout, learningRate, maxGradientNorm } = this.options
    this.#encoder = new ContextEncoder(this.#core, {
      ...{ kind, inputSize: columns, hiddenSize, layers, dense, activation, dropout, learningRate, maxGradientNorm },
      maxContexts: this.#maxContexts,
      maxSequences: this.options.maxSequences,
      maxSteps: this.options.maxSteps,
      seed: this.#seed,
    })
    this.#base = { task, shapes, columns }
  }

  /**
   * Takes in what a pair did (reinforcement learning), an episode each; the buffer keeps what its rule wants.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid`; nothing was taken in
   */
  insertTrajectories(trajectories: readonly Trajectory[], pair: string = ONLY): void {
    const { shapes } = this.#registered()
    if (shapes.kind !== 'rl') throw wrongKind('trajectories', 'samples')
    const all = trajectories.map((trajectory) => ({ rows: toRows(trajectory, shapes), trajectory }))
    for (const { rows, trajectory } of all) {
      const total = trajectory.rewards.reduce((sum, reward) => sum + reward, 0)
      this.#buffer(pair).insert(rows, total, trajectory.isExploratory ?? false)
    }
  }

  /**
   * Takes in labelled samples of a pair (supervised learning); each call is one set.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid`; nothing was taken in
   */
  insertSamples(samples: Samples, pair: string = ONLY): void {
    const { shapes } = this.#registered()
    if (shapes.kind !== 'sl') throw wrongKind('samples', 'trajectories')
    this.#buffer(pair).insert(toSampleRows(samples, shapes), 0, true)
  }

  /** Sequences kept of a pair. */
  contextSize(pair: string = ONLY): number {
    return this.#buffers.get(pair)?.size ?? 0
  }

  /** z [Z] of a pair from all that is kept of it; zeros as long as nothing is. */
  getEmbedding(pair: string = ONLY): Float32Array {
    const { encoder } = this.#registered()
    const z = new Float32Array(this.embeddingSize)
    encoder.encode([this.#context(pair)], z)
    return z
  }

  /**
   * `getEmbedding` of many pairs, [Z] each: as one batch, on the GPU of `createCore({ gpu })` where that takes it, else on the threads of
   * `createCore({ threads })`. Nothing is learned or inserted until it is done.
   */
  async embedMany(pairs: readonly string[]): Promise<Float32Array[]> {
    const { encoder } = this.#registered()
    const Z = this.embeddingSize
    const z = new Float32Array(pairs.length * Z)
    if (pairs.length > 0)
      await encoder.encodeMany(
        pairs.map((pair) => this.#context(pair)),
        z,
      )
    return pairs.map((_, i) => z.slice(i * Z, (i + 1) * Z))
  }

  /** Random parts of what is kept of each pair, for an update; some are null contexts. */
  drawContexts(pairs: readonly string[], random: RandomSource): Context[] {
    const { drawSequences, drawSteps, nullShare } = this.options
    return pairs.map((pair) => {
      const buffer = this.#buffers.get(pair)
      if (buffer === undefined || random.uniform() < nullShare) return NULL_CONTEXT
      return buffer.draw(random, { sequences: drawSequences, steps: drawSteps })
    })
  }

  /** On: the base learner's updates train the encoder. Off: the encoder stays as it is. */
  toggleMetaUpdate(on: boolean): void {
    this.#isUpdating = on
  }

  /** Whether the encoder learns along with the base learner. */
  get isMetaUpdating(): boolean {
    return this.#isUpdating
  }

  /** Forgets what was kept of a pair. */
  forget(pair: string = ONLY): void {
    this.#buffers.delete(pair)
  }

  /** The encoder's networks and Adam moments. */
  learned(): Tensor[] {
    return addPrefix(this.encoder.learned(), ENCODER_PREFIX)
  }

  /** Replaces what the encoder learned, as another shard's `learned` gave it. */
  setLearned(tensors: readonly Tensor[]): void {
    this.encoder.setLearned(withPrefix(tensors, ENCODER_PREFIX))
  }

  /** Encoder, its moments and every buffer, for an exact resume. */
  save(): Tensor[] {
    return [
      ...addPrefix(this.encoder.save(), ENCODER_PREFIX),
      ...[...this.#buffers].flatMap(([pair, buffer]) => buffer.save(`buffer.${pair}.`)),
    ]
  }

  /**
   * Continues where `save` was called, with the same base learner registered.
   * @param pairs  whose buffers the save holds
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed
   */
  load(tensors: readonly Tensor[], pairs: readonly string[] = []): void {
    const { columns, encoder } = this.#registered()
    const reader = new TensorReader(tensors)
    const buffers = pairs.map((pair) => {
      const buffer = new ContextBuffer(this.options.bufferRule, this.options.bufferSize, columns)
      return { pair, buffer, apply: buffer.load(reader, `buffer.${pair}.`) }
    })
    encoder.load(withPrefix(tensors, ENCODER_PREFIX)) // the last that may refuse
    this.#buffers.clear()
    for (const { pair, buffer, apply } of buffers) {
      apply()
      this.#buffers.set(pair, buffer)
    }
  }

  /** May be called twice. */
  dispose(): void {
    this.#encoder?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #registered(): { task: string; shapes: BaseShapes; columns: number; encoder: ContextEncoder } {
    if (!this.#base || !this.#encoder) {
      throw new ConfigError(
        'base_learner_missing',
        'register the base learner first: registerBaseLearner(task, shapes)',
      )
    }
    return { ...this.#base, encoder: this.#encoder }
  }

  /** All that is kept of a pair. */
  #context(pair: string): Context {
    const { maxSequences, maxSteps } = this.options
    return this.#buffers.get(pair)?.all({ sequences: maxSequences, steps: maxSteps }) ?? NULL_CONTEXT
  }

  #buffer(pair: string): ContextBuffer {
    let buffer = this.#buffers.get(pair)
    if (!buffer) {
      buffer = new ContextBuffer(this.options.bufferRule, this.options.bufferSize, this.#registered().columns)
      this.#buffers.set(pair, buffer)
    }
    return buffer
  }
}

/** @throws {ConfigError} `config_invalid` with every problem at once */
export function createMetaLearner(core: Core, setup: MetaSetup): MetaLearner {
  const problems = new Problems()
  const preset = setup.preset ?? 'set'
  problems.check(
    Object.hasOwn(metaPresets, preset),
    `preset must be one of ${Object.keys(metaPresets).join(', ')}, got ${preset}`,
  )
  problems.throwIfAny('meta learner')
  const options: MetaOptions = { ...metaPresets[preset], ...setup.options }
  const maxContexts = setup.maxContexts ?? 16
  problems.checkKeys(setup, ['preset', 'options', 'maxContexts', 'seed'], 'setup')
  problems.checkKeys(setup.options ?? {}, Object.keys(metaPresets.set), 'options')
  checkMetaOptions(options, problems)
  problems.check(Number.isSafeInteger(setup.seed), `seed must be a safe integer, got ${setup.seed}`)
  problems.check(isCount(maxContexts), `maxContexts must be ${COUNT}, got ${maxContexts}`)
  problems.throwIfAny('meta learner')
  return new MetaLearner(core, options, maxContexts, setup.seed)
}

const wrongKind = (got: string, wanted: string): ConfigError =>
  new ConfigError('base_learner_kind', `the registered base learner learns from ${wanted}, got ${got}`)
