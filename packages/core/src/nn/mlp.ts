import { checkCounts, isCount, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { type Arena, buildArena } from '../memory/arena.js'
import { withBlock } from '../memory/blocks.js'
import { type Random, withRandom } from '../random/random.js'
import { ACTIVATIONS, type Activation } from './activation.js'

/** Sizes of a dense network, its activations and the largest batch. */
export interface MlpOptions {
  /** Widths from input to output, `[8, 40, 40, 5]`. */
  readonly sizes: readonly number[]
  /** One for each layer, `['relu', 'relu', 'tanh']`. */
  readonly activations: readonly Activation[]
  /** Most rows that `forwardBatch` takes. Default 1. */
  readonly maxBatch?: number
  /** Draws the first parameters, uniform in ±1/sqrt(in). Default: seed 0. */
  readonly random?: Random
}

/**
 * A dense network, y = act(x Wᵀ + b) layer after layer, with its gradients.
 *
 * Parameters and gradients are canonical: layer after layer w [out, in] row-major, then b [out]. Every sum runs over its
 * terms in order, so one row or many, scalar or SIMD, give the same bits.
 *
 * @example
 * const net = new Mlp(core, { sizes: [8, 40, 40, 5], activations: ['relu', 'relu', 'tanh'] })
 * net.forward(state, action) // allocates nothing
 */
export class Mlp {
  readonly parameterCount: number
  readonly #core: Core
  readonly #layers: Pick<MlpOptions, 'sizes' | 'activations'>
  readonly #arena: Arena
  readonly #inputs: number
  readonly #outputs: number
  readonly #maxBatch: number
  // Byte offsets in the arena.
  readonly #parameters: number
  readonly #gradients: number
  readonly #workspace: number
  readonly #x: number
  readonly #y: number
  readonly #dx: number
  readonly #canonical: number
  #rows = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: Core, options: MlpOptions) {
    const { sizes, activations, maxBatch = 1 } = options
    check(options)
    this.#core = core
    this.#layers = { sizes: [...sizes], activations: [...activations] }
    this.#inputs = sizes[0]!
    this.#outputs = sizes.at(-1)!
    this.#maxBatch = maxBatch
    const { exports } = core
    const layers = activations.length
    const netBytes = align(exports.mlp_net_bytes(layers))
    const words = [...sizes, ...activations.map((name) => ACTIVATIONS.indexOf(name))]
    // The plan is made twice: in a block of its own for what it says of sizes, then where the net stays.
    const planned = withBlock(core, 4 * words.length + netBytes, (sizesAt) => {
      new Int32Array(core.memory.buffer, sizesAt, words.length).set(words)
      const net = sizesAt + 4 * words.length
      const plan = (at: number): void => exports.mlp_plan(at, layers, sizesAt, sizesAt + 4 * sizes.length, maxBatch)
      plan(net)
      const flatBytes = exports.mlp_flat_bytes(net)
      const gradients = netBytes + flatBytes
      const workspace = gradients + flatBytes
      const x = workspace + align(exports.mlp_workspace_bytes(net))
      const y = x + align(4 * maxBatch * this.#inputs)
      const dx = y + align(4 * maxBatch * this.#outputs)
      const canonical = dx + align(4 * maxBatch * this.#inputs)
      const parameterCount = exports.mlp_canonical(net)
      const arena = buildArena(core, canonical + 4 * parameterCount, 'Mlp', { sizes, maxBatch }, ({ pointer }) => {
        plan(pointer)
        withRandom(core, options.random, (random) =>
          exports.mlp_initialise(pointer, pointer + netBytes, random.pointer),
        )
      })
      return { parameterCount, arena, gradients, workspace, x, y, dx, canonical }
    })
    this.parameterCount = planned.parameterCount
    this.#arena = planned.arena
    this.#parameters = netBytes
    this.#gradients = planned.gradients
    this.#workspace = planned.workspace
    this.#x = planned.x
    this.#y = planned.y
    this.#dx = planned.dx
    this.#canonical = planned.canonical
  }

  /**
   * One state: y [out] = net(x [in]). Allocates nothing.
   * @throws {ConfigError} `size_mismatch`
   */
  forward(x: Float32Array, y: Float32Array): void {
    this.forwardBatch(x, y, 1)
  }

  /**
   * n states: y [n, out] = net(x [n, in]).
   * @throws {ConfigError} `size_mismatch`
   */
  forwardBatch(x: Float32Array, y: Float32Array, n: number): void {
    this.#checkBatch(n)
    requireLength('x', x, n * this.#inputs)
    requireLength('y', y, n * this.#outputs)
    const { pointer, floats } = this.#arena
    floats.set(x, this.#x >>> 2)
    this.#core.exports.mlp_forward(
      pointer,
      pointer + this.#parameters,
      pointer + this.#x,
      pointer + this.#y,
      n,
      pointer + this.#workspace,
    )
    this.#rows = n
    const at = this.#y >>> 2
    for (let i = 0; i < y.length; i++) y[i] = floats[at + i]!
  }

  /**
   * Any number of states, more than `maxBatch` too: y [n, out] = net(x [n, in]). On the GPU of `createCore({ gpu })` where that takes the
   * batch, then within 1e-5 of the largest output; else as `forwardBatch`. x, y and the net stay as they are until it is done.
   * @throws {ConfigError} `size_mismatch`
   */
  async forwardMany(x: Float32Array, y: Float32Array): Promise<void> {
    const [inputs, outputs] = [this.#inputs, this.#outputs]
    const n = y.length / outputs
    if (!isCount(n)) throw new ConfigError('size_mismatch', `y must hold rows of ${outputs} numbers, got ${y.length}`)
    requireLength('x', x, n * inputs)
    const { gpu } = this.#core
    const isDone = gpu && (await gpu.forward({ ...this.#layers, parameters: this.parameters() }, x, y))
    for (let first = 0; first < n && !isDone; first += this.#maxBatch) {
      const end = Math.min(n, first + this.#maxBatch)
      const rows = x.subarray(first * inputs, end * inputs)
      this.forwardBatch(rows, y.subarray(first * outputs, end * outputs), end - first)
    }
    this.#rows = 0 // `backward` knows only the last part, or none
  }

  /**
   * After `forwardBatch` of n rows: adds dLoss/dparameters for dy [n, out] to the gradients, and fills dx [n, in] where given.
   * @throws {ConfigError} `size_mismatch`
   */
  backward(dy: Float32Array, n: number, dx?: Float32Array): void {
    if (n !== this.#rows)
      throw new ConfigError(
        'size_mismatch',
        `backward of ${n} rows must follow forwardBatch of as many, it was ${this.#rows}`,
      )
    requireLength('dy', dy, n * this.#outputs)
    if (dx) requireLength('dx', dx, n * this.#inputs)
    const { pointer, floats } = this.#arena
    floats.set(dy, this.#y >>> 2)
    this.#core.exports.mlp_backward(
      pointer,
      pointer + this.#parameters,
      pointer + this.#x,
      pointer + this.#y,
      n,
      pointer + this.#workspace,
      pointer + this.#gradients,
      dx ? pointer + this.#dx : 0,
    )
    if (dx) dx.set(floats.subarray(this.#dx >>> 2, (this.#dx >>> 2) + dx.length))
  }

  /** The sum of gradients since `clearGradients` (canonical, a copy). */
  gradients(): Float32Array {
    return this.#read(this.#gradients)
  }

  /** Sets the gradients that `backward` adds up to zero. */
  clearGradients(): void {
    this.#arena.bytes.fill(0, this.#gradients, this.#workspace)
  }

  /** A copy, canonical. */
  parameters(): Float32Array {
    return this.#read(this.#parameters)
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(parameters: Float32Array): void {
    requireLength('parameters', parameters, this.parameterCount)
    requireFinite('parameters', parameters)
    const { pointer, floats } = this.#arena
    floats.set(parameters, this.#canonical >>> 2)
    this.#core.exports.mlp_convert(pointer, pointer + this.#parameters, pointer + this.#canonical, 1)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #read(flat: number): Float32Array {
    const { pointer, floats } = this.#arena
    this.#core.exports.mlp_convert(pointer, pointer + flat, pointer + this.#canonical, 0)
    const at = this.#canonical >>> 2
    return floats.slice(at, at + this.parameterCount)
  }

  #checkBatch(n: number): void {
    if (!isCount(n) || n > this.#maxBatch) {
      throw new ConfigError('size_mismatch', `a batch must have 1 to ${this.#maxBatch} rows, got ${n} (set maxBatch)`)
    }
  }
}

/** Numbers of a net of these widths, known before there is one: exact to 2^53. */
export const mlpParameterCount = (sizes: readonly number[]): number =>
  sizes.slice(1).reduce((sum, out, i) => sum + out * (sizes[i]! + 1), 0)

const align = (bytes: number): number => 16 * Math.ceil(bytes / 16)

function check({ sizes, activations, maxBatch = 1 }: MlpOptions): void {
  const problems = new Problems()
  problems.check(sizes.length >= 2, `sizes must name at least input and output, got ${sizes.length}`)
  checkCounts(problems, { sizes, maxBatch })
  problems.check(
    activations.length === sizes.length - 1,
    `activations must be one for each of ${sizes.length - 1} layers, got ${activations.length}`,
  )
  const unknown = activations.filter((name) => !ACTIVATIONS.includes(name))
  problems.check(unknown.length === 0, `activations must be of ${ACTIVATIONS.join(', ')}, got ${unknown.join(', ')}`)
  problems.throwIfAny('Mlp')
}
