import {
  type Bytes,
  ConfigError,
  FormatError,
  floatTensor,
  Random,
  readSafetensors,
  type Tensor,
  TensorReader,
  writeSafetensors,
} from '@trimtab/core'
import { LENGTH_CLASSES, LengthModel } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { isPacked, packTensors, unpackTensors } from './compact.js'
import { classOf, LENGTH_BINS } from './length-distribution.js'
import { ServedLengths, type ServedModelLengths } from './served-lengths.js'
import type { LengthEstimator, LengthPrediction, LengthRequest } from './types.js'

const FORMAT = 'trimtab-length-predictor-2'
const DEFAULT_BITS = 17

/** Size and pace of a length predictor. */
export interface LengthPredictorOptions {
  /** Rows of the table of n-grams: 2^bits of 8 bytes. Default 17. */
  readonly bits?: number
  /** Models with weights of their own; more share what all have in common. Default 63. */
  readonly models?: number
  /** Step size of what a finished request teaches. Default 0.2. */
  readonly learningRate?: number
}

/** In what form a predictor is saved. */
export interface SaveOptions {
  /** The table in 8 bits and without its rates: 8 times smaller, and learning goes on from about there. Default false. */
  readonly isCompact?: boolean
}

/** A finished request. */
export interface LengthExample extends LengthRequest {
  readonly outputTokens: number
}

/** How a predictor is taught from rows, and how it tells about it. */
export interface LengthFitOptions {
  /** Passes over the rows. Default 4. */
  readonly epochs?: number
  /** Step size of the first pass; it falls linearly to 0. Default 0.5. */
  readonly learningRate?: number
  readonly seed?: number
  /** Called after each pass with its mean cross-entropy. */
  readonly onEpoch?: (epoch: number, loss: number) => void
}

/**
 * Predicts output tokens from the prompt in 2.7 µs (320 characters, `npm run bench serve`), and learns from every finished request.
 *
 * Each model's own percentiles 25, 50, 75 and 99 make five classes (dissertation 6.3.2). What a prompt does to all models and what it
 * does to this one are added up and give their probabilities; expected tokens are the classes' means weighed by them.
 */
export class LengthPredictor implements LengthEstimator {
  readonly #core: ServeCore
  readonly #model: LengthModel
  #lengths = new ServedLengths()
  readonly #learningRate: number
  #provenance: Readonly<Record<string, string>> = {}

  constructor(core: ServeCore, options: LengthPredictorOptions = {}) {
    const { bits = DEFAULT_BITS, models = 63, learningRate = 0.2 } = options
    this.#core = core
    this.#model = new LengthModel(core, { bits, models: models + 1 })
    this.#model.learningRate = learningRate
    this.#learningRate = learningRate
  }

  /** Names of the models that answers were seen of. */
  get models(): string[] {
    return this.#lengths.models
  }

  /** Requests learnt from. */
  get updates(): number {
    return this.#model.updates
  }

  /** How long the answer will be, at most `maxTokens`. A model never seen gets what all models have in common. */
  predict(request: LengthRequest): LengthPrediction {
    const { model, prompt, maxTokens = Number.POSITIVE_INFINITY } = request
    const served = this.#lengths.of(model)
    const { means } = served.classes
    const p = this.#model.predict(prompt, this.#rowOf(served))
    let tokens = 0
    let score = 0
    let below = 0
    let middle = 0
    for (let k = 0; k < LENGTH_CLASSES; k++) {
      tokens += p[k]! * Math.min(means[k]!, maxTokens)
      score += k * p[k]!
      if (below < 0.5) middle = k
      below += p[k]!
    }
    return { tokens, score, class: middle, source: this.#model.updates > 0 ? 'model' : 'prior' }
  }

  /** @throws {ConfigError} `length_invalid` */
  observe(request: LengthRequest, outputTokens: number): void {
    if (!isLength(outputTokens)) throw lengthInvalid(outputTokens)
    const target = classOf(this.#lengths.classes(request.model).borders, outputTokens)
    this.#lengths.observe(request.model, outputTokens)
    this.#learn(request, target)
  }

  /** The borders of a model's classes, tokens at its percentiles 25, 50, 75, 99. */
  borders(model: string): Float64Array {
    return this.#lengths.classes(model).borders.slice()
  }

  /**
   * Learns from many finished requests: their lengths first, so that classes are those of all rows, then passes in random order.
   * @throws {ConfigError} `length_invalid`; nothing changed
   */
  fit(rows: readonly LengthExample[], options: LengthFitOptions = {}): void {
    const { epochs = 4, learningRate = 0.5, seed = 1, onEpoch } = options
    const bad = rows.findIndex(({ outputTokens }) => !isLength(outputTokens))
    if (bad >= 0) throw lengthInvalid(`${rows[bad]!.outputTokens} in row ${bad}`)
    for (const { model, outputTokens } of rows) this.#lengths.observe(model, outputTokens)
    const random = new Random(this.#core, seed)
    const order = Int32Array.from(rows, (_, i) => i)
    for (let epoch = 0; epoch < epochs; epoch++) {
      for (let i = order.length - 1; i > 0; i--) {
        const j = random.integer(i + 1)
        ;[order[i], order[j]] = [order[j]!, order[i]!]
      }
      this.#model.learningRate = learningRate * (1 - epoch / epochs)
      let loss = 0
      for (const i of order) {
        const row = rows[i]!
        loss += this.#learn(row, classOf(this.#lengths.classes(row.model).borders, row.outputTokens))
      }
      onEpoch?.(epoch, loss / rows.length)
    }
    random.dispose()
    this.#model.learningRate = this.#learningRate
  }

  /**
   * Everything an exact resume needs, as a safetensors file; only which of 256 models is longest unseen is forgotten.
   * @param provenance  texts kept in the file, e.g. what it was trained on; `load` gives them back
   */
  save(provenance: Readonly<Record<string, string>> = this.provenance, options: SaveOptions = {}): Uint8Array {
    const names = this.models
    const { bits, models } = this.#model.options
    const sizes = { format: FORMAT, bits: `${bits}`, rows: `${models}`, models: JSON.stringify(names) }
    const tensors = this.#model.save()
    return writeSafetensors(
      [
        ...(options.isCompact ? packTensors(tensors, bits) : tensors),
        floatTensor('lengths', [names.length + 1, LENGTH_BINS], this.#lengths.counts()),
      ],
      { ...provenance, ...sizes },
    )
  }

  /**
   * A predictor as it was saved. A compact file gives one with at least 2^17 rows of n-grams, so that it has room to learn.
   * @throws {FormatError} not a file of `save`, damaged, or of another version
   */
  static load(core: ServeCore, file: Bytes): LengthPredictor {
    const { tensors, metadata } = readSafetensors(file)
    const { names, bits: fileBits, models, provenance } = readHeader(metadata)
    const packed = isPacked(tensors)
    const bits = packed ? Math.max(fileBits, DEFAULT_BITS) : fileBits
    const list = packed ? unpackTensors(tensors, fileBits, bits) : ([...tensors.values()] as Tensor[])
    const lengths = new TensorReader(list).floats('lengths', [names.length + 1, LENGTH_BINS])
    LengthModel.requireShapes(core, { bits, models: models + 1 }, list)
    const predictor = new LengthPredictor(core, { bits, models })
    try {
      predictor.#model.load(list)
    } catch (error) {
      predictor.dispose()
      throw error
    }
    predictor.#model.learningRate = predictor.#learningRate
    predictor.#provenance = provenance
    predictor.#lengths = ServedLengths.of(names, lengths)
    return predictor
  }

  /** What the file it was loaded from says of itself. */
  get provenance(): Readonly<Record<string, string>> {
    return this.#provenance
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#model.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #learn({ model, prompt }: LengthRequest, target: number): number {
    return this.#model.learn(prompt, this.#rowOf(this.#lengths.of(model)), target, this.#lengths.sharedWeight(model))
  }

  /** A model that takes the slot of one not in use any more goes on from its weights: they fade as it learns. */
  #rowOf({ slot = -1 }: ServedModelLengths): number {
    const row = slot + 1
    return row < this.#model.options.models ? row : 0
  }
}

/** More tokens than any answer will have: sums of them stay exact. */
export const MOST_OUTPUT_TOKENS = 1e9

const isLength = (tokens: number): boolean => tokens >= 0 && tokens <= MOST_OUTPUT_TOKENS

const lengthInvalid = (found: unknown): ConfigError =>
  new ConfigError('length_invalid', `outputTokens must be a number from 0 to ${MOST_OUTPUT_TOKENS}, got ${found}`)

interface Header {
  readonly names: readonly string[]
  readonly bits: number
  readonly models: number
  readonly provenance: Readonly<Record<string, string>>
}

/** @throws {FormatError} `length_predictor_format`, `length_predictor_damaged` */
function readHeader(metadata: ReadonlyMap<string, string>): Header {
  const { format, bits, rows, models, ...provenance } = Object.fromEntries(metadata)
  if (format !== FORMAT)
    throw new FormatError('length_predictor_format', `not a length predictor: format must be ${FORMAT}, got ${format}`)
  let names: unknown
  try {
    names = JSON.parse(models ?? '')
  } catch (cause) {
    throw new FormatError('length_predictor_damaged', `models must be a JSON list, got ${models}`, { cause })
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new FormatError('length_predictor_damaged', `models must be a list of names, got ${models}`)
  const numbers = { bits: Number(bits), models: Number(rows) - 1 }
  const isSize = numbers.bits >= 10 && numbers.bits <= 20 && numbers.models >= 0 && numbers.models < 65_536
  if (!isSize || !Object.values(numbers).every(Number.isSafeInteger))
    throw new FormatError('length_predictor_damaged', `bits and rows must be sizes, got ${bits}, ${rows}`)
  return { names, ...numbers, provenance }
}
