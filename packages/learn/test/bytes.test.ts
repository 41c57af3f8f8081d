// Files as Node hands them over: `readFileSync` of a small file gives a Buffer anywhere in a pool.
import { type Core, createCore } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createBcq,
  createDdpg,
  createDqn,
  createPpo,
  createQTable,
  createRegressor,
  discreteSpace,
  loadPolicy,
} from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const offsets = Array.from({ length: 16 }, (_, offset) => offset)

/** The bytes at an offset of a pool. */
function bufferAt(offset: number, bytes: Uint8Array): Buffer {
  const pool = new ArrayBuffer(bytes.length + 32)
  const buffer = Buffer.from(pool, offset, bytes.length)
  buffer.set(bytes)
  return buffer
}

const observation = boxSpace(['load'])
const box = boxSpace(['aim'])
const level = discreteSpace('level', 3)
const small = { hidden: [4], batchSize: 2, capacity: 8, warmUp: 2 }
const shape = { task: 't', observation, seed: 1 }

const AGENTS: readonly [
  name: string,
  make: (seed: number) => { save(): Uint8Array; load(bytes: Uint8Array): void; savePolicy?(): Uint8Array },
][] = [
  ['DDPG', (seed) => createDdpg(core, { ...shape, action: box, seed, options: small })],
  ['DQN', (seed) => createDqn(core, { ...shape, action: level, seed, options: small })],
  [
    'PPO',
    (seed) =>
      createPpo(core, { ...shape, action: box, seed, options: { hidden: [4], miniBatchSize: 2, rolloutSteps: 4 } }),
  ],
  ['BCQ', (seed) => createBcq(core, { ...shape, action: box, seed, options: small })],
  ['Regressor', (seed) => createRegressor(core, { features: ['x'], seed, options: { hidden: [4], batchSize: 2 } })],
  ['QTable', (seed) => createQTable(core, { ...shape, observation: level, action: level, seed })],
]

describe.each(AGENTS)('%s', (_, make) => {
  it('loads what it saved from a Buffer at any offset, and from a DataView', () => {
    const [teacher, pupil] = [make(1), make(2)]
    const saved = teacher.save()
    for (const offset of offsets) {
      pupil.load(bufferAt(offset, saved))
      expect(copyBytes(pupil.save())).toEqual(saved)
    }
    pupil.load(new DataView(saved.buffer, saved.byteOffset, saved.byteLength) as unknown as Uint8Array)
    expect(pupil.save()).toEqual(saved)
  })

  it('says that a path is no file', () => {
    const agent = make(1)
    const before = agent.save()
    expect(() => agent.load('agent.safetensors' as unknown as Uint8Array)).toThrow(
      expect.objectContaining({ code: 'bytes_invalid' }),
    )
    expect(agent.save()).toEqual(before)
  })
})

it('loadPolicy takes a Buffer at any offset', () => {
  for (const [, make] of AGENTS) {
    const policy = make(1).savePolicy?.()
    if (!policy) continue
    const decide = (bytes: Uint8Array): Float32Array => {
      const out = new Float32Array(1)
      loadPolicy(core, bytes).decide(Float32Array.of(0.3), out)
      return out
    }
    for (const offset of offsets) expect(decide(bufferAt(offset, policy))).toEqual(decide(policy))
  }
})
