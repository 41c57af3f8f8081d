import * as abi from '../abi.js'
import type { PackedContexts } from '../batch-gpu.js'
import type { ThreadedGru } from '../batch-threads.js'
import { checkCounts, isCount, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { byteTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import { type Arena, planArena } from '../memory/arena.js'
import { loadBlocks, readBlock, saveBlocks, writeBlock } from '../memory/blocks.js'
import { gruParameterCount } from './gru.js'
import { type GuardReport, guardReport, loadGuard, saveGuard } from './last-good.js'
import { mlpParameterCount } from './mlp.js'

/** Kind and sizes of an encoder of contexts, and the batches it is planned for. */
export interface ContextEncoderOptions {
  /** `set`: a small net over each step, then the mean of all; `gru`: a bidirectional GRU over each sequence, then the mean. */
  readonly kind: 'set' | 'gru'
  /** I: numbers of one step. */
  readonly inputSize: number
  /** Width of the step net's layers, or H of the GRU. */
  readonly hiddenSize: number
  /** Layers of the step net or of the GRU. Default 1 and 2. */
  readonly layers?: number
  /** Widths of the dense layers behind the mean; the last is Z. */
  readonly dense: readonly number[]
  /** Of the dense layers. Default tanh for `set`, relu for `gru`. */
  readonly activation?: 'relu' | 'tanh'
  /** GRU: the final states of all layers are pooled, not only the top layer's. Default false. */
  readonly allHidden?: boolean
  /** Share of pooled features dropped while learning, in [0, 1). Default 0. */
  readonly dropout?: number
  /** G: most contexts of one call. Default 1. */
  readonly maxContexts?: number
  /** M: most sequences of a context. */
  readonly maxSequences: number
  /** T: most steps of a sequence. */
  readonly maxSteps: number
  readonly learningRate: number
  /** Gradients of a larger L2 norm are scaled down to it. Default 0: never. */
  readonly maxGradientNorm?: number
  readonly seed: number
}

/** What was seen of one ⟨application, environment⟩ pair: m sequences. None (m = 0) is the null context. */
export interface Context {
  /** [m, T, I]; rows behind a sequence's end are not read. */
  readonly steps: Float32Array
  /** [m] true lengths, 1 … T. */
  readonly lengths: Int32Array
}

/** What an encoder has been through. */
export interface ContextEncoderReport extends GuardReport {
  /** Steps done. */
  readonly updates: number
}

const BLOCKS = [
  ['parameters', abi.ENCODER_PARAMETERS],
  ['adam.m', abi.ENCODER_FIRST_MOMENT],
  ['adam.v', abi.ENCODER_SECOND_MOMENT],
] as const
const RANDOM_BYTES = 32
const ACTIVATIONS = { relu: 1, tanh: 2 } as const

/**
 * What was seen of an application → one embedding z [Z], inside the core, with its own Adam.
 *
 *     set   z = dense(mean over all steps of net(step))
 *     gru   z = dense(mean over sequences of [h_forward(T) | h_backward(0)])
 *
 * The null context's z is zero and has no gradient. A context has the same bits alone and among others. Base learners take an
 * encoder along in their updates and hand it the slopes of their loss; `learn` does that for a learner outside the core.
 *
 * Source: dissertation 5.4.3, A.1 (FLASH's meta learner).
 */
export class ContextEncoder {
  readonly options: Required<ContextEncoderOptions>
  readonly parameterCount: number
  readonly #core: Core
  readonly #arena: Arena
  /** Times that parameters were set from outside. */
  #settings = 0
  #revision = { of: '' }

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: ContextEncoderOptions) {
    const whole = {
      layers: options.kind === 'gru' ? 2 : 1,
      activation: options.kind === 'gru' ? ('relu' as const) : ('tanh' as const),
      allHidden: false,
      dropout: 0,
      maxContexts: 1,
      maxGradientNorm: 0,
      ...options,
    }
    check(whole)
    const { kind, inputSize, hiddenSize, layers, dense, activation, allHidden, seed } = whole
    this.options = whole
    this.#core = core
    const { exports } = core
    const { maxContexts, maxSequences, maxSteps } = whole
    this.#arena = planArena(core, {
      owner: 'ContextEncoder',
      shapeBytes: exports.encoder_shape_bytes(layers + dense.length),
      shape: {
        ...{ kind: kind === 'gru' ? abi.ENCODER_GRU : abi.ENCODER_SET, inputSize, hiddenSize, layers },
        ...{ allHidden: allHidden ? 1 : 0, maxContexts, maxSequences, maxSteps },
        ...{ activation: ACTIVATIONS[activation], dense },
      },
      bytes: (at) => exports.encoder_bytes(at),
      create: (pointer, at) => {
        exports.encoder_create(pointer, at, seed | 0, Math.floor(seed / 2 ** 32) | 0)
        exports.encoder_configure(pointer, whole.learningRate, whole.maxGradientNorm, whole.dropout)
      },
    })
    this.parameterCount = exports.encoder_canonical(this.pointer)
  }

  /** Z */
  get embeddingSize(): number {
    return this.options.dense.at(-1)!
  }

  /** Where the encoder lies in the core's memory, for kernels that learn with it. */
  get pointer(): number {
    return this.#arena.pointer
  }

  /**
   * out [G, Z] = the contexts' embeddings, without dropout.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  encode(contexts: readonly Context[], out: Float32Array): void {
    requireLength('out', out, contexts.length * this.embeddingSize)
    this.stage(contexts)
    this.#core.exports.encoder_encode(this.pointer, contexts.length)
    this.#copyEmbeddings(out)
  }

  /**
   * Any number of contexts, more than `maxContexts` too: out [G, Z] as `encode` gives it. On the GPU of `createCore({ gpu })` where that
   * takes the batch, then within 1e-5 of the largest number; else a GRU's sequences on the threads of `createCore({ threads })`, then to the
   * bit. Contexts, out and the encoder stay as they are until it is done.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  async encodeMany(contexts: readonly Context[], out: Float32Array): Promise<void> {
    const { kind, maxContexts, inputSize } = this.options
    const Z = this.embeddingSize
    requireLength('out', out, contexts.length * Z)
    this.#check(contexts, abi.LARGEST_COUNT)
    const { gpu, threads } = this.#core
    const packed = gpu && packContexts(contexts, inputSize)
    if (packed && (await gpu.encode({ ...this.options, parameters: this.parameters() }, packed, out))) return
    const states =
      kind === 'gru' ? await threads?.finalStates(this.#threaded(), sequencesOf(contexts, inputSize)) : undefined
    let done = 0
    for (let first = 0; first < contexts.length; first += maxContexts) {
      const part = contexts.slice(first, first + maxContexts)
      const embeddings = out.subarray(first * Z, (first + part.length) * Z)
      if (states) done = this.#pool(part, states, done, embeddings)
      else this.encode(part, embeddings)
    }
  }

  /**
   * One Adam step along slopes [G, Z] = dLoss/dz of a learner outside the core.
   * @returns whether it was made: gradients that are not finite change nothing and are counted
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  learn(contexts: readonly Context[], slopes: Float32Array): boolean {
    this.#stageSlopes(contexts, slopes)
    return this.#core.exports.encoder_learn(this.pointer, contexts.length) === abi.OK
  }

  /**
   * dLoss/dparameters, canonical, for slopes [G, Z] = dLoss/dz without dropout; nothing moves.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  gradientsOf(contexts: readonly Context[], slopes: Float32Array): Float32Array {
    this.#stageSlopes(contexts, slopes)
    this.#core.exports.encoder_gradients(this.pointer, contexts.length)
    return this.#read(abi.ENCODER_GRADIENT)
  }

  /** The last update's gradient before clipping, canonical, a copy. */
  gradients(): Float32Array {
    return this.#read(abi.ENCODER_GRADIENT)
  }

  /**
   * Lays contexts down where kernels read them.
   * @param core  the kernel's: an encoder of another core lies in another memory
   * @throws {ConfigError} `core_mismatch`, `size_mismatch`, `not_finite`
   */
  stage(contexts: readonly Context[], core: Core = this.#core): void {
    if (core !== this.#core)
      throw new ConfigError('core_mismatch', 'the encoder and the learner must be made from one core')
    const { inputSize, maxContexts } = this.options
    this.#check(contexts, maxContexts)
    const { floats } = this.#arena
    const lengths = this.#words(abi.ENCODER_LENGTHS)
    this.#stageCounts(contexts)
    let to = this.#at(abi.ENCODER_STEPS)
    for (const [i, sequence] of sequencesOf(contexts, inputSize).entries()) {
      lengths[i] = sequence.length / inputSize
      floats.set(sequence, to)
      to += sequence.length
    }
  }

  /** Updates done, given up and taken back. */
  report(): ContextEncoderReport {
    return { updates: this.#updates, ...guardReport(this.#core, this.#guard) }
  }

  /** A copy, canonical: the step net's layers or the GRU's units, then the dense layers. */
  parameters(): Float32Array {
    return this.#read(abi.ENCODER_PARAMETERS)
  }

  /** Moments stay as they are. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(parameters: Float32Array): void {
    requireLength('parameters', parameters, this.parameterCount)
    requireFinite('parameters', parameters)
    this.#write(abi.ENCODER_PARAMETERS, parameters)
    this.#keep()
  }

  /** Parameters, Adam moments and the count of updates: what training in several places averages. */
  learned(): Tensor[] {
    return [...saveBlocks(BLOCKS, (which) => this.#read(which)), wordTensor('updates', [this.#updates])]
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    this.#readLearned(new TensorReader(tensors))()
    this.#keep()
  }

  /** Everything an exact resume needs: parameters, moments, randomness, counters. */
  save(): Tensor[] {
    const random = this.#random
    return [
      ...this.learned(),
      ...saveGuard(this.#core, this.#guard),
      byteTensor('random', this.#arena.bytes.subarray(random, random + RANDOM_BYTES)),
    ]
  }

  /**
   * Continues exactly where `save` was called, in an encoder of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const applyLearned = this.#readLearned(reader)
    const applyGuard = loadGuard(this.#core, this.#guard, reader)
    const random = reader.bytes('random', RANDOM_BYTES)
    applyLearned()
    this.#settings++
    applyGuard()
    this.#arena.bytes.set(random, this.#random)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  get #updates(): number {
    return this.#core.exports.encoder_updates(this.pointer)
  }

  get #guard(): number {
    return this.#core.exports.encoder_pointer(this.pointer, abi.ENCODER_LAST_GOOD)
  }

  get #random(): number {
    return this.#core.exports.encoder_pointer(this.pointer, abi.ENCODER_RANDOM) - this.pointer
  }

  /** Parameters were set from outside. */
  #keep(): void {
    this.#settings++
    this.#core.exports.encoder_keep(this.pointer)
  }

  #copyEmbeddings(out: Float32Array): void {
    const at = this.#at(abi.ENCODER_EMBEDDINGS)
    out.set(this.#arena.floats.subarray(at, at + out.length))
  }

  /** What is before the mean. */
  #threaded(): ThreadedGru {
    const { inputSize, hiddenSize, layers, maxSteps } = this.options
    const { updates, skipped, restored } = this.report()
    const state = [this.#settings, updates, skipped, restored].join()
    if (this.#revision.of !== state) this.#revision = { of: state }
    const count = gruParameterCount({ inputSize, hiddenSize, layers, bidirectional: true })
    return {
      ...{ inputSize, hiddenSize, layers, maxSteps, build: this.#core.build },
      ...{ units: this.#pooledUnits, revision: this.#revision, parameters: () => this.parameters().subarray(0, count) },
    }
  }

  /** P */
  get #pooledUnits(): number {
    return this.options.allHidden ? 2 * this.options.layers : 2
  }

  /**
   * out = the embeddings of contexts whose sequences start at `first` of states [P, N, H].
   * @returns where those of the next context start
   */
  #pool(contexts: readonly Context[], states: Float32Array, first: number, out: Float32Array): number {
    const { hiddenSize: H, layers } = this.options
    const P = this.#pooledUnits
    const N = states.length / P / H
    const count = this.#stageCounts(contexts)
    const to = this.#at(abi.ENCODER_STATES) + (2 * layers - P) * count * H
    for (let unit = 0; unit < P; unit++) {
      const from = (unit * N + first) * H
      this.#arena.floats.set(states.subarray(from, from + count * H), to + unit * count * H)
    }
    this.#core.exports.encoder_pool(this.pointer, contexts.length)
    this.#copyEmbeddings(out)
    return first + count
  }

  /** Sequences of each context; returns those of all. */
  #stageCounts(contexts: readonly Context[]): number {
    const counts = contexts.map((context) => context.lengths.length)
    this.#words(abi.ENCODER_COUNTS).set(counts)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Where a part starts in the arena's floats. */
  #at(which: number): number {
    return (this.#core.exports.encoder_pointer(this.pointer, which) - this.pointer) >>> 2
  }

  #words(which: number): Int32Array {
    const { maxContexts, maxSequences } = this.options
    const at = this.#core.exports.encoder_pointer(this.pointer, which)
    return new Int32Array(this.#core.memory.buffer, at, maxContexts * maxSequences)
  }

  #readLearned(reader: TensorReader): () => void {
    const applyBlocks = loadBlocks(
      BLOCKS,
      reader,
      () => this.parameterCount,
      (which, values) => this.#write(which, values),
    )
    const [updates] = reader.words('updates', 1)
    return () => {
      applyBlocks()
      this.#core.exports.encoder_set_updates(this.pointer, updates!)
    }
  }

  #stageSlopes(contexts: readonly Context[], slopes: Float32Array): void {
    requireLength('slopes', slopes, contexts.length * this.embeddingSize)
    this.stage(contexts)
    this.#arena.floats.set(slopes, this.#at(abi.ENCODER_SLOPES))
  }

  #check(contexts: readonly Context[], most: number): void {
    const { inputSize, maxSequences, maxSteps } = this.options
    const refuse = (message: string): never => {
      throw new ConfigError('size_mismatch', message)
    }
    const n = contexts.length
    if (n < 1 || n > most) refuse(`1 to ${most} contexts at a time, got ${n} (set maxContexts)`)
    for (const [g, { steps, lengths }] of contexts.entries()) {
      const members = lengths.length
      if (members > maxSequences)
        refuse(`contexts[${g}] has ${members} sequences, at most ${maxSequences} (set maxSequences)`)
      const rows = members === 0 ? 0 : steps.length / members / inputSize
      if (members === 0 ? steps.length > 0 : !isCount(rows)) {
        refuse(
          `contexts[${g}].steps must be ${members} equally long sequences of steps of ${inputSize} numbers, got ${steps.length} numbers`,
        )
      }
      const wrong = lengths.findIndex((length) => length < 1 || length > rows || length > maxSteps)
      if (wrong >= 0)
        refuse(`contexts[${g}].lengths[${wrong}] must be 1 to ${Math.min(rows, maxSteps)}, got ${lengths[wrong]}`)
      for (const [i, length] of lengths.entries()) {
        const start = i * rows * inputSize
        requireFinite(`contexts[${g}].steps`, steps.subarray(start, start + length * inputSize))
      }
    }
  }

  #read(which: number): Float32Array {
    return readBlock(this.#core, this.parameterCount, (at) =>
      this.#core.exports.encoder_convert(this.pointer, which, at, 0),
    )
  }

  #write(which: number, values: Float32Array): void {
    writeBlock(this.#core, values, (at) => this.#core.exports.encoder_convert(this.pointer, which, at, 1))
  }
}

/** The steps [length, I] of every sequence up to its true end, one context's after another's. */
function sequencesOf(contexts: readonly Context[], inputSize: number): Float32Array[] {
  return contexts.flatMap(({ steps, lengths }) => {
    const row = steps.length / lengths.length // of a sequence, padded
    return Array.from(lengths, (length, i) => steps.subarray(i * row, i * row + length * inputSize))
  })
}

function packContexts(contexts: readonly Context[], inputSize: number): PackedContexts {
  const sequences = sequencesOf(contexts, inputSize)
  const lengths = sequences.map((sequence) => sequence.length / inputSize)
  const steps = new Float32Array(sequences.reduce((sum, { length }) => sum + length, 0))
  let to = 0
  for (const sequence of sequences) {
    steps.set(sequence, to)
    to += sequence.length
  }
  return { steps, lengths, counts: contexts.map((context) => context.lengths.length) }
}

/** What of an encoder's options its networks come from. */
export type EncoderShape = Pick<ContextEncoderOptions, 'kind' | 'inputSize' | 'hiddenSize' | 'dense'> &
  Required<Pick<ContextEncoderOptions, 'layers'>>

/** Numbers of an encoder's networks that pool the final states of the top layer, known before there is one: exact to 2^53. */
export function encoderParameterCount({ kind, inputSize, hiddenSize, layers, dense }: EncoderShape): number {
  if (kind === 'gru') {
    const units = gruParameterCount({ inputSize, hiddenSize, layers, bidirectional: true })
    return units + mlpParameterCount([2 * hiddenSize, ...dense])
  }
  const further = (layers - 1) * hiddenSize * (hiddenSize + 1)
  return further + mlpParameterCount([inputSize, hiddenSize, ...dense])
}

const MOST_LAYERS = 1024

function check(options: Required<ContextEncoderOptions>): void {
  const problems = new Problems()
  problems.check(['set', 'gru'].includes(options.kind), `kind must be set or gru, got ${options.kind}`)
  problems.check(
    ['relu', 'tanh'].includes(options.activation),
    `activation must be relu or tanh, got ${options.activation}`,
  )
  const { inputSize, hiddenSize, layers, maxContexts, maxSequences, maxSteps, dense, dropout, seed } = options
  checkCounts(problems, { inputSize, hiddenSize, maxContexts, maxSequences, maxSteps, dense })
  problems.check(dense.length > 0, 'dense must name at least one width')
  problems.check(
    isCount(layers) && layers <= MOST_LAYERS,
    `layers must be a whole number of 1 … ${MOST_LAYERS}, got ${layers}`,
  )
  problems.check(dropout >= 0 && dropout < 1, `dropout must be in [0, 1), got ${dropout}`)
  for (const name of ['learningRate', 'maxGradientNorm'] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be >= 0, got ${options[name]}`)
  }
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.throwIfAny('ContextEncoder')
}
