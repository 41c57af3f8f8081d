import {
  type Bytes,
  FormatError,
  readSafetensors,
  type Space,
  STATE_VERSION,
  type StoredTensor,
  type Tensor,
  writeSafetensors,
} from '@trimtab/core'
import { COUNT, isCount } from '@trimtab/core/internal'
import { notFinite } from './meta/tensors.js'

// A policy file is a safetensors file whose `__metadata__` says what the weights are for. Nothing of it is trusted
// until all of it was checked; whoever loads one changes nothing before that.

const FORMAT = 'trimtab-policy'

/** Raised when files of before can no longer be read. */
export const POLICY_FORMAT_VERSION = 1

const ALGORITHMS = ['bcq', 'ddpg', 'dqn', 'ppo', 'q-table', 'regressor'] as const

/** What taught the weights. */
export type PolicyAlgorithm = (typeof ALGORITHMS)[number]

/** What a policy file says about itself. */
export interface PolicyHeader {
  readonly algorithm: PolicyAlgorithm
  /** The management task it was trained for, `autoscaling`. */
  readonly task: string
  readonly preset: string
  readonly observation: Space
  readonly action: Space
  /** What the critic sees beside the observation; absent: nothing. */
  readonly global?: Space
  /** Sizes of the hidden layers. */
  readonly hidden: readonly number[]
  /** Of the hidden layers. Default relu. */
  readonly activation?: 'relu' | 'tanh'
  /** Whether observations pass a normaliser, whose state the file then holds. */
  readonly normalised: boolean
  readonly seed: number
  /** All options of the agent that goes on from the file; absent: nothing goes on from it. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Free text: which application, load and simulator taught it. */
  readonly trainingData: string
}

/** What a policy must have been made for, to be loaded here. */
export type PolicyPurpose = Pick<
  PolicyHeader,
  'algorithm' | 'task' | 'observation' | 'action' | 'global' | 'hidden' | 'activation' | 'normalised'
>

/** The same header and tensors give the same bytes. */
export function writePolicyFile(header: PolicyHeader, tensors: readonly Tensor[]): Uint8Array {
  return writeSafetensors(tensors, {
    format: FORMAT,
    formatVersion: String(POLICY_FORMAT_VERSION),
    coreAbi: String(STATE_VERSION),
    algorithm: header.algorithm,
    task: header.task,
    preset: header.preset,
    seed: String(header.seed),
    hidden: JSON.stringify(header.hidden),
    ...(header.activation === 'tanh' ? { activation: 'tanh' } : {}),
    normalised: String(header.normalised),
    observation: spaceToText(header.observation),
    action: spaceToText(header.action),
    ...(header.global && { global: spaceToText(header.global) }),
    ...(header.options && { options: JSON.stringify(header.options) }),
    trainingData: header.trainingData,
  })
}

/**
 * Reads a policy file and refuses what this version cannot run.
 *
 * @throws {FormatError} those of `readSafetensors`; `policy_unknown_format` (another program's file),
 *   `policy_version_mismatch`, `policy_abi_mismatch`, `policy_header_invalid`, `policy_not_finite` (NaN or ∞ in a tensor),
 *   `tensor_mismatch` (a type no policy has)
 */
export function readPolicyFile(bytes: Bytes): { header: PolicyHeader; tensors: readonly Tensor[] } {
  const { tensors, metadata } = readSafetensors(bytes)
  const header = headerFrom(metadata)
  return { header, tensors: [...tensors.values()].map(usable) }
}

/**
 * Refuses a policy that was made for something else.
 * @throws {FormatError} `policy_task_mismatch`, `policy_space_mismatch`, `policy_shape_mismatch`
 */
export function checkPurpose(header: PolicyHeader, wanted: PolicyPurpose): void {
  if (header.algorithm !== wanted.algorithm || header.task !== wanted.task) {
    throw new FormatError(
      'policy_task_mismatch',
      `this policy is ${header.algorithm} for task "${header.task}", wanted ${wanted.algorithm} for "${wanted.task}": load it there`,
    )
  }
  for (const role of ['observation', 'action', 'global'] as const) {
    const difference = spaceDifference(header[role] ?? NO_SPACE, wanted[role] ?? NO_SPACE)
    if (difference === undefined) continue
    throw new FormatError(
      'policy_space_mismatch',
      `the policy's ${role} space differs: ${difference}; train one for this space or use the version that saved it`,
    )
  }
  if (header.hidden.join() !== wanted.hidden.join()) {
    throw new FormatError(
      'policy_shape_mismatch',
      `the policy has hidden layers [${header.hidden}], this agent [${wanted.hidden}]: create the agent with the policy's`,
    )
  }
  const [found, expected] = [header.activation ?? 'relu', wanted.activation ?? 'relu']
  if (found !== expected) {
    throw new FormatError(
      'policy_shape_mismatch',
      `the policy's hidden layers are ${found}, this agent's ${expected}: create the agent with the policy's`,
    )
  }
  if (header.normalised !== wanted.normalised) {
    throw new FormatError(
      'policy_shape_mismatch',
      `the policy has ${header.normalised ? 'a' : 'no'} normaliser, unlike this agent: give both calibrationSteps or neither`,
    )
  }
}

function headerFrom(metadata: ReadonlyMap<string, string>): PolicyHeader {
  const format = metadata.get('format')
  if (format !== FORMAT) {
    throw new FormatError(
      'policy_unknown_format',
      `this safetensors file is ${format === undefined ? 'not marked as' : `marked "${format}", not`} "${FORMAT}"`,
    )
  }
  const version = metadata.get('formatVersion')
  if (version !== String(POLICY_FORMAT_VERSION)) {
    throw new FormatError(
      'policy_version_mismatch',
      `the policy file has format version ${version}, this package reads ${POLICY_FORMAT_VERSION}: use the version that saved it`,
    )
  }
  const abi = metadata.get('coreAbi')
  if (abi !== String(STATE_VERSION)) {
    throw new FormatError(
      'policy_abi_mismatch',
      `the policy was saved with core states of version ${abi}, this core reads ${STATE_VERSION}: use the version that saved it, or train again`,
    )
  }
  const text = (key: string): string => metadata.get(key) ?? invalid(key, 'it is missing')
  const algorithm = ALGORITHMS.find((name) => name === text('algorithm'))
  if (!algorithm) return invalid('algorithm', `"${text('algorithm')}" is unknown`)
  const seed = Number(text('seed'))
  if (!Number.isSafeInteger(seed)) return invalid('seed', `"${text('seed')}" is not an integer`)
  const hidden = jsonOf('hidden', text('hidden'))
  if (!Array.isArray(hidden) || !hidden.every(isCount)) {
    return invalid('hidden', `it must be a list of layer sizes, ${COUNT} each`)
  }
  const activation = metadata.get('activation') ?? 'relu'
  if (activation !== 'relu' && activation !== 'tanh') return invalid('activation', `"${activation}" is unknown`)
  const normalised = text('normalised')
  if (normalised !== 'true' && normalised !== 'false')
    return invalid('normalised', `"${normalised}" is not true or false`)
  return {
    algorithm,
    task: text('task'),
    preset: text('preset'),
    seed,
    hidden,
    ...(activation === 'tanh' ? { activation } : {}),
    normalised: normalised === 'true',
    observation: spaceFromText('observation', text('observation')),
    action: spaceFromText('action', text('action')),
    ...(metadata.has('global') && { global: spaceFromText('global', text('global')) }),
    ...(metadata.has('options') && { options: recordFrom('options', text('options')) }),
    trainingData: text('trainingData'),
  }
}

/** The tensor, when it is of a type that a core saves and its numbers are finite. */
function usable({ name, dtype, shape, bytes }: StoredTensor): Tensor {
  if (dtype !== 'F32' && dtype !== 'F64' && dtype !== 'U32' && dtype !== 'U8') {
    throw new FormatError('tensor_mismatch', `tensor "${name}" is ${dtype}; policies hold F32, F64, U32 and U8`)
  }
  const found = notFinite({ dtype, bytes })
  if (found !== undefined) {
    throw new FormatError(
      'policy_not_finite',
      `tensor "${name}" holds ${found}: the file is damaged or the training had diverged; load an earlier save`,
    )
  }
  return { name, dtype, shape, bytes }
}

// JSON has no ∞, which a bound may be: bounds are written as texts.
/** A space as text of a file's metadata. */
export const spaceToText = ({ names, low, high, kind }: Space): string =>
  JSON.stringify({ names, low: Array.from(low, String), high: Array.from(high, String), kind })

/** @throws {FormatError} `policy_header_invalid` */
export function spaceFromText(key: string, text: string): Space {
  const value = jsonOf(key, text) as Partial<Record<'names' | 'low' | 'high' | 'kind', unknown>> | null
  const { names, low, high, kind } = value ?? {}
  const isTexts = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((item) => typeof item === 'string')
  if (
    !isTexts(names) ||
    !isTexts(low) ||
    !isTexts(high) ||
    low.length !== names.length ||
    high.length !== names.length
  ) {
    return invalid(key, 'it must hold names, low and high of one length')
  }
  if (kind !== 'box' && kind !== 'discrete') return invalid(key, `kind "${String(kind)}" is unknown`)
  const bound = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))
  const space: Space = { names, low: Float64Array.from(low, bound), high: Float64Array.from(high, bound), kind }
  for (const [i, name] of names.entries()) {
    const [from, to] = [space.low[i]!, space.high[i]!]
    if (!(from <= to))
      return invalid(key, `"${name}" is between ${from} and ${to}: the lower bound must not be above the upper`)
  }
  const areIndices = names.length > 0 && space.low.every((low) => low === 0) && space.high.every(Number.isSafeInteger)
  if (kind === 'discrete' && !areIndices)
    return invalid(key, 'a discrete space holds indices between 0 and a whole number')
  return space
}

const NO_SPACE: Space = { names: [], low: new Float64Array(0), high: new Float64Array(0), kind: 'box' }

function spaceDifference(found: Space, wanted: Space): string | undefined {
  if (found.kind !== wanted.kind) return `it is ${found.kind}, wanted ${wanted.kind}`
  if (found.names.length !== wanted.names.length)
    return `it has ${found.names.length} entries, wanted ${wanted.names.length}`
  for (const [i, name] of wanted.names.entries()) {
    if (found.names[i] !== name) return `entry ${i} is "${found.names[i]}", wanted "${name}"`
    if (found.low[i] !== wanted.low[i] || found.high[i] !== wanted.high[i]) {
      return `"${name}" is in [${found.low[i]}, ${found.high[i]}], wanted [${wanted.low[i]}, ${wanted.high[i]}]`
    }
  }
  return undefined
}

function recordFrom(key: string, text: string): Readonly<Record<string, unknown>> {
  const value = jsonOf(key, text)
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Record<string, unknown>) : invalid(key, 'it must be an object of options')
}

function jsonOf(key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return invalid(key, `it is not JSON: ${String(cause)}`)
  }
}

function invalid(key: string, problem: string): never {
  throw new FormatError('policy_header_invalid', `the policy file's ${key} cannot be used: ${problem}`)
}
