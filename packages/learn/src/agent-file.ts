import { type Bytes, FormatError, type Tensor, TensorReader } from '@trimtab/core'
import { KERNEL_PREFIX, kernelTensors } from './policy.js'
import { checkPurpose, type PolicyHeader, readPolicyFile, writePolicyFile } from './policy-file.js'

/** An agent as a policy file: what its kernel saved, and what it keeps beside it. */
export function writeAgent(header: PolicyHeader, kernel: readonly Tensor[], beside: readonly Tensor[]): Uint8Array {
  return writePolicyFile(header, [
    ...kernel.map((tensor) => ({ ...tensor, name: KERNEL_PREFIX + tensor.name })),
    ...beside,
  ])
}

/** What an agent's file holds, once it is known to be for this agent. */
export interface OpenAgentFile {
  /** The agent's header as it is from now on. */
  readonly header: PolicyHeader
  readonly reader: TensorReader
  readonly kernel: Tensor[]
}

/**
 * Opens a saved agent for one of the same set-up.
 *
 * Only the seed and what taught it may differ. An agent that went on with another γ, learning rate or network would be neither
 * the saved one nor the one that was asked for; `setLearned(saved.learned())` hands the networks on to other options.
 * @param own  the loading agent's header
 * @throws {FormatError} those of `readPolicyFile` and `checkPurpose`; `policy_options_mismatch`, `policy_header_invalid`
 */
export function openAgent(bytes: Bytes, own: PolicyHeader): OpenAgentFile {
  const { header, tensors } = readPolicyFile(bytes)
  checkPurpose(header, own)
  requireSameOptions(header, own)
  return {
    header: { ...own, seed: header.seed, trainingData: header.trainingData },
    reader: new TensorReader(tensors),
    kernel: kernelTensors(tensors),
  }
}

/** What is set while an agent runs comes with the file, whatever it was created with. */
const LIVE = ['cloningWeight']

function requireSameOptions({ options: found }: PolicyHeader, { options: wanted = {} }: PolicyHeader): void {
  if (!found) {
    throw new FormatError(
      'policy_header_invalid',
      'the file does not say with which options the agent was made: it cannot go on, only be served (loadPolicy)',
    )
  }
  const differences = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((name) => !LIVE.includes(name) && textOf(found[name]) !== textOf(wanted[name]))
    .map((name) => `${name} is ${textOf(found[name])} in the file, ${textOf(wanted[name])} here`)
  if (differences.length === 0) return
  throw new FormatError(
    'policy_options_mismatch',
    `the agent was saved with other options: ${differences.join('; ')}; create the agent with the file's, or hand the networks ` +
      'on with setLearned(saved.learned())',
  )
}

/** As JSON with keys in order: two writings of one value are one text. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'not set'
