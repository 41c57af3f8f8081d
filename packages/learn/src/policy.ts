import {
  type Activation,
  type Bytes,
  ConfigError,
  type Controller,
  type Core,
  FormatError,
  floatTensor,
  Mlp,
  type Tensor,
  TensorReader,
} from '@trimtab/core'
import { COUNT, isCount, mlpParameterCount } from '@trimtab/core/internal'
import { requireRows } from './checks.js'
import { type NormaliserMoments, ObservationNormaliser, readMoments } from './normaliser.js'
import { type PolicyHeader, readPolicyFile } from './policy-file.js'
import { choicesOf, headsOf } from './spaces.js'

/** Names of tensors that a kernel saved, inside a policy file. */
export const KERNEL_PREFIX = 'kernel.'

/** What a kernel saved, out of a policy file. */
export function kernelTensors(tensors: readonly Tensor[]): Tensor[] {
  return tensors
    .filter(({ name }) => name.startsWith(KERNEL_PREFIX))
    .map((tensor) => ({ ...tensor, name: tensor.name.slice(KERNEL_PREFIX.length) }))
}

const SERVING_ACTOR = `${KERNEL_PREFIX}averagedActor`
const CONTEXT = `${KERNEL_PREFIX}context`

/** The one tensor that serving needs, under the name it has in an agent's full save. */
export const policyTensor = (parameters: Float32Array): Tensor =>
  floatTensor(SERVING_ACTOR, [parameters.length], parameters)

/** Of what a DQN kernel saved, what serving needs: the network and the context that it stands in. */
export const dqnPolicyTensors = (tensors: readonly Tensor[]): Tensor[] =>
  tensors
    .filter(({ name }) => name === 'online' || name === 'context')
    .map((tensor) => ({ ...tensor, name: KERNEL_PREFIX + tensor.name }))

/** Of what a PPO kernel saved, what serving needs: the policy and the context that it stands in. */
export const ppoPolicyTensors = (tensors: readonly Tensor[]): Tensor[] =>
  tensors
    .filter(({ name }) => name === 'policy' || name === 'context')
    .map((tensor) => ({ ...tensor, name: KERNEL_PREFIX + tensor.name }))

/** What a network's outputs mean: a squashed action, means of a box's coordinates, or preferences for the choices of each head. */
export type PolicyHead = 'tanh' | 'means' | 'choices'

/** The network that a file's policy is, and how its outputs become an action. */
interface Served {
  readonly head: PolicyHead
  readonly tensor: string
  readonly outputs: number
  /** Numbers of the tensor behind the network's: a Gaussian's log deviations. */
  readonly extra: number
}

function servedBy({ algorithm, action }: PolicyHeader): Served {
  const outputs = action.kind === 'discrete' ? sum(headsOf(action)) : action.names.length
  switch (algorithm) {
    case 'ddpg':
      return { head: 'tanh', tensor: SERVING_ACTOR, outputs, extra: 0 }
    case 'dqn':
      return { head: 'choices', tensor: `${KERNEL_PREFIX}online`, outputs, extra: 0 }
    case 'ppo':
      return action.kind === 'discrete'
        ? { head: 'choices', tensor: `${KERNEL_PREFIX}policy`, outputs, extra: 0 }
        : { head: 'means', tensor: `${KERNEL_PREFIX}policy`, outputs, extra: outputs }
    default:
      throw new FormatError(
        'policy_task_mismatch',
        `this is a ${algorithm} file, not an actor's: use the loader of ${algorithm}`,
      )
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** A policy as numbers: all that a decision takes, for whoever computes it elsewhere. */
export interface PolicyNetwork {
  readonly header: PolicyHeader
  /** Widths from input (the observation, then the context) to output. */
  readonly sizes: readonly number[]
  readonly activations: readonly Activation[]
  /** As `Mlp` has them. */
  readonly parameters: Float32Array
  readonly head: PolicyHead
  /** How many of the outputs belong to each choice; empty unless the head is `choices`. */
  readonly heads: readonly number[]
  /** [Z], empty for a policy without one. */
  readonly context: Float32Array
  /** Moments [S] by which observations are brought to deviation 1 and cut at ±10. */
  readonly normaliser: NormaliserMoments | undefined
}

/**
 * Reads what an agent saved (`savePolicy`, or the whole `save`) as the network that it is.
 *
 * @throws {FormatError} those of `readPolicyFile`; `policy_task_mismatch`, `tensor_missing`, `tensor_mismatch`, `normaliser_invalid`
 */
export function readPolicyNetwork(bytes: Bytes): PolicyNetwork {
  const { header, tensors } = readPolicyFile(bytes)
  const { head, tensor, outputs, extra } = servedBy(header)
  const reader = new TensorReader(tensors)
  const contextSize = tensors.find(({ name }) => name === CONTEXT)?.shape[0] ?? 0
  const context = contextSize > 0 ? reader.floats(CONTEXT, [contextSize]) : new Float32Array(0)
  const stateSize = header.observation.names.length
  const sizes = [stateSize + contextSize, ...header.hidden, outputs]
  if (stateSize === 0 || sizes.includes(0)) {
    throw new FormatError('policy_header_invalid', `a policy of layers ${sizes} decides nothing`)
  }
  const count = mlpParameterCount(sizes)
  const parameters = reader.floats(tensor, [count + extra]).subarray(0, count)
  if (header.algorithm === 'dqn' && choicesOf(header.action) === 0)
    throw new FormatError(
      'policy_header_invalid',
      'a dqn policy makes one choice: its action must be discrete, of one name',
    )
  const last = head === 'tanh' ? 'tanh' : 'linear'
  return {
    header,
    sizes,
    activations: sizes.slice(1).map((_, i) => (i < header.hidden.length ? (header.activation ?? 'relu') : last)),
    parameters,
    head,
    heads: head === 'choices' ? headsOf(header.action) : [],
    context,
    normaliser: header.normalised ? readMoments(reader, stateSize) : undefined,
  }
}

/** How a policy is going to be served. */
export interface PolicyOptions {
  /** Agents that `decideMany` asks of the network at a time; default 1. */
  readonly agents?: number
}

/**
 * Reads what an agent saved for serving only: no replay, no optimiser, a few kilobytes of memory, decisions equal to the
 * agent's own to the bit. An agent with a context is served in the one it was saved in.
 *
 * The caller compares `header` (task, spaces) with where it is going to act, or hands it to `checkPurpose`.
 *
 * @throws {FormatError} those of `readPolicyNetwork`; {ConfigError} `config_invalid`
 * @example
 * using policy = loadPolicy(core, bytes)
 * policy.decide(observation, action)
 */
export function loadPolicy(core: Core, bytes: Bytes, { agents = 1 }: PolicyOptions = {}): Policy {
  const network = readPolicyNetwork(bytes)
  const { sizes, activations, parameters, normaliser: moments } = network
  if (!isCount(agents)) throw new ConfigError('config_invalid', `agents must be ${COUNT}, got ${agents}`)
  const net = new Mlp(core, { sizes, activations, maxBatch: agents })
  net.setParameters(parameters)
  const normaliser = moments && new ObservationNormaliser(core, moments.mean.length, 0)
  if (moments) normaliser?.set(moments)
  return new Policy(network, { net, normaliser, agents })
}

/** What `loadPolicy` makes a policy of. */
export interface PolicyParts {
  readonly net: Mlp
  readonly normaliser: ObservationNormaliser | undefined
  /** Most rows that the net takes. */
  readonly agents: number
}

/** A trained policy that decides and does not learn. */
export class Policy implements Controller {
  readonly name: string
  readonly header: PolicyHeader
  readonly #net: Mlp
  readonly #normaliser: ObservationNormaliser | undefined
  readonly #heads: readonly number[]
  readonly #agents: number
  // N: agents, S: observation, Z: context, Y: outputs
  readonly #state: Float32Array // [S], normalised
  readonly #inputs: Float32Array // [N, S + Z]
  readonly #outputs: Float32Array // [N, Y]
  readonly #input: Float32Array // the first row of each
  readonly #output: Float32Array

  /** Use `loadPolicy`. */
  constructor({ header, sizes, context, heads }: PolicyNetwork, { net, normaliser, agents }: PolicyParts) {
    const stateSize = header.observation.names.length
    const width = sizes[0]!
    this.name = `${header.algorithm}/${header.preset}`
    this.header = header
    this.#net = net
    this.#normaliser = normaliser
    this.#heads = heads
    this.#agents = agents
    this.#state = new Float32Array(stateSize)
    this.#inputs = new Float32Array(agents * width)
    for (let row = 0; row < agents; row++) this.#inputs.set(context, row * width + stateSize)
    this.#outputs = new Float32Array(agents * sizes.at(-1)!)
    this.#input = this.#inputs.subarray(0, width)
    this.#output = this.#outputs.subarray(0, sizes.at(-1)!)
  }

  /**
   * Fills `out` [A] in [−1, 1], or with an index a choice; allocates nothing. A NaN in the observation comes out as NaN, for the
   * guard to catch.
   * @throws {ConfigError} `size_mismatch`
   */
  decide(observation: Float32Array, out: Float32Array): void {
    const { names } = this.header.action
    if (observation.length !== this.#state.length || out.length !== names.length) {
      throw new ConfigError(
        'size_mismatch',
        `a decision takes ${this.#state.length} numbers and gives ${names.length}, got ${observation.length} and ${out.length}`,
      )
    }
    this.#put(observation, this.#input)
    this.#net.forward(this.#input, this.#output)
    this.#take(this.#output, out)
  }

  /**
   * `decide` for N agents: observations [N, S] → `out` [N, A], as many at a time as `loadPolicy` was told.
   * @throws {ConfigError} `size_mismatch`
   */
  decideMany(observations: Float32Array, out: Float32Array): void {
    const states = this.#state.length
    const actions = this.header.action.names.length
    const n = requireRows(observations, states, out, actions)
    for (let first = 0; first < n; first += this.#agents) {
      const rows = Math.min(this.#agents, n - first)
      const inputs = this.#inputs.subarray(0, rows * this.#input.length)
      const outputs = this.#outputs.subarray(0, rows * this.#output.length)
      this.#put(observations.subarray(first * states, (first + rows) * states), inputs)
      this.#net.forwardBatch(inputs, outputs, rows)
      this.#take(outputs, out.subarray(first * actions, (first + rows) * actions))
    }
  }

  /**
   * `decideMany` in one batch, which the GPU of `createCore({ gpu })` computes where that takes it: then actions agree with `decideMany`
   * within 1e-5, and so a choice between preferences that lie nearer than that may differ. `out` is the call's until it is done.
   * @throws {ConfigError} `size_mismatch`
   */
  async decideManyAsync(observations: Float32Array, out: Float32Array): Promise<void> {
    const n = requireRows(observations, this.#state.length, out, this.header.action.names.length)
    const width = this.#input.length
    const inputs = new Float32Array(n * width)
    const context = this.#input.subarray(this.#state.length)
    for (let row = 0; row < n; row++) inputs.set(context, row * width + this.#state.length)
    const outputs = new Float32Array(n * this.#output.length)
    this.#put(observations, inputs)
    await this.#net.forwardMany(inputs, outputs)
    this.#take(outputs, out)
  }

  /** May be called twice. */
  dispose(): void {
    this.#net.dispose()
    this.#normaliser?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** What the net sees of observations [n, S], into rows [n, S + Z] whose contexts are there. */
  #put(observations: Float32Array, inputs: Float32Array): void {
    const states = this.#state.length
    const width = this.#input.length
    for (let from = 0, to = 0; from < observations.length; from += states, to += width) {
      const isOne = observations.length === states // then no view is made: a decision allocates nothing
      const observation = isOne ? observations : observations.subarray(from, from + states)
      const state = this.#normaliser?.normalise(observation, this.#state) ?? observation
      for (let i = 0; i < states; i++) inputs[to + i] = state[i]!
    }
  }

  /** The net's outputs [n, Y] as actions [n, A]. */
  #take(outputs: Float32Array, out: Float32Array): void {
    if (this.#heads.length === 0) {
      for (let i = 0; i < out.length; i++) out[i] = Math.min(1, Math.max(-1, outputs[i]!))
      return
    }
    for (let from = 0, to = 0; to < out.length; to++) {
      const choices = this.#heads[to % this.#heads.length]!
      out[to] = largest(outputs, from, choices)
      from += choices
    }
  }
}

/** Which of `count` values from `from` on is the first of the largest; NaN where one is NaN or all are infinite. */
function largest(values: Float32Array, from: number, count: number): number {
  let best = 0
  for (let i = 0; i < count; i++) {
    const value = values[from + i]!
    if (!Number.isFinite(value)) return Number.NaN
    if (value > values[from + best]!) best = i
  }
  return best
}
