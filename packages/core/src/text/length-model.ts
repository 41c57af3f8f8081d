import * as abi from '../abi.js'
import { isCount } from '../checks.js'
import type { ServeCore } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { doubleTensor, floatTensor, type Tensor, TensorReader } from '../files/tensor.js'
import { Arena } from '../memory/arena.js'
import { withBlock } from '../memory/blocks.js'

/** Classes of an answer's length: below the percentiles 25, 50, 75, 99 of its model, and above (dissertation 6.3.2). */
export const LENGTH_CLASSES = 5

const COUNTS = 24
const STATED = 2
const TEXT_BYTES = 6144
const LONGEST = 2048 // UTF-16 units, about 512 tokens of English
const HEAD = 512 // of a longer prompt: its beginning, where the instruction often stands, and its end
const TAIL = LONGEST - HEAD - 1

/** Size of the model's tables. */
export interface LengthModelOptions {
  /** The table of n-grams has 2^bits rows of 8 bytes, 10 … 20. Default 17. */
  readonly bits?: number
  /** Rows of models; row 0 is shared by those that have none. Default 64. */
  readonly models?: number
}

/**
 * How long an answer will be, from the prompt: an ordinal regression on its hashed n-grams, on the length that it states
 * and on counts of what it is made of, of what all models share and of what each adds. Everything runs in the core; a prediction is one call and allocates nothing there.
 *
 * Of a prompt above 2,048 UTF-16 units the first 512 and the last 1,535 are read.
 */
export class LengthModel {
  readonly options: Required<LengthModelOptions>
  readonly #core: ServeCore
  readonly #arena: Arena
  readonly #encoder: TextEncoder = new TextEncoder()
  readonly #textAt: number
  readonly #probabilitiesAt: number
  #text: Uint8Array = new Uint8Array(0)
  #probabilities: Float32Array = new Float32Array(0)

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: ServeCore, options: LengthModelOptions = {}) {
    const { bits = 17, models = 64 } = options
    const problems = new Problems()
    problems.check(isCount(bits) && bits >= 10 && bits <= 20, `bits must be 10 … 20, got ${bits}`)
    problems.check(isCount(models) && models <= 65_536, `models must be 1 … 65536, got ${models}`)
    problems.throwIfAny('LengthModel')
    this.options = { bits, models }
    this.#core = core
    const { exports } = core
    this.#arena = new Arena(core, planned(core, this.options).bytes, 'LengthModel', { bits, models })
    exports.length_create(this.#arena.pointer, bits, models)
    this.#textAt = this.#at(abi.LENGTH_TEXT)
    this.#probabilitiesAt = this.#at(abi.LENGTH_PROBABILITIES)
  }

  /** Bytes in the core. */
  get byteLength(): number {
    return this.#arena.byteLength
  }

  /** Answers learnt from. */
  get updates(): number {
    return this.#get(abi.LENGTH_UPDATES)
  }

  get learningRate(): number {
    return this.#get(abi.LENGTH_RATE)
  }

  /** From the next answer on. @throws {ConfigError} `config_invalid` */
  set learningRate(rate: number) {
    if (!(rate >= 0 && rate < Infinity))
      throw new ConfigError('config_invalid', `learningRate must be ≥ 0, got ${rate}`)
    this.#core.exports.length_set(this.#arena.pointer, abi.LENGTH_RATE, rate)
  }

  /**
   * @param model  row of the model, 0 for one that has none
   * @returns probabilities of the five classes; the core's own memory, good until the next call
   */
  predict(prompt: string, model: number): Float32Array {
    const { pointer } = this.#arena
    const bytes = this.#stage(prompt)
    this.#core.exports.length_predict(pointer, bytes, prompt.length, model)
    return this.#probabilities
  }

  /**
   * One step on a prompt whose answer was of class `target`.
   * @param share  0…1, of the step in what all models have in common
   * @returns cross-entropy before the step
   */
  learn(prompt: string, model: number, target: number, share: number = 1): number {
    const { pointer } = this.#arena
    const bytes = this.#stage(prompt)
    return this.#core.exports.length_learn(pointer, bytes, prompt.length, model, target, share)
  }

  /** The distinct rows of the table that a prompt's n-grams hash to, in the order they are met; and its raw counts, the two of a stated length last. */
  features(prompt: string): { readonly rows: Uint32Array; readonly counts: Float32Array } {
    this.predict(prompt, 0)
    const { buffer } = this.#core.memory
    const size = this.#get(abi.LENGTH_ROW_COUNT)
    return {
      rows: new Uint32Array(buffer, this.#at(abi.LENGTH_ROWS), size).slice(),
      counts: new Float32Array(buffer, this.#at(abi.LENGTH_COUNTS), COUNTS + STATED).slice(),
    }
  }

  /** Everything an exact resume needs. */
  save(): Tensor[] {
    const { buffer } = this.#core.memory
    return [
      ...this.#blocks.map(([name, which, shape]) => {
        const length = shape.reduce((product, size) => product * size)
        return floatTensor(name, shape, new Float32Array(buffer, this.#at(which), length))
      }),
      doubleTensor('values', [this.updates, this.#get(abi.LENGTH_SEEN), this.learningRate]),
    ]
  }

  /**
   * Refuses a save of a model of other sizes, before one of these sizes is made.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`
   */
  static requireShapes(core: ServeCore, sizes: Sizes, tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const shapes = blocksOf(sizes, planned(core, sizes).weights)
    for (const [name, , shape] of shapes) reader.requireShape(name, 'F32', shape)
    reader.requireShape('values', 'F64', [3])
  }

  /**
   * Continues where `save` was called, in a model of the same sizes.
   * @throws {FormatError} as `TensorReader`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const blocks = this.#blocks.map(([name, which, shape]) => [which, reader.floats(name, shape)] as const)
    const [updates, seen, rate] = reader.doubles('values', 3)
    const { buffer } = this.#core.memory
    for (const [which, values] of blocks) new Float32Array(buffer, this.#at(which), values.length).set(values)
    const set = (which: number, value: number): void => this.#core.exports.length_set(this.#arena.pointer, which, value)
    set(abi.LENGTH_UPDATES, updates!)
    set(abi.LENGTH_SEEN, seen!)
    set(abi.LENGTH_RATE, rate!)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Writes what is read of the prompt where the core finds it. A lone surrogate becomes U+FFFD. */
  #stage(prompt: string): number {
    const { buffer } = this.#core.memory
    if (this.#text.buffer !== buffer) {
      this.#text = new Uint8Array(buffer, this.#textAt, TEXT_BYTES)
      this.#probabilities = new Float32Array(buffer, this.#probabilitiesAt, LENGTH_CLASSES)
    }
    const read = prompt.length <= LONGEST ? prompt : `${prompt.slice(0, HEAD)} ${prompt.slice(-TAIL)}`
    return this.#encoder.encodeInto(read, this.#text).written
  }

  get #blocks(): readonly Block[] {
    return blocksOf(this.options, this.#get(abi.LENGTH_WEIGHT_COUNT))
  }

  #at(which: number): number {
    return this.#core.exports.length_pointer(this.#arena.pointer, which)
  }

  #get(which: number): number {
    return this.#core.exports.length_get(this.#arena.pointer, which)
  }
}

type Sizes = Required<LengthModelOptions>

/** Part of a save: its tensor, where the core keeps it, its shape. */
type Block = readonly [name: string, which: number, shape: readonly number[]]

const blocksOf = ({ bits }: Sizes, weights: number): readonly Block[] => [
  ['table', abi.LENGTH_TABLE, [2 ** bits]],
  ['table.squares', abi.LENGTH_TABLE_SQUARES, [2 ** bits]],
  ['weights', abi.LENGTH_WEIGHTS, [weights]],
  ['weights.squares', abi.LENGTH_SQUARES, [weights]],
  ['moments', abi.LENGTH_MOMENTS, [2, COUNTS]],
]

/** Bytes of a model and how many weights it has, by a plan in a block of its own. */
const planned = (core: ServeCore, { bits, models }: Sizes): { readonly bytes: number; readonly weights: number } =>
  withBlock(core, core.exports.length_shape_bytes(), (scratch) => ({
    bytes: core.exports.length_bytes(scratch, bits, models),
    weights: core.exports.length_get(scratch, abi.LENGTH_WEIGHT_COUNT),
  }))
