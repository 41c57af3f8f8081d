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
import { mlpParameterCount } from '@trimtab/core/internal'
import { type NormaliserMoments, ObservationNormaliser, readMoments } from './normaliser.js'
import { type PolicyHeader, readPolicyFile } from './policy-file.js'
import { choicesOf } from './spaces.js'

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

/** What a network's outputs mean: a squashed action, means of a box's coordinates, or a preference for each choice. */
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
  const outputs = action.kind === 'discrete' ? choicesOf(action) : action.names.length
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

/** A policy as numbers: all that a decision takes, for whoever computes it elsewhere. */
export interface PolicyNetwork {
  readonly header: PolicyHeader
  /** Widths from input (the observation, then the context) to output. */
  readonly sizes: readonly number[]
  readonly activations: readonly Activation[]
  /** As `Mlp` has them. */
  readonly parameters: Float32Array
  readonly head: PolicyHead
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
  const last = head === 'tanh' ? 'tanh' : 'linear'
  return {
    header,
    sizes,
    activations: sizes.slice(1).map((_, i) => (i < header.hidden.length ? (header.activation ?? 'relu') : last)),
    parameters: reader.floats(tensor, [count + extra]).subarray(0, count),
    head,
    context,
    normaliser: header.normalised ? readMoments(reader, stateSize) : undefined,
  }
}

/**
 * Reads what an agent saved for serving only: no replay, no optimiser, a few kilobytes of memory, decisions equal to the
 * agent's own to the bit. An agent with a context is served in the one it was saved in.
 *
 * The caller compares `header` (task, spaces) with where it is going to act, or hands it to `checkPurpose`.
 *
 * @throws {FormatError} those of `readPolicyNetwork`
 * @example
 * using policy = loadPolicy(core, bytes)
 * policy.decide(observation, action)
 */
export function loadPolicy(core: Core, bytes: Bytes): Policy {
  const { header, sizes, activations, parameters, head, context, normaliser: moments } = readPolicyNetwork(bytes)
  const net = new Mlp(core, { sizes, activations })
  net.setParameters(parameters)
  const normaliser = moments && new ObservationNormaliser(core, moments.mean.length, 0)
  if (moments) normaliser?.set(moments)
  return new Policy(header, { net, normaliser, context, head, outputs: sizes.at(-1)! })
}

/** What `loadPolicy` makes a policy of. */
export interface PolicyParts {
  readonly net: Mlp
  readonly normaliser: ObservationNormaliser | undefined
  /** [Z] */
  readonly context: Float32Array
  readonly head: PolicyHead
  readonly outputs: number
}

/** A trained policy that decides and does not learn. */
export class Policy implements Controller {
  readonly name: string
  readonly header: PolicyHeader
  readonly #net: Mlp
  readonly #normaliser: ObservationNormaliser | undefined
  readonly #head: PolicyHead
  readonly #state: Float32Array // [S], the first part of the input
  readonly #input: Float32Array // [S + Z]
  readonly #output: Float32Array

  /** Use `loadPolicy`. */
  constructor(header: PolicyHeader, parts: PolicyParts) {
    const stateSize = header.observation.names.length
    this.name = `${header.algorithm}/${header.preset}`
    this.header = header
    this.#net = parts.net
    this.#normaliser = parts.normaliser
    this.#head = parts.head
    this.#input = new Float32Array(stateSize + parts.context.length)
    this.#input.set(parts.context, stateSize)
    this.#state = this.#input.subarray(0, stateSize)
    this.#output = new Float32Array(parts.outputs)
  }

  /**
   * Fills `out` [A] in [−1, 1], or [1] with an index; allocates nothing. A NaN in the observation comes out as NaN, for the guard
   * to catch.
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
    if (this.#normaliser) this.#normaliser.normalise(observation, this.#state)
    else this.#state.set(observation)
    const y = this.#output
    this.#net.forward(this.#input, y)
    if (this.#head === 'choices') out[0] = largest(y)
    else for (let i = 0; i < y.length; i++) out[i] = Math.min(1, Math.max(-1, y[i]!))
  }

  /** May be called twice. */
  dispose(): void {
    this.#net.dispose()
    this.#normaliser?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

/** Index of the first of the largest; NaN where one is NaN or all are infinite. */
function largest(values: Float32Array): number {
  let best = 0
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) return Number.NaN
    if (values[i]! > values[best]!) best = i
  }
  return best
}
