// Many agents at once against the same one after the other.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore } from '../../src/index.js'
import type { PpoKernel, PpoKernelOptions, PpoRows } from '../../src/internal.js'
import { wave } from '../builds.js'
import { smallAgent } from './ppo-agent.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const AGENTS = 17 // more than two mini-batches of 6
const KINDS: readonly (readonly [string, Partial<PpoKernelOptions>])[] = [
  ['categories', {}],
  ['heads, contexts, globals', { actionSize: 6, heads: [2, 1, 3], contextSize: 2, globalSize: 2 }],
  ['normals', { policy: 'gaussian', actionSize: 2 }],
]

const make = (options: Partial<PpoKernelOptions>): PpoKernel => smallAgent(core, { ...options, partitions: AGENTS }, 0)
const floats = (length: number, phase: number): Float32Array => Float32Array.from(wave(length, phase))
const row = (values: Float32Array, i: number): Float32Array => {
  const width = values.length / AGENTS
  return values.slice(i * width, (i + 1) * width)
}
const widthOf = ({ options }: PpoKernel): number =>
  options.policy === 'gaussian' ? options.actionSize : options.heads.length

/** A step of all agents, whose actions the kernel draws. */
function stepOf(kernel: PpoKernel, phase: number): PpoRows {
  const { stateSize, contextSize, globalSize } = kernel.options
  const states = floats(AGENTS * stateSize, phase)
  const contexts = floats(AGENTS * contextSize, phase + 1)
  const actions = new Float32Array(AGENTS * widthOf(kernel))
  kernel.many.sample(states, actions, contexts)
  return {
    ...{ states, actions, contexts, rewards: floats(AGENTS, phase + 2), nextStates: floats(states.length, phase + 3) },
    ...{ globals: floats(AGENTS * globalSize, phase + 4), nextGlobals: floats(AGENTS * globalSize, phase + 5) },
    partitions: Int32Array.from({ length: AGENTS }, (_, i) => AGENTS - 1 - i),
  }
}

describe.each(KINDS)('PPO for many agents at once, %s', (_, options) => {
  it.each(['act', 'sample'] as const)('%s: the same bits as one after the other', (way) => {
    const [many, one] = [make(options), make(options)]
    const states = floats(AGENTS * 3, 1)
    const contexts = floats(AGENTS * many.options.contextSize, 2)
    const [together, alone] = [new Float32Array(AGENTS * widthOf(many)), new Float32Array(widthOf(many))]
    many.many[way](states, together, contexts)
    for (let i = 0; i < AGENTS; i++) {
      one.setContext(row(contexts, i))
      one[way](row(states, i), alone)
      expect(row(together, i)).toEqual(alone)
    }
  })

  it('remembers the same bits as one after the other', () => {
    const [many, one] = [make({ ...options, capacity: 60 }), make({ ...options, capacity: 60 })]
    for (const phase of [1, 2]) {
      const rows = stepOf(many, phase)
      stepOf(one, phase) // draws as much
      expect(many.many.append(rows)).toBe(AGENTS)
      for (let i = 0; i < AGENTS; i++) {
        one.setContext(row(rows.contexts!, i))
        one.insert(
          ...([row(rows.states, i), row(rows.actions, i), rows.rewards[i]!, row(rows.nextStates, i), false] as const),
          ...([rows.partitions[i]!, row(rows.globals, i), row(rows.nextGlobals, i)] as const),
        )
      }
      one.setContext(new Float32Array(one.options.contextSize))
    }
    expect(many.save()).toEqual(one.save())
  })
})

describe('PPO for many agents, of whom something is missing', () => {
  const kernelWith = (damage: (rows: PpoRows) => void): { kernel: PpoKernel; stored: number } => {
    const kernel = make({ globalSize: 2, capacity: 60 })
    kernel.many.append(stepOf(kernel, 1))
    const rows = stepOf(kernel, 2)
    damage(rows)
    return { kernel, stored: kernel.many.append(rows) }
  }
  const column = (kernel: PpoKernel, name: string): Uint32Array =>
    new Uint32Array(
      kernel
        .save()
        .find((tensor) => tensor.name === name)!
        .bytes.slice().buffer,
    )

  it.each([
    ['a state', (rows: PpoRows) => rows.states.fill(Number.NaN, 9, 10)],
    ['a next state', (rows: PpoRows) => rows.nextStates.fill(Number.POSITIVE_INFINITY, 9, 10)],
    ['a global', (rows: PpoRows) => rows.globals.fill(Number.NaN, 6, 7)],
    ['a reward', (rows: PpoRows) => (rows.rewards as Float32Array).fill(Number.NaN, 3, 4)],
  ])('leaves that one out where %s is not finite, and cuts its episode', (_, damage) => {
    const { kernel, stored } = kernelWith(damage)
    expect([stored, kernel.size]).toEqual([AGENTS - 1, 2 * AGENTS - 1])
    const [partitions, ends] = [column(kernel, 'rollout.partition'), column(kernel, 'rollout.end')]
    expect([...partitions.subarray(AGENTS)]).not.toContain(AGENTS - 1 - 3)
    const cut = [...ends.keys()].filter((i) => ends[i] !== 0)
    expect(cut.map((i) => partitions[i])).toEqual([AGENTS - 1 - 3])
  })

  it.each([
    ['another number of rows', (rows: PpoRows) => ({ ...rows, rewards: new Float32Array(2) }), 'size_mismatch'],
    ['no globals', (rows: PpoRows) => ({ ...rows, globals: new Float32Array(0) }), 'size_mismatch'],
    ['a choice that is none', (rows: PpoRows) => ({ ...rows, actions: rows.actions.map(() => 4) }), 'action_invalid'],
    ['an agent twice', (rows: PpoRows) => ({ ...rows, partitions: rows.partitions.map(() => 0) }), 'partition_invalid'],
    [
      'an agent too many',
      (rows: PpoRows) => ({ ...rows, partitions: rows.partitions.map((p) => p + 1) }),
      'partition_invalid',
    ],
  ])('refuses %s and stores nothing', (_, change, code) => {
    const kernel = make({ globalSize: 2 })
    const rows = stepOf(kernel, 1)
    const before = kernel.save()
    expect(() => kernel.many.append(change(rows))).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('refuses more steps than it has room for, and stores none of them', () => {
    const kernel = make({ capacity: AGENTS + 3 })
    kernel.many.append(stepOf(kernel, 1))
    expect(() => kernel.many.append(stepOf(kernel, 2))).toThrow(expect.objectContaining({ code: 'rollout_full' }))
    expect(kernel.size).toBe(AGENTS)
  })

  it('refuses to act for more agents than it has partitions', () => {
    const kernel = make({})
    expect(() => kernel.many.act(new Float32Array(3 * 18), new Float32Array(18))).toThrow(
      expect.objectContaining({ code: 'size_mismatch', message: expect.stringMatching(/1 to 17 agents, got 18/) }),
    )
  })
})
