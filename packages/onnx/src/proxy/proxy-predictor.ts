import { ConfigError, Problems } from '@trimtab/core'
import { type LengthEstimator, type LengthPrediction, type LengthRequest, ServedLengths } from '@trimtab/serve'
import { loadRuntime, type OnnxRuntime, openSession } from '../runtime.js'
import type { BasicTokenizerOptions } from './basic-tokenizer.js'
import { Batcher } from './batcher.js'
import { type InputNames, modelPorts } from './model-ports.js'
import { ProxyModel, type ProxyRow } from './proxy-model.js'
import { WordPieceTokenizer } from './word-piece.js'

const LAST_CLASS = 4
const SHORTEST_GROUP = 16 // tokens

/** What a proxy model is made of and how it is run. */
export interface ProxyPredictorOptions {
  /** The ONNX file: its bytes, or a path or address that the runtime can open. */
  readonly model: Uint8Array | string
  /** The text of the model's `vocab.txt`. */
  readonly vocabulary: string
  /** As the model was trained. Default: an `uncased` one. */
  readonly tokenizer?: BasicTokenizerOptions
  /** The served models in the order of the one-hot that the proxy was trained with; empty for a proxy of one model. */
  readonly models: readonly string[]
  /** What classes mean in tokens. Default: nothing is known yet, and learned from answers. */
  readonly lengths?: ServedLengths
  /** Names of the model's inputs, where they are not the usual ones. */
  readonly inputs?: InputNames
  /** Name of the output, where there are several. */
  readonly output?: string
  /** Longest input in tokens, [CLS] and [SEP] included; of a longer conversation the end is read. Default 512 (6.3.2). */
  readonly maxTokens?: number
  /** Most predictions of one run. Default 8. */
  readonly maxBatch?: number
  /** Default: onnxruntime-web, loaded when the predictor is made. */
  readonly runtime?: OnnxRuntime
  /** Handed to `InferenceSession.create`: execution providers and the like. */
  readonly session?: Record<string, unknown>
}

/**
 * Predicts output lengths by a BERT-class proxy model: the last tokens of the conversation, the head's number from [CLS] and the
 * served model's one-hot, brought to tokens by that model's own percentiles.
 *
 * Predictions that are asked for while the model runs go into the next run together, those of about the same length with each
 * other. The network stays as it was trained; what is learned from answers is what a class means for a served model.
 *
 * Source: dissertation 6.3.2.
 */
export class ProxyPredictor implements LengthEstimator {
  readonly #tokenizer: WordPieceTokenizer
  readonly #model: ProxyModel
  readonly #batcher: Batcher<ProxyRow, number>
  readonly #maxTokens: number
  readonly #indices: ReadonlyMap<string, number>
  readonly #lengths: ServedLengths
  #isDisposed = false

  /** Use `createProxyPredictor`. */
  constructor(
    model: ProxyModel,
    tokenizer: WordPieceTokenizer,
    options: Required<Pick<ProxyPredictorOptions, 'models' | 'lengths' | 'maxTokens' | 'maxBatch'>>,
  ) {
    this.#model = model
    this.#tokenizer = tokenizer
    this.#maxTokens = options.maxTokens
    this.#indices = new Map(options.models.map((name, i) => [name, i]))
    this.#lengths = options.lengths
    this.#batcher = new Batcher({
      maxBatch: options.maxBatch,
      groupOf: ({ ids }) => lengthGroup(ids.length),
      run: async (rows) => Array.from(await model.scores(rows)),
    })
  }

  /**
   * A served model that the proxy was not trained for has no column in the one-hot: all of it is zero, the rest as usual.
   * @throws {AdapterError} `onnx_run_failed`, `onnx_output_invalid`
   * @throws {ConfigError} `disposed`
   */
  async predict({ model, prompt, maxTokens = Number.POSITIVE_INFINITY }: LengthRequest): Promise<LengthPrediction> {
    if (this.#isDisposed) throw new ConfigError('disposed', 'this predictor was disposed: make another one')
    const ids = this.#tokenizer.encode(prompt, this.#maxTokens)
    const raw = await this.#batcher.add({ ids, model: this.#indices.get(model) ?? -1 })
    const score = Math.min(LAST_CLASS, Math.max(0, raw))
    const tokens = Math.min(maxTokens, this.#lengths.tokensAt(model, score))
    return { tokens, score, class: Math.round(score), source: 'model' }
  }

  /** @throws {ConfigError} `length_invalid` */
  observe({ model }: LengthRequest, outputTokens: number): void {
    if (!(outputTokens >= 0 && outputTokens < Number.POSITIVE_INFINITY)) {
      throw new ConfigError('length_invalid', `outputTokens must be a number ≥ 0, got ${outputTokens}`)
    }
    this.#lengths.observe(model, outputTokens)
  }

  /** Frees the model; predictions under way fail. May be called twice. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    await this.#model.dispose()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

/**
 * Opens a proxy model and checks that it is one.
 *
 * @throws {ConfigError} `config_invalid` with every problem (input names, shapes, types); `vocabulary_invalid`
 * @throws {AdapterError} `onnx_runtime_missing`, `onnx_model_unreadable`
 * @example
 * const predictor = await createProxyPredictor({ model: 'proxy.onnx', vocabulary, models: ['llama-3-8b', 'gpt-4'] })
 * const { tokens } = await predictor.predict({ model: 'gpt-4', prompt: 'List ten rivers.' })
 */
export async function createProxyPredictor(options: ProxyPredictorOptions): Promise<ProxyPredictor> {
  const { models, maxBatch = 8 } = options
  const problems = new Problems()
  problems.check(new Set(models).size === models.length, `models must differ, got ${models.join(', ')}`)
  problems.check(Number.isInteger(maxBatch) && maxBatch >= 1, `maxBatch must be a whole number ≥ 1, got ${maxBatch}`)
  const wanted = options.maxTokens ?? 512
  problems.check(Number.isInteger(wanted) && wanted >= 3, `maxTokens must be a whole number ≥ 3, got ${wanted}`)
  problems.throwIfAny('proxy predictor')
  const tokenizer = new WordPieceTokenizer(options.vocabulary, options.tokenizer)
  const runtime = options.runtime ?? (await loadRuntime())
  const session = await openSession(runtime, options.model, options.session)
  try {
    const ports = modelPorts(session, options)
    const model = new ProxyModel(runtime, session, ports, { models: models.length, paddingId: tokenizer.paddingId })
    return new ProxyPredictor(model, tokenizer, {
      models,
      lengths: options.lengths ?? new ServedLengths(),
      maxTokens: Math.min(wanted, ports.tokens ?? wanted),
      maxBatch: Math.min(maxBatch, ports.batch ?? maxBatch),
    })
  } catch (refusal) {
    await session.release()
    throw refusal
  }
}

/** The next power of two: rows of one run are at most doubled by padding. */
function lengthGroup(tokens: number): number {
  let group = SHORTEST_GROUP
  while (group < tokens) group *= 2
  return group
}
