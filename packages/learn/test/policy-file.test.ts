import { doubleTensor, floatTensor } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import {
  boxSpace,
  checkPurpose,
  type PolicyHeader,
  readPolicyFile,
  readSafetensors,
  type StoredTensor,
  writePolicyFile,
  writeSafetensors,
} from '../src/index.js'

const header: PolicyHeader = {
  algorithm: 'ddpg',
  task: 'autoscaling',
  preset: 'autoscaling',
  observation: boxSpace(['load', 'log SLO/p99'], Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  action: boxSpace(['cores', 'mémoire']),
  hidden: [40, 40],
  normalised: false,
  seed: -(2 ** 53) + 1,
  trainingData: 'app 3, "diurnal" load\nseed 7',
}
const weights = [floatTensor('actor', [2], Float32Array.of(1, 2)), doubleTensor('agent', [0.5])]
const file = writePolicyFile(header, weights)

type Changes = Readonly<Record<string, string | undefined>>

/** The policy file with other tensors and some of its metadata replaced or left out. */
function rewrite(tensors: readonly StoredTensor[], changes: Changes): Uint8Array {
  const merged = Object.entries({ ...Object.fromEntries(readSafetensors(file).metadata), ...changes })
  return writeSafetensors(
    tensors,
    Object.fromEntries(merged.filter((pair): pair is [string, string] => pair[1] !== undefined)),
  )
}
const bounds = (low: string, high: string, kind = 'box') =>
  JSON.stringify({ names: ['a'], low: [low], high: [high], kind })
const withMetadata = (changes: Changes): Uint8Array => rewrite(weights, changes)

describe('policy files', () => {
  it('say what they are for, unbounded spaces included, and come back equal', () => {
    const read = readPolicyFile(file)
    expect(read.header).toEqual(header)
    expect(read.tensors.map(({ name }) => name).sort()).toEqual(['actor', 'agent'])
    expect(writePolicyFile(read.header, [...read.tensors].reverse())).toEqual(file)
  })

  it.each([
    ['cut short', file.subarray(0, file.length - 1), 'safetensors_truncated'],
    ['without our mark', withMetadata({ format: undefined }), 'policy_unknown_format'],
    ["with another program's mark", withMetadata({ format: 'pt' }), 'policy_unknown_format'],
    ['of a later format', withMetadata({ formatVersion: '2' }), 'policy_version_mismatch'],
    ['of another core ABI', withMetadata({ coreAbi: '999' }), 'policy_abi_mismatch'],
    ['without an ABI', withMetadata({ coreAbi: undefined }), 'policy_abi_mismatch'],
    ['without a task', withMetadata({ task: undefined }), 'policy_header_invalid'],
    ['of an unknown algorithm', withMetadata({ algorithm: 'magic' }), 'policy_header_invalid'],
    ['with a seed that is none', withMetadata({ seed: '1.5' }), 'policy_header_invalid'],
    ['that may or may not normalise', withMetadata({ normalised: 'perhaps' }), 'policy_header_invalid'],
    ['with hidden layers that are no list', withMetadata({ hidden: '40' }), 'policy_header_invalid'],
    ['with a bound that is no number', withMetadata({ action: bounds('-1', 'NaN') }), 'policy_header_invalid'],
    ['with an empty bound', withMetadata({ action: bounds('', '1') }), 'policy_header_invalid'],
    ['with bounds the wrong way round', withMetadata({ action: bounds('1', '-1') }), 'policy_header_invalid'],
    ['with half a choice', withMetadata({ action: bounds('0', '2.5', 'discrete') }), 'policy_header_invalid'],
    ['with a space that is not JSON', withMetadata({ action: '{' }), 'policy_header_invalid'],
    ['with a space that is null', withMetadata({ action: 'null' }), 'policy_header_invalid'],
    [
      'with a space of ragged bounds',
      withMetadata({ action: '{"names":["a"],"low":["0"],"high":[],"kind":"box"}' }),
      'policy_header_invalid',
    ],
    [
      'with a tensor of a type no policy has',
      rewrite([{ name: 'count', dtype: 'I64', shape: [1], bytes: new Uint8Array(8) }], {}),
      'tensor_mismatch',
    ],
    [
      'with a NaN weight',
      writePolicyFile(header, [floatTensor('actor', [2], Float32Array.of(1, Number.NaN))]),
      'policy_not_finite',
    ],
    [
      'with an infinite moment',
      writePolicyFile(header, [doubleTensor('moments', [Number.NEGATIVE_INFINITY])]),
      'policy_not_finite',
    ],
  ])('are refused %s', (_, bytes, code) => {
    expect(() => readPolicyFile(bytes)).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
  })
})

describe('checkPurpose', () => {
  it('accepts a policy of the same task, spaces and layers, whatever its seed', () => {
    expect(() => checkPurpose(header, { ...header, observation: { ...header.observation } })).not.toThrow()
  })

  it.each([
    ['another task', { task: 'congestion-control' }, 'policy_task_mismatch', /congestion-control/],
    ['another number of inputs', { observation: boxSpace(['load']) }, 'policy_space_mismatch', /2 entries, wanted 1/],
    [
      'another input',
      { action: boxSpace(['cores', 'replicas']) },
      'policy_space_mismatch',
      /"mémoire", wanted "replicas"/,
    ],
    [
      'other bounds',
      { action: boxSpace(['cores', 'mémoire'], 0) },
      'policy_space_mismatch',
      /\[-1, 1\], wanted \[0, 1\]/,
    ],
    [
      'another kind of space',
      { action: { ...header.action, kind: 'discrete' } },
      'policy_space_mismatch',
      /box, wanted discrete/,
    ],
    ['a normaliser missing here', { normalised: true }, 'policy_shape_mismatch', /no normaliser/],
    ['other layers', { hidden: [64, 64] }, 'policy_shape_mismatch', /\[40,40\], this agent \[64,64\]/],
  ] as const)('refuses %s and says so', (_, difference, code, message) => {
    const refuse = (): void => checkPurpose(header, { ...header, ...difference })
    expect(refuse).toThrow(expect.objectContaining({ code }))
    expect(refuse).toThrow(message)
  })
})
