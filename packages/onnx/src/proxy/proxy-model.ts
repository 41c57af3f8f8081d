import { AdapterError } from '@trimtab/core'
import type { OnnxElementType, OnnxRuntime, OnnxSession, OnnxTensor } from '../runtime.js'
import type { ModelPorts } from './model-ports.js'

/** One prediction to make. */
export interface ProxyRow {
  /** Token ids, [CLS] first. */
  readonly ids: Int32Array
  /** Index of the served model in the one-hot; −1 for one that the proxy has not been trained for. */
  readonly model: number
}

/** A BERT-class model with a head of one real number, run in batches. */
export class ProxyModel {
  readonly #runtime: OnnxRuntime
  readonly #session: OnnxSession
  readonly #ports: ModelPorts
  readonly #models: number
  readonly #paddingId: number

  constructor(
    runtime: OnnxRuntime,
    session: OnnxSession,
    ports: ModelPorts,
    sizes: { readonly models: number; readonly paddingId: number },
  ) {
    this.#runtime = runtime
    this.#session = session
    this.#ports = ports
    this.#models = sizes.models
    this.#paddingId = sizes.paddingId
  }

  /**
   * The head's number for each row. Rows are padded to the longest, or to the size that the model insists on.
   * @throws {AdapterError} `onnx_run_failed`, `onnx_output_invalid`
   */
  async scores(rows: readonly ProxyRow[]): Promise<Float32Array> {
    const batch = this.#ports.batch ?? rows.length
    const tokens = this.#ports.tokens ?? Math.max(...rows.map(({ ids }) => ids.length))
    let results: Record<string, OnnxTensor>
    try {
      results = await this.#session.run(this.#feeds(rows, batch, tokens))
    } catch (cause) {
      throw new AdapterError(
        'onnx_run_failed',
        `the proxy model failed on ${batch} × ${tokens} tokens: ${String(cause)}`,
        {
          cause,
        },
      )
    }
    const { data, dims } = results[this.#ports.output]!
    if (!(data instanceof Float32Array) || data.length !== batch) {
      throw new AdapterError(
        'onnx_output_invalid',
        `output "${this.#ports.output}" must be ${batch} numbers, one a row, got [${dims.join(', ')}]: export the head with one output`,
      )
    }
    const scores = data.slice(0, rows.length)
    const wrong = scores.findIndex((score) => !Number.isFinite(score))
    if (wrong >= 0) {
      throw new AdapterError(
        'onnx_output_invalid',
        `output "${this.#ports.output}" is ${scores[wrong]} for a prompt of ${rows[wrong]!.ids.length} tokens: the model is damaged`,
      )
    }
    return scores
  }

  async dispose(): Promise<void> {
    await this.#session.release()
  }

  #feeds(rows: readonly ProxyRow[], batch: number, tokens: number): Record<string, OnnxTensor> {
    const { ids, mask, types, model } = this.#ports
    const idValues = new Int32Array(batch * tokens).fill(this.#paddingId)
    const maskValues = new Int32Array(batch * tokens)
    const oneHot = new Float32Array(batch * this.#models)
    for (const [i, row] of rows.entries()) {
      idValues.set(row.ids, i * tokens)
      maskValues.fill(1, i * tokens, i * tokens + row.ids.length)
      if (row.model >= 0) oneHot[i * this.#models + row.model] = 1
    }
    const shape = [batch, tokens]
    const feeds = { [ids]: this.#integers(idValues, shape), [mask]: this.#integers(maskValues, shape) }
    if (types !== undefined) feeds[types] = this.#integers(new Int32Array(batch * tokens), shape)
    if (model !== undefined) feeds[model] = this.#tensor('float32', oneHot, [batch, this.#models])
    return feeds
  }

  #integers(values: Int32Array, shape: readonly number[]): OnnxTensor {
    return this.#ports.tokenType === 'int32'
      ? this.#tensor('int32', values, shape)
      : this.#tensor('int64', BigInt64Array.from(values, BigInt), shape)
  }

  #tensor(
    type: OnnxElementType,
    values: Float32Array | Int32Array | BigInt64Array,
    shape: readonly number[],
  ): OnnxTensor {
    return new this.#runtime.Tensor(type, values, shape)
  }
}
