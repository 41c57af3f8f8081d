import * as abi from '../abi.js'
import { checkCounts, describeNotFinite, requireFinite, requireLength } from '../checks.js'
import type { UpdateReport } from '../contracts.js'
import type { Core } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import type { Tensor } from '../files/tensor.js'
import { type Arena, planArena } from '../memory/arena.js'
import { readBlock, withBlock, writeBlock } from '../memory/blocks.js'
import { guardReport } from '../nn/last-good.js'
import { type BcqBlocks, loadBcq, saveBcq } from './bcq-state.js'

/** Sizes and hyperparameters of a BCQ agent. N: batch, S: state, A: action, Z: latent. */
export interface BcqKernelOptions {
  readonly stateSize: number
  readonly actionSize: number
  /** Hidden widths of all five nets, ReLU. */
  readonly hidden: readonly number[]
  /** Z; the authors take twice the action size. */
  readonly latentSize: number
  readonly batchSize: number
  /** Transitions the replay ring keeps. */
  readonly capacity: number
  readonly seed: number
  /** Of all nets: one Adam step moves them together. */
  readonly learningRate: number
  /** γ */
  readonly discount: number
  /** τ of the soft target update. */
  readonly targetRate: number
  /** φ: how far an action may move from one that the generative model made. */
  readonly reach: number
  /** λ: a candidate is worth λ min(Q1, Q2) + (1 − λ) max(Q1, Q2). */
  readonly pessimism: number
  /** Weight of the VAE's divergence beside its reconstruction loss. */
  readonly divergenceWeight: number
  /** Latents of candidates are normals cut at ± this. */
  readonly latentBound: number
  /** Candidates per next state in a target. */
  readonly targetCandidates: number
  /** Candidates that acting chooses from. */
  readonly actingCandidates: number
}

/** The nets that learn: the VAE's two, the perturbation and the critics. */
export type BcqNet = 'encoder' | 'decoder' | 'perturbation' | 'firstCritic' | 'secondCritic'
/** The nets that follow. */
export type BcqTarget = 'targetPerturbation' | 'targetFirstCritic' | 'targetSecondCritic'

const LIVE_NETS: Readonly<Record<BcqNet, number>> = {
  encoder: abi.BCQ_ENCODER,
  decoder: abi.BCQ_DECODER,
  perturbation: abi.BCQ_PERTURBATION,
  firstCritic: abi.BCQ_FIRST_CRITIC,
  secondCritic: abi.BCQ_SECOND_CRITIC,
}

const TARGET_NETS: Readonly<Record<BcqTarget, number>> = {
  targetPerturbation: abi.BCQ_PERTURBATION,
  targetFirstCritic: abi.BCQ_FIRST_CRITIC,
  targetSecondCritic: abi.BCQ_SECOND_CRITIC,
}

const partOf = (which: BcqNet | BcqTarget): [block: number, net: number] =>
  which in TARGET_NETS ? [abi.BCQ_TARGET, TARGET_NETS[which as BcqTarget]] : [abi.BCQ_LIVE, LIVE_NETS[which as BcqNet]]

/** What the last update did; losses are of its batch, before its step. */
export interface BcqReport extends UpdateReport {
  /** How often, after three updates in a row that were not finite, the last good weights came back. */
  readonly restored: number
  /** Mean (decoded action − action)². */
  readonly reconstructionLoss: number
  /** KL of the latents from a standard normal, mean over samples and coordinates. */
  readonly divergence: number
}

/** What the last update computed, [batchSize] or [batchSize, …]. */
export interface BcqBatch {
  readonly goals: Float32Array
  /** Of the first critic, before the step. */
  readonly values: Float32Array
  /** Of the generative model: μ and σ of the encoder, z = μ + σ ε [N, Z], what the decoder made of it [N, A]. */
  readonly means: Float32Array
  readonly deviations: Float32Array
  readonly latents: Float32Array
  readonly reconstructions: Float32Array
}

/**
 * A batch-constrained Q-learning agent inside the core: acting, replay and whole updates, one call each.
 *
 * A VAE learns which actions the data has in a state; a perturbation moves them by at most φ; twin critics judge. Acting takes
 * the best of `actingCandidates`, whose latents are drawn once, so the policy is a function of the state. Actions are in [−1, 1].
 * An update is one Adam step on everything, all gradients at the same parameters; where a loss or gradient is not finite,
 * nothing changes but the count of skipped updates, and after three in a row the last good weights come back.
 *
 * Source: Fujimoto, Meger and Precup 2019 with the authors' code; dissertation 5.3.4.
 */
export class BcqKernel {
  readonly options: BcqKernelOptions
  readonly #core: Core
  readonly #arena: Arena
  /** Index of the io record in the arena's floats: state [S], action [A], next state [S], unused [A], reward, terminated, unused. */
  readonly #io: number
  readonly #blocks: BcqBlocks = {
    read: (block, net) => this.#read(block, net),
    write: (block, net, values) => this.#write(block, net, values),
  }

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: BcqKernelOptions) {
    check(options)
    const { stateSize, actionSize, hidden, batchSize, capacity, seed, latentSize } = options
    const { targetCandidates, actingCandidates } = options
    this.options = options
    this.#core = core
    const { exports } = core
    this.#arena = planArena(core, {
      owner: 'BcqKernel',
      shapeBytes: exports.bcq_shape_bytes(hidden.length),
      shape: { stateSize, actionSize, batchSize, capacity, latentSize, targetCandidates, actingCandidates, hidden },
      bytes: (at) => exports.bcq_bytes(at),
      create: (pointer, at) => {
        exports.bcq_create(pointer, at, seed | 0, Math.floor(seed / 2 ** 32) | 0, options.latentBound)
        exports.bcq_configure(
          pointer,
          options.learningRate,
          options.discount,
          options.targetRate,
          options.reach,
          options.pessimism,
          options.divergenceWeight,
        )
      },
    })
    const { pointer } = this.#arena
    this.#io = (exports.bcq_pointer(pointer, abi.BCQ_IO) - pointer) >>> 2
  }

  /** Transitions now stored. */
  get size(): number {
    return this.#core.exports.bcq_get(this.#arena.pointer, abi.BCQ_COUNT)
  }

  /**
   * out [A] = the candidate for state [S] that the first critic values most. Allocates nothing.
   * @param which  the nets that learn (as the authors act), or their slow targets
   * @throws {ConfigError} `size_mismatch`
   */
  act(state: Float32Array, out: Float32Array, which: 'learning' | 'target' = 'learning'): void {
    const { stateSize, actionSize } = this.options
    requireLength('state', state, stateSize)
    requireLength('out', out, actionSize)
    const { pointer, floats } = this.#arena
    const io = this.#io
    for (let i = 0; i < stateSize; i++) floats[io + i] = state[i]!
    this.#core.exports.bcq_act(pointer, which === 'target' ? 1 : 0)
    for (let i = 0; i < actionSize; i++) out[i] = floats[io + stateSize + i]!
  }

  /**
   * Q1(state [S], action [A]).
   * @throws {ConfigError} `size_mismatch`
   */
  q(state: Float32Array, action: Float32Array): number {
    this.#fill(state, action)
    return this.#core.exports.bcq_q(this.#arena.pointer)
  }

  /**
   * Stores a transition, over the oldest when the ring is full.
   * @throws {ConfigError} `size_mismatch`, `transition_not_finite`; nothing changed
   */
  insert(
    state: Float32Array,
    action: Float32Array,
    reward: number,
    nextState: Float32Array,
    terminated: boolean,
  ): void {
    const { stateSize, actionSize } = this.options
    requireLength('nextState', nextState, stateSize)
    this.#fill(state, action)
    const { floats } = this.#arena
    const next = this.#io + stateSize + actionSize
    floats.set(nextState, next)
    const scalars = next + stateSize + actionSize
    floats[scalars] = reward
    floats[scalars + 1] = terminated ? 1 : 0
    const status = this.#core.exports.bcq_insert(this.#arena.pointer)
    if (status === abi.NOT_FINITE)
      throw new ConfigError('transition_not_finite', describeNotFinite({ state, action, nextState }, reward))
  }

  /**
   * Whole updates on batches drawn uniformly with replacement; one call into the core.
   * @throws {ConfigError} `replay_empty`
   */
  update(steps = 1): void {
    const status = this.#core.exports.bcq_update(this.#arena.pointer, steps)
    if (status === abi.EMPTY)
      throw new ConfigError('replay_empty', 'update needs at least one stored transition (call insert first)')
  }

  /**
   * One update on chosen transitions, by their place in the ring; `indices` holds `batchSize` of them.
   * @param noise  [batchSize, Z], the ε of the encoder; drawn when left out
   * @throws {ConfigError} `size_mismatch`, `index_invalid`, `not_finite`
   */
  updateOn(indices: readonly number[], noise?: Float32Array): void {
    const { batchSize, latentSize } = this.options
    requireLength('indices', indices, batchSize)
    if (noise) {
      requireLength('noise', noise, batchSize * latentSize)
      requireFinite('noise', noise)
    }
    const { size } = this
    const bad = indices.find((index) => !Number.isInteger(index) || index < 0 || index >= size)
    if (bad !== undefined) throw new ConfigError('index_invalid', `indices must be in 0 … ${size - 1}, got ${bad}`)
    const { pointer, floats } = this.#arena
    const at = (which: number): number => this.#core.exports.bcq_pointer(pointer, which)
    new Int32Array(this.#core.memory.buffer, at(abi.BCQ_INDICES), indices.length).set(indices)
    this.#core.exports.bcq_draw(pointer)
    if (noise) floats.set(noise, (at(abi.BCQ_NOISE) - pointer) >>> 2)
    this.#core.exports.bcq_learn(pointer)
  }

  /** Updates done and skipped, and the losses of the last one done. */
  report(): BcqReport {
    const { exports } = this.#core
    const { pointer } = this.#arena
    const get = (which: number): number => exports.bcq_get(pointer, which)
    return {
      updates: get(abi.BCQ_UPDATES),
      ...guardReport(this.#core, exports.bcq_pointer(pointer, abi.BCQ_LAST_GOOD)),
      criticLoss: get(abi.BCQ_CRITIC_LOSS),
      actorLoss: get(abi.BCQ_ACTOR_LOSS),
      meanQ: get(abi.BCQ_MEAN_Q),
      reconstructionLoss: get(abi.BCQ_RECONSTRUCTION_LOSS),
      divergence: get(abi.BCQ_DIVERGENCE),
    }
  }

  /** What the last update computed, copies. */
  lastBatch(): BcqBatch {
    const { stateSize, actionSize, latentSize, batchSize } = this.options
    const { pointer, floats } = this.#arena
    /** [batchSize, width] out of rows of `stride`, from column `from` on. */
    const rows = (which: number, width: number, stride: number, from = 0): Float32Array => {
      const at = ((this.#core.exports.bcq_pointer(pointer, which) - pointer) >>> 2) + from
      return Float32Array.from({ length: batchSize * width }, (_, i) => {
        return floats[at + Math.floor(i / width) * stride + (i % width)]!
      })
    }
    const padded = (n: number): number => (n + 7) & ~7
    return {
      goals: rows(abi.BCQ_GOALS, 1, 1),
      values: rows(abi.BCQ_VALUES, 1, 1),
      means: rows(abi.BCQ_HEADS, latentSize, padded(2 * latentSize)),
      deviations: rows(abi.BCQ_DEVIATIONS, latentSize, latentSize),
      latents: rows(abi.BCQ_CODES, latentSize, stateSize + latentSize, stateSize),
      reconstructions: rows(abi.BCQ_RECONSTRUCTIONS, actionSize, padded(actionSize)),
    }
  }

  /** The last update's gradient, canonical, a copy. */
  gradients(which: BcqNet): Float32Array {
    return this.#read(abi.BCQ_GRADIENT, LIVE_NETS[which])
  }

  /** Adam's rate, of all five nets; may be set between updates. */
  get learningRate(): number {
    return this.#core.exports.bcq_get(this.#arena.pointer, abi.BCQ_LEARNING_RATE)
  }

  /** From the next update on. @throws {ConfigError} `config_invalid` */
  setLearningRate(rate: number): void {
    if (!(rate >= 0 && rate < Infinity))
      throw new ConfigError('config_invalid', `learningRate must be >= 0 and finite, got ${rate}`)
    this.#core.exports.bcq_set(this.#arena.pointer, abi.BCQ_LEARNING_RATE, rate)
  }

  /** A copy, canonical. The encoder's last layer has the rows of μ, then those of log σ. */
  parameters(which: BcqNet | BcqTarget): Float32Array {
    return this.#read(...partOf(which))
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(which: BcqNet | BcqTarget, parameters: Float32Array): void {
    const [block, net] = partOf(which)
    requireLength(which, parameters, this.#core.exports.bcq_canonical(this.#arena.pointer, net))
    requireFinite(which, parameters)
    this.#write(block, net, parameters)
  }

  /** Everything an exact resume needs: networks, moments, replay, randomness, counters. */
  save(): Tensor[] {
    return saveBcq(this.#core, this.#arena, this.options, this.#blocks)
  }

  /**
   * Continues exactly where `save` was called, in an agent of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    loadBcq(this.#core, this.#arena, this.options, tensors, this.#blocks)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #fill(state: Float32Array, action: Float32Array): void {
    requireLength('state', state, this.options.stateSize)
    requireLength('action', action, this.options.actionSize)
    this.#arena.floats.set(state, this.#io)
    this.#arena.floats.set(action, this.#io + this.options.stateSize)
  }

  #read(block: number, net: number): Float32Array {
    const { pointer } = this.#arena
    const length = this.#core.exports.bcq_canonical(pointer, net)
    return readBlock(this.#core, length, (at) => this.#core.exports.bcq_convert(pointer, block, net, at, 0))
  }

  #write(block: number, net: number, values: Float32Array): void {
    const { pointer } = this.#arena
    writeBlock(this.#core, values, (at) => this.#core.exports.bcq_convert(pointer, block, net, at, 1))
  }
}

/**
 * r + γ (1 − terminated) max over the candidates of λ min(Q1, Q2) + (1 − λ) max(Q1, Q2): the goals of a BCQ update.
 * @param first   Q1 of every candidate [N, candidates]; `second` likewise
 * @returns [N]
 * @throws {ConfigError} `size_mismatch`
 */
export function softClippedGoals(
  core: Core,
  values: { readonly first: Float32Array; readonly second: Float32Array },
  transitions: { readonly rewards: Float32Array; readonly terminated: Float32Array },
  { pessimism, discount }: { readonly pessimism: number; readonly discount: number },
): Float32Array {
  const n = transitions.rewards.length
  const candidates = Math.floor(values.first.length / n)
  requireLength('terminated', transitions.terminated, n)
  for (const name of ['first', 'second'] as const) requireLength(name, values[name], n * candidates)
  return withFloats(
    core,
    [values.first, values.second, transitions.rewards, transitions.terminated],
    n,
    (a, b, r, t, out) => core.exports.bcq_goals(a, b, r, t, out, n, candidates, pessimism, discount),
  )
}

/**
 * Actions [n] moved by φ times shifts [n] in [−1, 1], cut to [−1, 1]: the perturbation of BCQ.
 * @throws {ConfigError} `size_mismatch`
 */
export function moveActions(core: Core, actions: Float32Array, shifts: Float32Array, reach: number): Float32Array {
  requireLength('shifts', shifts, actions.length)
  return withFloats(core, [actions, shifts], actions.length, (a, s, out) =>
    core.exports.bcq_move(out, a, s, reach, actions.length),
  )
}

/** Runs `call` on the core's copies of `inputs` and an output of `length` numbers, which it returns. */
function withFloats(
  core: Core,
  inputs: readonly Float32Array[],
  length: number,
  call: (...pointers: number[]) => void,
): Float32Array {
  const starts = inputs.map((_, i) => inputs.slice(0, i).reduce((sum, input) => sum + input.length, 0))
  const total = inputs.reduce((sum, input) => sum + input.length, 0)
  return withBlock(core, 4 * (total + length), (staging) => {
    for (const [i, input] of inputs.entries())
      new Float32Array(core.memory.buffer, staging + 4 * starts[i]!, input.length).set(input)
    call(...starts.map((start) => staging + 4 * start), staging + 4 * total)
    return new Float32Array(core.memory.buffer, staging + 4 * total, length).slice()
  })
}

function check(options: BcqKernelOptions): void {
  const problems = new Problems()
  const { stateSize, actionSize, latentSize, batchSize, capacity, hidden, seed } = options
  const { targetCandidates, actingCandidates } = options
  checkCounts(problems, {
    stateSize,
    actionSize,
    latentSize,
    batchSize,
    capacity,
    targetCandidates,
    actingCandidates,
    hidden,
  })
  problems.check(hidden.length > 0, 'hidden must name at least one width')
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  for (const name of ['discount', 'targetRate', 'pessimism'] as const) {
    problems.check(options[name] >= 0 && options[name] <= 1, `${name} must be in [0, 1], got ${options[name]}`)
  }
  for (const name of ['learningRate', 'reach', 'divergenceWeight', 'latentBound'] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be >= 0, got ${options[name]}`)
  }
  problems.throwIfAny('BcqKernel')
}
