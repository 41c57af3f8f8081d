import { checkCounts, isCount, requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { type Arena, buildArena } from '../memory/arena.js'
import { withBlock } from '../memory/blocks.js'
import { type Random, withRandom } from '../random/random.js'

/**
 * Sizes of a stack of gated recurrent units and of the largest batch. N: sequences, T: steps, L: layers, D: directions, H:
 * hidden.
 */
export interface GruOptions {
  readonly inputSize: number
  readonly hiddenSize: number
  /** Default 1. */
  readonly layers?: number
  /** Whether a second direction reads each sequence from its end. Default false. */
  readonly bidirectional?: boolean
  /** Most sequences of a batch. Default 1. */
  readonly maxBatch?: number
  /** Most steps of a sequence. */
  readonly maxSteps: number
  /** Draws the first parameters, uniform in ±1/sqrt(hidden). Default: seed 0. */
  readonly random?: Random
}

/** N: sequences, T: steps, I: inputs, H: hidden, L: layers, D: directions. */
export interface GruBatch {
  /** [N, T, I] */
  readonly x: Float32Array
  readonly batch: number
  readonly steps: number
  /** [N] true lengths, 1 … T. Default: all T. */
  readonly lengths?: Int32Array
  /** [L·D, N, H] states before the first step. Default: zeros. */
  readonly initialStates?: Float32Array
}

/** What `backward` starts from; at least one of the two. */
export interface GruSlopes {
  /** [N, T, D·H] dLoss/dy. */
  readonly outputs?: Float32Array
  /** [L·D, N, H] dLoss/d(final states). */
  readonly finalStates?: Float32Array
}

type Part = 'parameters' | 'gradients' | 'workspace' | 'x' | 'lengths' | 'first' | 'last' | 'dy' | 'canonical'

/**
 * Gated recurrent units over batches of sequences, with back-propagation through time.
 *
 * Parameters and gradients are canonical, in PyTorch's order: for each layer and direction w_ih [3H, inputs],
 * w_hh [3H, H], b_ih [3H], b_hh [3H], rows r | z | n. A sequence shorter than T has zero outputs behind its end, its final
 * state is the one at its end, and the second direction starts there.
 *
 * Source: dissertation 5.4.3 and A.1 (the meta learner's encoder).
 */
export class Gru {
  readonly parameterCount: number
  /** L·D */
  readonly units: number
  readonly #core: Core
  readonly #arena: Arena
  readonly #options: Required<Omit<GruOptions, 'random'>>
  // Byte offsets in the arena.
  readonly #at: Readonly<Record<Part, number>>
  #ran: GruBatch | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: Core, options: GruOptions) {
    const { inputSize, hiddenSize, layers = 1, bidirectional = false, maxBatch = 1, maxSteps } = options
    this.#options = { inputSize, hiddenSize, layers, bidirectional, maxBatch, maxSteps }
    check(this.#options)
    const directions = bidirectional ? 2 : 1
    const { exports } = core
    const planBytes = align(exports.gru_plan_bytes())
    const shape = [inputSize, hiddenSize, layers, directions, maxBatch, maxSteps] as const
    const planned = withBlock(core, planBytes, (plan) => {
      exports.gru_plan(plan, ...shape)
      return {
        canonical: exports.gru_canonical(plan),
        flat: exports.gru_flat_bytes(plan),
        workspace: align(exports.gru_workspace_bytes(plan)),
      }
    })
    this.parameterCount = planned.canonical
    this.units = layers * directions
    const states = align(4 * this.units * maxBatch * hiddenSize)
    const rows = maxBatch * maxSteps
    const parts = {
      parameters: planned.flat,
      gradients: planned.flat,
      workspace: planned.workspace,
      x: align(4 * rows * inputSize),
      lengths: align(4 * maxBatch),
      first: states,
      last: states,
      dy: align(4 * rows * directions * hiddenSize),
      canonical: 4 * this.parameterCount,
    }
    let end = planBytes
    const at = { ...parts }
    for (const name of Object.keys(parts) as (keyof typeof parts)[]) {
      at[name] = end
      end += parts[name]
    }
    this.#at = at
    this.#core = core
    const sizes = { inputSize, hiddenSize, layers, maxBatch, maxSteps }
    this.#arena = buildArena(core, end, 'Gru', sizes, ({ pointer }) => {
      exports.gru_plan(pointer, ...shape)
      withRandom(core, options.random, (random) =>
        exports.gru_initialise(pointer, pointer + at.canonical, random.pointer),
      )
      exports.gru_convert(pointer, pointer + at.parameters, pointer + at.canonical, 1)
    })
  }

  /**
   * Runs a batch of sequences.
   * @param finalStates  [L·D, N, H], filled: each unit's state after its last step
   * @throws {ConfigError} `size_mismatch`
   */
  forward(batch: GruBatch, finalStates: Float32Array): void {
    const { x, batch: n, steps, lengths, initialStates } = batch
    this.#checkBatch(batch)
    const states = this.units * n * this.#options.hiddenSize
    requireLength('finalStates', finalStates, states)
    const { pointer, floats, bytes } = this.#arena
    floats.set(x, this.#at.x >>> 2)
    if (initialStates) floats.set(initialStates, this.#at.first >>> 2)
    if (lengths) bytes.set(new Uint8Array(lengths.buffer, lengths.byteOffset, 4 * n), this.#at.lengths)
    const at = (name: Part): number => pointer + this.#at[name]
    this.#core.exports.gru_forward(
      ...[pointer, at('parameters'), at('x'), n, steps, lengths ? at('lengths') : 0],
      ...[initialStates ? at('first') : 0, at('last'), at('workspace')],
    )
    this.#ran = batch
    finalStates.set(floats.subarray(this.#at.last >>> 2, (this.#at.last >>> 2) + states))
  }

  /**
   * The top layer's outputs of the last `forward`.
   * @param y  [N, T, D·H], filled
   * @throws {ConfigError} `size_mismatch`
   */
  outputs(y: Float32Array): void {
    const { batch, steps } = this.#lastBatch('outputs')
    requireLength('y', y, batch * steps * this.#outputSize)
    const { pointer, floats } = this.#arena
    this.#core.exports.gru_outputs(pointer, batch, steps, pointer + this.#at.dy, pointer + this.#at.workspace)
    y.set(floats.subarray(this.#at.dy >>> 2, (this.#at.dy >>> 2) + y.length))
  }

  /**
   * After `forward`, once: adds dLoss/dparameters to the gradients, and fills dx [N, T, I] and dInitial [L·D, N, H] where given.
   * @throws {ConfigError} `size_mismatch`
   */
  backward(slopes: GruSlopes, into: { readonly dx?: Float32Array; readonly dInitial?: Float32Array } = {}): void {
    const { batch: n, steps, lengths } = this.#lastBatch('backward')
    const states = this.units * n * this.#options.hiddenSize
    if (slopes.outputs) requireLength('outputs', slopes.outputs, n * steps * this.#outputSize)
    if (slopes.finalStates) requireLength('finalStates', slopes.finalStates, states)
    if (into.dx) requireLength('dx', into.dx, n * steps * this.#options.inputSize)
    if (into.dInitial) requireLength('dInitial', into.dInitial, states)
    const { pointer, floats } = this.#arena
    if (slopes.outputs) floats.set(slopes.outputs, this.#at.dy >>> 2)
    if (slopes.finalStates) floats.set(slopes.finalStates, this.#at.last >>> 2)
    const at = (name: Part): number => pointer + this.#at[name]
    this.#core.exports.gru_backward(
      ...[pointer, at('parameters'), n, steps, lengths ? at('lengths') : 0],
      ...[slopes.outputs ? at('dy') : 0, slopes.finalStates ? at('last') : 0, at('gradients')],
      ...[into.dx ? at('x') : 0, into.dInitial ? at('first') : 0, at('workspace')],
    )
    this.#ran = undefined
    if (into.dx) into.dx.set(floats.subarray(this.#at.x >>> 2, (this.#at.x >>> 2) + into.dx.length))
    if (into.dInitial) into.dInitial.set(floats.subarray(this.#at.first >>> 2, (this.#at.first >>> 2) + states))
  }

  /** The sum of gradients since `clearGradients` (canonical, a copy). */
  gradients(): Float32Array {
    return this.#read(this.#at.gradients)
  }

  /** Sets the gradients that `backward` adds up to zero. */
  clearGradients(): void {
    this.#arena.bytes.fill(0, this.#at.gradients, this.#at.workspace)
  }

  /** A copy, canonical. */
  parameters(): Float32Array {
    return this.#read(this.#at.parameters)
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(parameters: Float32Array): void {
    requireLength('parameters', parameters, this.parameterCount)
    requireFinite('parameters', parameters)
    const { pointer, floats } = this.#arena
    floats.set(parameters, this.#at.canonical >>> 2)
    this.#core.exports.gru_convert(pointer, pointer + this.#at.parameters, pointer + this.#at.canonical, 1)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  get #outputSize(): number {
    return (this.#options.bidirectional ? 2 : 1) * this.#options.hiddenSize
  }

  #read(flat: number): Float32Array {
    const { pointer, floats } = this.#arena
    this.#core.exports.gru_convert(pointer, pointer + flat, pointer + this.#at.canonical, 0)
    const at = this.#at.canonical >>> 2
    return floats.slice(at, at + this.parameterCount)
  }

  #lastBatch(what: string): GruBatch {
    if (!this.#ran) throw new ConfigError('size_mismatch', `${what} must follow forward, and backward uses it up`)
    return this.#ran
  }

  #checkBatch({ x, batch, steps, lengths, initialStates }: GruBatch): void {
    const { inputSize, hiddenSize, maxBatch, maxSteps } = this.#options
    if (!isCount(batch) || batch > maxBatch || !isCount(steps) || steps > maxSteps) {
      throw new ConfigError(
        'size_mismatch',
        `a batch must have 1 to ${maxBatch} sequences of 1 to ${maxSteps} steps, got ${batch} of ${steps} (set maxBatch, maxSteps)`,
      )
    }
    requireLength('x', x, batch * steps * inputSize)
    if (initialStates) requireLength('initialStates', initialStates, this.units * batch * hiddenSize)
    if (!lengths) return
    requireLength('lengths', lengths, batch)
    const wrong = lengths.findIndex((length) => length < 1 || length > steps)
    if (wrong >= 0)
      throw new ConfigError('size_mismatch', `lengths[${wrong}] must be 1 to ${steps} steps, got ${lengths[wrong]}`)
  }
}

/** Numbers of the units, known before there are any: exact to 2^53. */
export function gruParameterCount(
  options: Pick<GruOptions, 'inputSize' | 'hiddenSize' | 'layers' | 'bidirectional'>,
): number {
  const { inputSize, hiddenSize, layers = 1, bidirectional = false } = options
  const directions = bidirectional ? 2 : 1
  const inputs = inputSize + (layers - 1) * directions * hiddenSize // of all layers
  return directions * 3 * hiddenSize * (inputs + layers * (hiddenSize + 2))
}

const align = (bytes: number): number => 16 * Math.ceil(bytes / 16)

function check(options: Required<Omit<GruOptions, 'random'>>): void {
  const problems = new Problems()
  const { inputSize, hiddenSize, layers, maxBatch, maxSteps } = options
  checkCounts(problems, { inputSize, hiddenSize, layers, maxBatch, maxSteps })
  problems.throwIfAny('Gru')
}
