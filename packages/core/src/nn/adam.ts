import { NOT_FINITE } from '../abi.js'
import { checkCounts, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { floatTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import { Arena } from '../memory/arena.js'

/** How many numbers Adam moves, how fast, and where it stops a gradient. */
export interface AdamOptions {
  /** How many numbers `step` moves. */
  readonly parameters: number
  readonly learningRate: number
  /** Default 0.9. */
  readonly beta1?: number
  /** Default 0.999. */
  readonly beta2?: number
  /** Default 1e-8. */
  readonly epsilon?: number
  /** Default 0. Added to the gradient as weightDecay · θ, or taken from θ itself when `decoupled`. */
  readonly weightDecay?: number
  readonly decoupled?: boolean
  /** Gradients of a larger L2 norm are scaled down to it. Default 0: never. */
  readonly maxNorm?: number
}

const OPTIONS_BYTES = 64

/**
 * Adam as in PyTorch: θ −= lr / (1 − β₁ᵗ) · m / (sqrt(v / (1 − β₂ᵗ)) + ε), with the norm clipped before decay is added.
 * Source: Kingma and Ba 2015; Loshchilov and Hutter 2019.
 */
export class Adam {
  readonly #core: Core
  readonly #arena: Arena
  readonly #count: number
  /** Distance between the four blocks θ, g, m, v in bytes; each is padded to 8 numbers. */
  readonly #stride: number
  #steps = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: Core, options: AdamOptions) {
    check(options)
    const {
      parameters,
      learningRate,
      beta1 = 0.9,
      beta2 = 0.999,
      epsilon = 1e-8,
      weightDecay = 0,
      maxNorm = 0,
    } = options
    this.#core = core
    this.#count = parameters
    this.#stride = 4 * ((parameters + 7) & ~7)
    this.#arena = new Arena(core, OPTIONS_BYTES + 4 * this.#stride, 'Adam', { parameters })
    const decoupled = options.decoupled ? 1 : 0
    core.exports.adam_configure(
      this.#arena.pointer,
      learningRate,
      beta1,
      beta2,
      epsilon,
      weightDecay,
      maxNorm,
      decoupled,
    )
  }

  /** Steps taken. */
  get steps(): number {
    return this.#steps
  }

  /**
   * Moves theta [parameters] one step down grad [parameters].
   * @throws {ConfigError} `size_mismatch`, `not_finite` (the gradient is not finite or its norm exceeds 1e18); nothing changed
   */
  step(theta: Float32Array, grad: Float32Array): void {
    requireLength('theta', theta, this.#count)
    requireLength('grad', grad, this.#count)
    const { pointer, floats } = this.#arena
    const at = pointer + OPTIONS_BYTES
    floats.set(theta, OPTIONS_BYTES >>> 2)
    floats.set(grad, (OPTIONS_BYTES + this.#stride) >>> 2)
    const status = this.#core.exports.adam_step(
      pointer,
      at,
      at + this.#stride,
      at + 2 * this.#stride,
      at + 3 * this.#stride,
      this.#stride >>> 2,
      this.#steps + 1,
    )
    if (status === NOT_FINITE)
      throw new ConfigError('not_finite', 'grad must be finite, with a norm below 1e18; the step was not taken')
    this.#steps++
    theta.set(this.#block(0))
  }

  /** Running mean of gradients, a copy. */
  firstMoments(): Float32Array {
    return this.#block(2).slice()
  }

  /** Running mean of squared gradients, a copy. */
  secondMoments(): Float32Array {
    return this.#block(3).slice()
  }

  /** Everything an exact resume needs. */
  save(): Tensor[] {
    return [
      floatTensor('m', [this.#count], this.#block(2)),
      floatTensor('v', [this.#count], this.#block(3)),
      wordTensor('steps', [this.#steps]),
    ]
  }

  /** @throws {FormatError} as `TensorReader`; nothing changed */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const m = reader.floats('m', [this.#count])
    const v = reader.floats('v', [this.#count])
    const [steps] = reader.words('steps', 1)
    this.#block(2).set(m)
    this.#block(3).set(v)
    this.#steps = steps!
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #block(index: number): Float32Array {
    const at = (OPTIONS_BYTES + index * this.#stride) >>> 2
    return this.#arena.floats.subarray(at, at + this.#count)
  }
}

function check(options: AdamOptions): void {
  const { parameters, learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, maxNorm = 0 } = options
  const problems = new Problems()
  checkCounts(problems, { parameters })
  problems.check(Number.isFinite(learningRate) && learningRate >= 0, `learningRate must be >= 0, got ${learningRate}`)
  problems.check(beta1 >= 0 && beta1 < 1, `beta1 must be in [0, 1), got ${beta1}`)
  problems.check(beta2 >= 0 && beta2 < 1, `beta2 must be in [0, 1), got ${beta2}`)
  problems.check(Number.isFinite(epsilon) && epsilon > 0, `epsilon must be > 0, got ${epsilon}`)
  problems.check(Number.isFinite(weightDecay) && weightDecay >= 0, `weightDecay must be >= 0, got ${weightDecay}`)
  problems.check(Number.isFinite(maxNorm) && maxNorm >= 0, `maxNorm must be >= 0 (0: no limit), got ${maxNorm}`)
  problems.throwIfAny('Adam')
}
