import { type Controller, type Core, FormatError, floatTensor, Mlp, type Tensor, TensorReader } from '@trimtab/core'
import { ObservationNormaliser } from './normaliser.js'
import { type PolicyHeader, readPolicyFile } from './policy-file.js'

/** Names of tensors that a kernel saved, inside a policy file. */
export const KERNEL_PREFIX = 'kernel.'

/** What a kernel saved, out of a policy file. */
export function kernelTensors(tensors: readonly Tensor[]): Tensor[] {
  return tensors
    .filter(({ name }) => name.startsWith(KERNEL_PREFIX))
    .map((tensor) => ({ ...tensor, name: tensor.name.slice(KERNEL_PREFIX.length) }))
}

const SERVING_ACTOR = `${KERNEL_PREFIX}averagedActor`

/** The one tensor that serving needs, under the name it has in an agent's full save. */
export const policyTensor = (parameters: Float32Array): Tensor =>
  floatTensor(SERVING_ACTOR, [parameters.length], parameters)

/**
 * Reads what an agent saved (`savePolicy`, or the whole `save`) for serving only: no replay, no optimiser, a few kilobytes of
 * memory, decisions equal to the agent's own to the bit.
 *
 * The caller compares `header` (task, spaces) with where it is going to act, or hands it to `checkPurpose`.
 *
 * @throws {FormatError} those of `readPolicyFile`; `tensor_missing`, `tensor_mismatch`, `normaliser_invalid`
 * @example
 * using policy = loadPolicy(core, bytes)
 * policy.decide(observation, action)
 */
export function loadPolicy(core: Core, bytes: Uint8Array): Policy {
  const { header, tensors } = readPolicyFile(bytes)
  if (header.algorithm !== 'ddpg') {
    throw new FormatError(
      'policy_task_mismatch',
      `this is a ${header.algorithm} file, not an actor's: use the loader of ${header.algorithm}`,
    )
  }
  const sizes = [header.observation.names.length, ...header.hidden, header.action.names.length]
  if (sizes.includes(0)) throw new FormatError('policy_header_invalid', `a policy of layers ${sizes} decides nothing`)
  const reader = new TensorReader(tensors)
  const count = sizes.slice(1).reduce((sum, out, i) => sum + out * (sizes[i]! + 1), 0)
  const parameters = reader.floats(SERVING_ACTOR, [count])
  const net = new Mlp(core, {
    sizes,
    activations: sizes.slice(1).map((_, i) => (i < header.hidden.length ? 'relu' : 'tanh')),
  })
  net.setParameters(parameters)
  const normaliser = header.normalised ? new ObservationNormaliser(core, sizes[0]!, 0) : undefined
  const policy = new Policy(header, net, normaliser)
  try {
    normaliser?.load(reader)()
  } catch (cause) {
    policy.dispose()
    throw cause
  }
  return policy
}

/** A trained policy that decides and does not learn. */
export class Policy implements Controller {
  readonly name: string
  readonly header: PolicyHeader
  readonly #net: Mlp
  readonly #normaliser: ObservationNormaliser | undefined
  readonly #input: Float32Array // [S], normalised

  /** Use `loadPolicy`. */
  constructor(header: PolicyHeader, net: Mlp, normaliser: ObservationNormaliser | undefined) {
    this.name = `${header.algorithm}/${header.preset}`
    this.header = header
    this.#net = net
    this.#normaliser = normaliser
    this.#input = new Float32Array(header.observation.names.length)
  }

  /** Fills `out` [A] in [−1, 1]; allocates nothing. A NaN in the observation comes out as NaN, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    this.#net.forward(this.#normaliser?.normalise(observation, this.#input) ?? observation, out)
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
