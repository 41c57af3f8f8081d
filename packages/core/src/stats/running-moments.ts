import { checkCounts, isCount, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { doubleTensor, type Tensor, TensorReader } from '../files/tensor.js'
import { Arena } from '../memory/arena.js'
import { withBlock } from '../memory/blocks.js'

const HEAD_DOUBLES = 2

/**
 * Running mean and variance of rows, and what normalises by them. Kept in f64, merged batch by batch.
 * Mean 0 and variance 1 until the first batch replaces them.
 *
 * Source: Chan, Golub and LeVeque 1983. Stable-Baselines3 keeps its start with the weight of 1e-4 rows, which ruins the variance
 * of what has a large mean.
 */
export class RunningMoments {
  readonly size: number
  readonly #core: Core
  readonly #arena: Arena
  readonly #block: number

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: Core, size: number) {
    const problems = new Problems()
    checkCounts(problems, { size })
    problems.throwIfAny('RunningMoments')
    this.size = size
    this.#core = core
    this.#block = core.exports.moments_bytes(size)
    this.#arena = new Arena(core, this.#block + 8 * size, 'RunningMoments', { size })
    core.exports.moments_create(this.#arena.pointer, size)
  }

  /** Rows seen. */
  get count(): number {
    return this.#arena.doubles[0]!
  }

  /**
   * Merges n rows, x [n, size].
   * @throws {ConfigError} `size_mismatch`, `not_finite`; nothing changed
   */
  update(x: Float32Array, n = 1): void {
    if (!isCount(n)) throw new ConfigError('size_mismatch', `update takes at least one row, got ${n}`)
    requireLength('x', x, n * this.size)
    requireFinite('x', x)
    if (n === 1) this.#merge(this.#stage(x), 1)
    else {
      withBlock(this.#core, x.byteLength, (staging) => {
        new Float32Array(this.#core.memory.buffer, staging, x.length).set(x)
        this.#merge(staging, n)
      })
    }
  }

  /**
   * out [size] = (x − mean) / sqrt(variance + 1e-8), within ±10. Allocates nothing; NaN stays NaN.
   * @throws {ConfigError} `size_mismatch`
   */
  normalise(x: Float32Array, out: Float32Array): void {
    requireLength('x', x, this.size)
    requireLength('out', out, this.size)
    const from = this.#stage(x)
    const to = from + 4 * this.size
    this.#core.exports.moments_normalise(this.#arena.pointer, from, to, 1)
    const { floats } = this.#arena
    const at = (this.#block >>> 2) + this.size
    for (let i = 0; i < this.size; i++) out[i] = floats[at + i]!
  }

  /** A copy. */
  mean(): Float64Array {
    return this.#arena.doubles.slice(HEAD_DOUBLES, HEAD_DOUBLES + this.size)
  }

  /** Population variance, a copy. */
  variance(): Float64Array {
    return this.#arena.doubles.slice(HEAD_DOUBLES + this.size, HEAD_DOUBLES + 2 * this.size)
  }

  /** Everything an exact resume needs. */
  save(): Tensor[] {
    return [
      doubleTensor('count', [this.count]),
      doubleTensor('mean', [...this.mean()]),
      doubleTensor('variance', [...this.variance()]),
    ]
  }

  /** @throws {FormatError} as `TensorReader`; nothing changed */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const count = reader.doubles('count', 1)
    const mean = reader.doubles('mean', this.size)
    const variance = reader.doubles('variance', this.size)
    const { doubles } = this.#arena
    doubles.set(count, 0)
    doubles.set(mean, HEAD_DOUBLES)
    doubles.set(variance, HEAD_DOUBLES + this.size)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #stage(x: Float32Array): number {
    const { pointer, floats } = this.#arena
    const at = this.#block >>> 2
    for (let i = 0; i < x.length; i++) floats[at + i] = x[i]!
    return pointer + this.#block
  }

  #merge(rows: number, n: number): void {
    this.#core.exports.moments_update(this.#arena.pointer, rows, n)
  }
}
