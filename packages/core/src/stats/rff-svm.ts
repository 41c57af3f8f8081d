import { checkCounts, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { doubleTensor, type Tensor, TensorReader } from '../files/tensor.js'
import { Arena } from '../memory/arena.js'
import { withBlock } from '../memory/blocks.js'
import { Random } from '../random/random.js'

// The block of assembly/stats/svm.ts, in doubles.
const COUNT = 1
const STEPS = 2
const INTERCEPTS = 8
const HEAD = 10

const LARGEST = 1e100 // its square still leaves room for a sum

type Numbers = ArrayLike<number>

/** Width, kernel and pace of a machine. F: inputs, D: random features. */
export interface RffSvmOptions {
  /** Width of a row. */
  readonly inputs: number
  /** Random Fourier features. Default 128. */
  readonly features?: number
  /** Of the kernel exp(−gamma |x − y|²) over standardised rows. Default 1. */
  readonly gamma?: number
  /** L2 penalty. Default 1e-4. */
  readonly alpha?: number
  /** `optimal`: 1 / (alpha (t0 + t)), Bottou's t0; a number stays as it is. Default `optimal`. */
  readonly learningRate?: 'optimal' | number
  /** What an error on each side costs. Default 1 and 1. */
  readonly classWeights?: { readonly negative: number; readonly positive: number }
  /**
   * From which step on the decision is that of the mean of the weights so far (Polyak and Ruppert); 0: always that of the
   * last weights. Default 0.
   */
  readonly averageFrom?: number
  /** What rows are standardised by. Default: the mean and variance of all rows learned from, kept up to date. */
  readonly moments?: { readonly mean: Numbers; readonly variance: Numbers }
  /** Draws the random features. Default 0. */
  readonly seed?: number
}

/**
 * A support vector machine that learns row by row: random Fourier features of an RBF kernel, hinge loss and L2 penalty by
 * stochastic gradient descent, all in f64 and with the steps of scikit-learn's `SGDClassifier.partial_fit`.
 *
 * F is `inputs`, D is `features`. The same rows in the same order give the same bits on every engine.
 *
 * Source: dissertation 3.2.3 ("incremental SVM … RBF kernel approximation"); Rahimi and Recht 2007; Bottou 2010.
 * @example
 * const svm = new RffSvm(core, { inputs: 2, seed: 7 })
 * svm.partialFit(rows, labels) // rows [n, 2], labels [n] of +1 and −1
 * svm.decision([0.9, 8.1]) // > 0: the positive side
 */
export class RffSvm {
  readonly inputs: number
  readonly featureCount: number
  readonly #core: Core<'learn' | 'trace'>
  readonly #arena: Arena
  readonly #row: number
  readonly #learnsMoments: boolean

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core<'learn' | 'trace'>, options: RffSvmOptions) {
    const {
      inputs,
      features = 128,
      gamma = 1,
      alpha = 1e-4,
      learningRate = 'optimal',
      classWeights = { negative: 1, positive: 1 },
      averageFrom = 0,
      moments,
      seed = 0,
    } = options
    check({ inputs, features, gamma, alpha, learningRate, classWeights, averageFrom, moments })
    this.inputs = inputs
    this.featureCount = features
    this.#core = core
    this.#learnsMoments = moments === undefined
    this.#row = core.exports.svm_bytes(inputs, features)
    const rate = learningRate === 'optimal' ? 0 : learningRate
    const { negative, positive } = classWeights
    const random = new Random(core, seed)
    try {
      this.#arena = new Arena(core, this.#row + 8 * inputs, 'RffSvm', { inputs, features })
      const { pointer } = this.#arena
      core.exports.svm_create(
        pointer,
        inputs,
        features,
        gamma,
        alpha,
        rate,
        negative,
        positive,
        averageFrom,
        random.pointer,
      )
    } finally {
      random.dispose()
    }
    if (moments) {
      this.#arena.doubles.set(Float64Array.from(moments.mean), HEAD)
      this.#arena.doubles.set(Float64Array.from(moments.variance), HEAD + inputs)
    }
  }

  /** Rows learned from, each as often as it came. */
  get steps(): number {
    return this.#arena.doubles[STEPS]!
  }

  /**
   * Learns from n rows in their order: first what they say about mean and variance, then one step each.
   *
   * @param x  [n, F]
   * @param labels  [n] of +1 and −1
   * @param weights  [n] how much to believe each label, ≥ 0. Default 1 each
   * @throws {ConfigError} `size_mismatch`, `value_invalid`, `label_invalid`, `weight_invalid`; nothing was learned
   */
  partialFit(x: Numbers, labels: Numbers, weights?: Numbers): void {
    const n = labels.length
    requireLength('x', x, n * this.inputs)
    requireUsable(x)
    checkLabels(labels)
    if (weights) checkWeights(weights, n)
    if (n === 0) return
    const xDoubles = n * this.inputs
    withBlock(this.#core, 8 * (xDoubles + 2 * n), (staging) => {
      const doubles = new Float64Array(this.#core.memory.buffer, staging, xDoubles + 2 * n)
      doubles.set(x)
      doubles.set(labels, xDoubles)
      if (weights) doubles.set(weights, xDoubles + n)
      else doubles.fill(1, xDoubles + n)
      const { exports } = this.#core
      const { pointer } = this.#arena
      const y = staging + 8 * xDoubles
      if (this.#learnsMoments) exports.svm_observe(pointer, staging, n)
      exports.svm_fit(pointer, staging, y, y + 8 * n, n)
    })
  }

  /**
   * How far x [F] lies on the positive side, in margins; negative on the other side. Allocates nothing.
   * @throws {ConfigError} `size_mismatch`, `value_invalid`
   */
  decision(x: Numbers): number {
    const row = this.#stage(x)
    return this.#core.exports.svm_decide(this.#arena.pointer, row)
  }

  /**
   * The random features of x [F], a copy [D]: sqrt(2/D) cos(z W + offset) of the standardised row z. Their inner product
   * approximates the kernel.
   * @throws {ConfigError} `size_mismatch`, `value_invalid`
   */
  features(x: Numbers): Float64Array {
    const row = this.#stage(x)
    this.#core.exports.svm_map(this.#arena.pointer, row)
    const end = this.#row >>> 3
    return this.#arena.doubles.slice(end - this.featureCount, end)
  }

  /** The last weights, a copy [D]. */
  weights(): Float64Array {
    return this.#slice(this.#weightsAt, this.featureCount)
  }

  /** The last intercept. */
  get intercept(): number {
    return this.#arena.doubles[INTERCEPTS]!
  }

  /** What rows are standardised by, a copy [F]. */
  mean(): Float64Array {
    return this.#slice(HEAD, this.inputs)
  }

  /** Population variance, a copy [F]; a feature without any is only centred. */
  variance(): Float64Array {
    return this.#slice(HEAD + this.inputs, this.inputs)
  }

  /** Everything an exact resume needs, the random features included. */
  save(): Tensor[] {
    return this.#parts().map(({ name, at, length }) => doubleTensor(name, [...this.#slice(at, length)]))
  }

  /** @throws {FormatError} as `TensorReader`; nothing changed */
  load(tensors: readonly Tensor[]): void {
    const reader = new TensorReader(tensors)
    const parts = this.#parts().map(({ name, at, length }) => ({ at, values: reader.doubles(name, length) }))
    for (const { at, values } of parts) this.#arena.doubles.set(values, at)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  get #weightsAt(): number {
    return HEAD + 2 * this.inputs + (this.inputs + 1) * this.featureCount
  }

  #parts(): { name: string; at: number; length: number }[] {
    const { inputs: F, featureCount: D } = this
    return [
      { name: 'count', at: COUNT, length: 1 },
      { name: 'steps', at: STEPS, length: 1 },
      { name: 'intercepts', at: INTERCEPTS, length: 2 },
      { name: 'mean', at: HEAD, length: F },
      { name: 'variance', at: HEAD + F, length: F },
      { name: 'projection', at: HEAD + 2 * F, length: F * D },
      { name: 'offset', at: HEAD + 2 * F + F * D, length: D },
      { name: 'weights', at: this.#weightsAt, length: D },
      { name: 'averagedWeights', at: this.#weightsAt + D, length: D },
    ]
  }

  #slice(at: number, length: number): Float64Array {
    return this.#arena.doubles.slice(at, at + length)
  }

  #stage(x: Numbers): number {
    requireLength('x', x, this.inputs)
    requireUsable(x)
    const { pointer, doubles } = this.#arena
    doubles.set(x, this.#row >>> 3)
    return pointer + this.#row
  }
}

type Checked = Required<Omit<RffSvmOptions, 'seed' | 'moments'>> & { readonly moments: RffSvmOptions['moments'] }

function check(options: Checked): void {
  const { inputs, features, gamma, alpha, learningRate, classWeights, averageFrom, moments } = options
  const isPositive = (value: number): boolean => Number.isFinite(value) && value > 0
  const isWeight = (value: number): boolean => Number.isFinite(value) && value >= 0
  const problems = new Problems()
  checkCounts(problems, { inputs, features })
  problems.check(isPositive(gamma), `gamma must be > 0, got ${gamma}`)
  problems.check(isPositive(alpha), `alpha must be > 0, got ${alpha}`)
  problems.check(
    learningRate === 'optimal' || isPositive(learningRate),
    `learningRate must be "optimal" or > 0, got ${learningRate}`,
  )
  for (const side of ['negative', 'positive'] as const)
    problems.check(isWeight(classWeights[side]), `classWeights.${side} must be ≥ 0, got ${classWeights[side]}`)
  problems.check(
    Number.isInteger(averageFrom) && averageFrom >= 0,
    `averageFrom must be a step number or 0, got ${averageFrom}`,
  )
  if (moments) {
    const { mean, variance } = moments
    problems.check(
      mean.length === inputs && variance.length === inputs,
      `moments must hold ${inputs} means and variances, got ${mean.length} and ${variance.length}`,
    )
    problems.check(Array.from(mean).every(Number.isFinite), 'moments.mean must be finite')
    problems.check(Array.from(variance).every(isWeight), 'moments.variance must be finite and ≥ 0')
  }
  problems.throwIfAny('RffSvm')
}

function requireUsable(x: Numbers): void {
  for (let i = 0; i < x.length; i++) {
    if (!(Math.abs(x[i]!) <= LARGEST))
      throw new ConfigError('value_invalid', `x[${i}] must be a number within ±${LARGEST}, got ${x[i]}`)
  }
}

function checkLabels(labels: Numbers): void {
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] !== 1 && labels[i] !== -1)
      throw new ConfigError('label_invalid', `labels[${i}] must be +1 or −1, got ${labels[i]}`)
  }
}

function checkWeights(weights: Numbers, n: number): void {
  requireLength('weights', weights, n)
  for (let i = 0; i < n; i++) {
    if (!(Number.isFinite(weights[i]) && weights[i]! >= 0))
      throw new ConfigError('weight_invalid', `weights[${i}] must be finite and ≥ 0, got ${weights[i]}`)
  }
}
