// Policy files whose header describes more than they hold: refused by arithmetic, before anything is laid out.
import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createDdpg,
  createDqn,
  createPpo,
  createQTable,
  createRegressor,
  discreteSpace,
  loadPolicy,
  readSafetensors,
  writeSafetensors,
} from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const level = discreteSpace('level', 3)
const setup = { observation: boxSpace(['load']), seed: 1 }
const small = { hidden: [4], batchSize: 2, capacity: 8, warmUp: 2 }

const ddpg = () => createDdpg(core, { ...setup, action: boxSpace(['aim']), options: small })
const dqn = () => createDqn(core, { ...setup, action: level, options: small })
const ppo = () =>
  createPpo(core, { ...setup, action: level, options: { hidden: [4], rolloutSteps: 4, miniBatchSize: 2 } })
const table = () => createQTable(core, { ...setup, action: level })
const regressor = () => createRegressor(core, { features: ['x'], seed: 1, options: { hidden: [4], batchSize: 2 } })

type Changes = Readonly<Record<string, unknown>>

/** The file with another description of the same tensors. */
function described(file: Uint8Array, changes: Changes): Uint8Array {
  const { tensors, metadata } = readSafetensors(file)
  const texts = Object.entries(changes).map(([key, value]) => [key, JSON.stringify(value)])
  return writeSafetensors([...tensors.values()], { ...Object.fromEntries(metadata), ...Object.fromEntries(texts) })
}

const space = (kind: string, high: string, size = 1): unknown => {
  const of = (text: string): string[] => Array(size).fill(text)
  return { names: of('a'), low: of('0'), high: of(high), kind }
}

/** What a call does that must be refused: its error, with nothing allocated. */
function expectRefusal(call: () => unknown, code: string, message: RegExp): void {
  const before = [core.usedBytes, core.memory.buffer.byteLength]
  expect(call).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
  expect(call).toThrow(message)
  expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
}

const HOSTILE: readonly [what: string, changes: Changes, code: string, message: RegExp][] = [
  ['wide layers', { hidden: [2 ** 20, 2 ** 20] }, 'tensor_mismatch', /must be F32 \[\d{13}\], the saved state has F32/],
  ['layers of 2^28', { hidden: [2 ** 28] }, 'policy_header_invalid', /whole number of 1 … 134217728 each/],
  ['layers that wrap', { hidden: [2 ** 32 + 4] }, 'policy_header_invalid', /whole number of 1 … 134217728 each/],
  ['a layer of half a unit', { hidden: [0.5] }, 'policy_header_invalid', /whole number/],
  ['16,384 layers', { hidden: Array(2 ** 14).fill(4) }, 'tensor_mismatch', /the saved state has F32/],
  ['2^32 choices', { action: space('discrete', String(2 ** 32)) }, 'tensor_mismatch', /the saved state has F32/],
  ['16,384 actions', { action: space('box', '1', 2 ** 14) }, 'tensor_mismatch', /the saved state has F32/],
  ['16,384 inputs', { observation: space('box', '1', 2 ** 14) }, 'tensor_mismatch', /the saved state has F32/],
]

describe.each([
  ['DDPG', ddpg],
  ['DQN', dqn],
  ['PPO', ppo],
] as const)('the policy of %s', (_, make) => {
  let file: Uint8Array
  beforeAll(() => {
    const agent = make()
    file = agent.savePolicy()
    agent.dispose()
  })

  it.each(HOSTILE)('is refused where its header describes %s', (_, changes, code, message) => {
    expectRefusal(() => loadPolicy(core, described(file, changes)), code, message)
  })
})

it.each([
  ['numbers', space('box', '1', 3)],
  ['several heads', { names: ['a', 'b'], low: ['0', '0'], high: ['0', '1'], kind: 'discrete' }],
])('the policy of DQN is refused where its header describes %s of as many outputs', (_, action) => {
  using agent = dqn()
  expectRefusal(
    () => loadPolicy(core, described(agent.savePolicy(), { action })),
    'policy_header_invalid',
    /one choice/,
  )
})

describe.each([
  ['DDPG', ddpg],
  ['DQN', dqn],
  ['PPO', ppo],
  ['a Q-table', table],
  ['a regressor', regressor],
] as const)('an agent file of %s', (_, make) => {
  it('is refused where its tensors are not of the agent', () => {
    using agent = make()
    const { tensors, metadata } = readSafetensors(agent.save())
    const before = agent.save()
    for (const tensor of tensors.values()) {
      const [first = 1, ...others] = tensor.shape
      const width = tensor.bytes.length / Math.max(1, first)
      const longer = { ...tensor, shape: [first + 1, ...others], bytes: new Uint8Array((first + 1) * width) }
      if (width === 0) continue // an empty row is as empty twice
      const rest = [...tensors.values()].filter(({ name }) => name !== tensor.name)
      const damaged = writeSafetensors([...rest, longer], Object.fromEntries(metadata))
      expectRefusal(
        () => agent.load(damaged),
        'tensor_mismatch',
        new RegExp(`"${tensor.name.replace(/^kernel\./, '')}"`),
      )
    }
    expect(agent.save()).toEqual(before)
  })
})
