import * as abi from './abi.js'
import { Arena } from './arena.js'
import { isCount, requireFinite, requireLength } from './checks.js'
import type { UpdateReport } from './contracts.js'
import type { Core } from './core.js'
import { loadDdpg, saveDdpg } from './ddpg-state.js'
import { ConfigError, Problems } from './errors.js'
import type { Tensor } from './tensor.js'

export interface DdpgKernelOptions {
  readonly stateSize: number
  readonly actionSize: number
  /** Hidden widths of actor (S-h-A, ReLU, tanh) and critic ((S+A)-h-1, ReLU, linear). */
  readonly hidden: readonly number[]
  readonly batchSize: number
  /** Transitions the replay ring keeps. */
  readonly capacity: number
  readonly seed: number
  readonly actorLearningRate: number
  readonly criticLearningRate: number
  /** γ */
  readonly discount: number
  /** τ of the soft target update. */
  readonly targetRate: number
  /** averaged += rate · (actor − averaged) after each update; 0: the averaged actor is the actor. */
  readonly averageRate: number
  /** Coupled L2, on both networks. */
  readonly weightDecay: number
  /** Each network's gradient is scaled down to this L2 norm; 0: never. */
  readonly maxGradientNorm: number
  /** Weight of the mean square of the actor's outputs before tanh. */
  readonly outputPenalty: number
  /** λ of λ · mean (π(s) − rule action)² over the coordinates of sampled transitions that have a rule action. */
  readonly cloningWeight: number
}

export type DdpgNet = 'actor' | 'critic' | 'targetActor' | 'targetCritic' | 'averagedActor'

const NETS: Readonly<Record<DdpgNet, number>> = {
  actor: abi.DDPG_ACTOR,
  critic: abi.DDPG_CRITIC,
  targetActor: abi.DDPG_TARGET_ACTOR,
  targetCritic: abi.DDPG_TARGET_CRITIC,
  averagedActor: abi.DDPG_AVERAGED_ACTOR,
}

export type LiveHyperparameter = 'actorLearningRate' | 'criticLearningRate' | 'outputPenalty' | 'cloningWeight'

const LIVE: Readonly<Record<LiveHyperparameter, number>> = {
  actorLearningRate: abi.DDPG_ACTOR_LEARNING_RATE,
  criticLearningRate: abi.DDPG_CRITIC_LEARNING_RATE,
  outputPenalty: abi.DDPG_OUTPUT_PENALTY,
  cloningWeight: abi.DDPG_CLONING_WEIGHT,
}

/**
 * A deep deterministic policy gradient agent inside the core: acting, replay and whole updates, one call each.
 *
 * Actions are in [−1, 1]. Targets start as copies. An update goes critic → actor, through the updated critic → targets →
 * average; where a loss or gradient is not finite, nothing changes but the count of skipped updates.
 * Networks are read and written in the canonical layout of `Mlp`.
 *
 * Source: Lillicrap et al. 2016; dissertation 3.2.4, Algorithm 3.3.
 */
export class DdpgKernel {
  readonly options: DdpgKernelOptions
  readonly #core: Core
  readonly #arena: Arena
  /** Index of the io record in the arena's floats: state [S], action [A], next state [S], rule [A], reward, terminated, has rule. */
  readonly #io: number

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, options: DdpgKernelOptions) {
    check(options)
    const { stateSize, actionSize, hidden, batchSize, capacity, seed } = options
    this.options = options
    this.#core = core
    const shape = new Arena(core, core.exports.ddpg_shape_bytes!(hidden.length), 'DdpgKernel')
    const words = [stateSize, actionSize, batchSize, capacity, hidden.length, ...hidden]
    new Int32Array(core.memory.buffer, shape.pointer, words.length).set(words)
    this.#arena = new Arena(core, core.exports.ddpg_bytes!(shape.pointer) >>> 0, 'DdpgKernel')
    const { pointer } = this.#arena
    core.exports.ddpg_create!(pointer, shape.pointer, seed | 0, Math.floor(seed / 2 ** 32) | 0)
    core.exports.ddpg_configure!(
      pointer,
      options.actorLearningRate,
      options.criticLearningRate,
      options.weightDecay,
      options.maxGradientNorm,
      options.discount,
      options.targetRate,
      options.averageRate,
      options.outputPenalty,
      options.cloningWeight,
    )
    shape.dispose()
    this.#io = (core.exports.ddpg_pointer!(pointer, abi.DDPG_IO) - pointer) >>> 2
  }

  /** Transitions now stored. */
  get size(): number {
    return this.#core.exports.ddpg_get!(this.#arena.pointer, abi.DDPG_COUNT)
  }

  /**
   * out [A] = π(state [S]). Allocates nothing.
   * @throws {ConfigError} `size_mismatch`
   */
  act(state: Float32Array, out: Float32Array, which: 'actor' | 'averaged' = 'actor'): void {
    const { stateSize, actionSize } = this.options
    requireLength('state', state, stateSize)
    requireLength('out', out, actionSize)
    const { pointer, floats } = this.#arena
    const io = this.#io
    for (let i = 0; i < stateSize; i++) floats[io + i] = state[i]!
    try {
      this.#core.exports.ddpg_act!(pointer, which === 'averaged' ? 1 : 0)
    } catch (cause) {
      throw this.#core.failed('ddpg_act', cause)
    }
    for (let i = 0; i < actionSize; i++) out[i] = floats[io + stateSize + i]!
  }

  /**
   * Q(state [S], action [A]) of the critic.
   * @throws {ConfigError} `size_mismatch`
   */
  q(state: Float32Array, action: Float32Array): number {
    this.#fill(state, action)
    return this.#core.guard('ddpg_q', (e) => e.ddpg_q!(this.#arena.pointer))
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
    ruleAction?: Float32Array,
  ): void {
    const { stateSize, actionSize } = this.options
    requireLength('nextState', nextState, stateSize)
    if (ruleAction) requireLength('ruleAction', ruleAction, actionSize)
    this.#fill(state, action)
    const { floats } = this.#arena
    const next = this.#io + stateSize + actionSize
    floats.set(nextState, next)
    if (ruleAction) floats.set(ruleAction, next + stateSize)
    else floats.fill(0, next + stateSize, next + stateSize + actionSize)
    const scalars = next + stateSize + actionSize
    floats[scalars] = reward
    floats[scalars + 1] = terminated ? 1 : 0
    floats[scalars + 2] = ruleAction ? 1 : 0
    const status = this.#core.guard('ddpg_insert', (e) => e.ddpg_insert!(this.#arena.pointer))
    if (status === abi.NOT_FINITE)
      throw new ConfigError('transition_not_finite', describeNotFinite(state, action, reward, nextState, ruleAction))
  }

  /**
   * Whole updates on batches drawn uniformly with replacement; one call into the core.
   * @throws {ConfigError} `replay_empty`
   */
  update(steps = 1): void {
    const status = this.#core.guard('ddpg_update', (e) => e.ddpg_update!(this.#arena.pointer, steps))
    if (status === abi.EMPTY)
      throw new ConfigError('replay_empty', 'update needs at least one stored transition (call insert first)')
  }

  /**
   * One update on chosen transitions, by their place in the ring; `indices` holds `batchSize` of them.
   * @throws {ConfigError} `size_mismatch`, `index_invalid`
   */
  updateOn(indices: readonly number[]): void {
    requireLength('indices', indices, this.options.batchSize)
    const { size } = this
    const bad = indices.find((index) => !Number.isInteger(index) || index < 0 || index >= size)
    if (bad !== undefined) throw new ConfigError('index_invalid', `indices must be in 0 … ${size - 1}, got ${bad}`)
    const { pointer } = this.#arena
    const at = this.#core.exports.ddpg_pointer!(pointer, abi.DDPG_INDICES)
    new Int32Array(this.#core.memory.buffer, at, indices.length).set(indices)
    this.#core.guard('ddpg_learn', (e) => e.ddpg_learn!(pointer))
  }

  /** Updates done and skipped, and the losses of the last one done. */
  report(): UpdateReport {
    const get = (which: number): number => this.#core.exports.ddpg_get!(this.#arena.pointer, which)
    return {
      updates: get(abi.DDPG_UPDATES),
      skipped: get(abi.DDPG_SKIPPED),
      criticLoss: get(abi.DDPG_CRITIC_LOSS),
      actorLoss: get(abi.DDPG_ACTOR_LOSS),
      meanQ: get(abi.DDPG_MEAN_Q),
    }
  }

  /** The last batch's goals r + γ (1 − terminated) Q'(s', π'(s')) and the critic's values before its step, [batchSize] each. */
  lastBatch(): { goals: Float32Array; values: Float32Array } {
    const read = (which: number): Float32Array => {
      const at = (this.#core.exports.ddpg_pointer!(this.#arena.pointer, which) - this.#arena.pointer) >>> 2
      return this.#arena.floats.slice(at, at + this.options.batchSize)
    }
    return { goals: read(abi.DDPG_GOALS), values: read(abi.DDPG_VALUES) }
  }

  /** The last update's gradient before clipping and decay, canonical, a copy. */
  gradients(which: 'actor' | 'critic'): Float32Array {
    return this.#read(which === 'actor' ? abi.DDPG_ACTOR_GRADIENT : abi.DDPG_CRITIC_GRADIENT)
  }

  /** A live hyperparameter as it is now. */
  get(name: LiveHyperparameter): number {
    return this.#core.exports.ddpg_get!(this.#arena.pointer, LIVE[name])
  }

  /** @throws {ConfigError} `config_invalid` */
  set(name: LiveHyperparameter, value: number): void {
    if (!(name in LIVE) || !Number.isFinite(value) || value < 0) {
      throw new ConfigError(
        'config_invalid',
        `${name} must be one of ${Object.keys(LIVE).join(', ')} and >= 0, got ${value}`,
      )
    }
    this.#core.exports.ddpg_set!(this.#arena.pointer, LIVE[name], value)
  }

  /** A copy, canonical. */
  parameters(which: DdpgNet): Float32Array {
    return this.#read(NETS[which])
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  setParameters(which: DdpgNet, parameters: Float32Array): void {
    requireLength(which, parameters, this.#core.exports.ddpg_canonical!(this.#arena.pointer, NETS[which]))
    requireFinite(which, parameters)
    this.#write(NETS[which], parameters)
  }

  /** Everything an exact resume needs: networks, moments, replay, randomness, counters, live hyperparameters. */
  save(): Tensor[] {
    return saveDdpg(this.#core, this.#arena, this.options, (which) => this.#read(which))
  }

  /**
   * Continues exactly where `save` was called, in an agent of the same shape.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`; nothing changed
   */
  load(tensors: readonly Tensor[]): void {
    loadDdpg(this.#core, this.#arena, this.options, tensors, (which, values) => this.#write(which, values))
  }

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

  #read(which: number): Float32Array {
    const { pointer } = this.#arena
    const length = this.#core.exports.ddpg_canonical!(pointer, which)
    const staging = this.#core.allocate(4 * length)
    this.#core.guard('ddpg_convert', (e) => e.ddpg_convert!(pointer, which, staging, 0))
    const values = new Float32Array(this.#core.memory.buffer, staging, length).slice()
    this.#core.release(staging)
    return values
  }

  #write(which: number, values: Float32Array): void {
    const staging = this.#core.allocate(4 * values.length)
    new Float32Array(this.#core.memory.buffer, staging, values.length).set(values)
    this.#core.guard('ddpg_convert', (e) => e.ddpg_convert!(this.#arena.pointer, which, staging, 1))
    this.#core.release(staging)
  }
}

export function describeNotFinite(
  state: Float32Array,
  action: Float32Array,
  reward: number,
  nextState: Float32Array,
  ruleAction: Float32Array | undefined,
): string {
  for (const [name, values] of Object.entries({ state, action, nextState, ruleAction: ruleAction ?? [] })) {
    const bad = values.findIndex((value) => !Number.isFinite(value))
    if (bad >= 0) return `${name}[${bad}] is ${values[bad]}; the transition was not stored`
  }
  return `reward is ${reward}, which is not a finite f32; the transition was not stored`
}

function check(options: DdpgKernelOptions): void {
  const problems = new Problems()
  const { stateSize, actionSize, hidden, batchSize, capacity, seed, discount } = options
  for (const [name, value] of Object.entries({ stateSize, actionSize, batchSize, capacity })) {
    problems.check(isCount(value), `${name} must be a positive integer, got ${value}`)
  }
  problems.check(
    hidden.length > 0 && hidden.every(isCount),
    `hidden must name positive widths, got [${hidden.join(', ')}]`,
  )
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.check(discount >= 0 && discount <= 1, `discount must be in [0, 1], got ${discount}`)
  for (const name of ['targetRate', 'averageRate'] as const) {
    problems.check(options[name] >= 0 && options[name] <= 1, `${name} must be in [0, 1], got ${options[name]}`)
  }
  for (const name of [
    'actorLearningRate',
    'criticLearningRate',
    'weightDecay',
    'maxGradientNorm',
    'outputPenalty',
    'cloningWeight',
  ] as const) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be >= 0, got ${options[name]}`)
  }
  const replayBytes = 4 * capacity * (2 * (stateSize + actionSize) + 3)
  problems.check(!(replayBytes > 2 ** 30), `capacity ${capacity} needs ${replayBytes} bytes of replay, at most 2^30`)
  problems.throwIfAny('DdpgKernel')
}
