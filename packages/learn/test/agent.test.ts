import { type Agent, type Core, createCore, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createBcq,
  createDdpg,
  createDqn,
  createPpo,
  createQTable,
  discreteSpace,
  type Ppo,
  readSafetensors,
} from '../src/index.js'

// What holds for every family, because `Agent` says so.

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const observation = boxSpace(['load', 'replicas'])
const box = boxSpace(['change'])
const choice = discreteSpace('change', 3)
const small = { hidden: [4], batchSize: 4, capacity: 50, warmUp: 4 }
type Change = { readonly options?: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>

/** Every family at its smallest, with what differs. */
const FAMILIES: readonly [name: string, make: (change?: Change) => Agent & { readonly size?: number }][] = [
  [
    'DDPG',
    (c = {}) =>
      createDdpg(core, {
        observation,
        action: box,
        seed: 1,
        ...c,
        options: { ...small, calibrationSteps: 0, ...c.options },
      }),
  ],
  [
    'DQN',
    (c = {}) => createDqn(core, { observation, action: choice, seed: 1, ...c, options: { ...small, ...c.options } }),
  ],
  [
    'PPO on a box',
    (c = {}) =>
      createPpo(core, {
        observation,
        action: box,
        seed: 1,
        ...c,
        options: { hidden: [4], rolloutSteps: 8, miniBatchSize: 4, ...c.options },
      }),
  ],
  [
    'PPO on choices',
    (c = {}) =>
      createPpo(core, {
        observation,
        action: choice,
        seed: 1,
        ...c,
        options: { hidden: [4], rolloutSteps: 8, miniBatchSize: 4, ...c.options },
      }),
  ],
  [
    'BCQ',
    (c = {}) => createBcq(core, { observation, action: box, seed: 1, ...c, options: { ...small, ...c.options } }),
  ],
  [
    'Q-table',
    (c = {}) => createQTable(core, { observation, action: choice, seed: 1, ...c, options: { bins: 3, ...c.options } }),
  ],
]

const step = (change: Partial<Record<keyof Transition, unknown>> = {}): Transition =>
  ({
    observation: Float32Array.of(0.1, -0.2),
    action: Float32Array.of(1),
    reward: 0.5,
    nextObservation: Float32Array.of(0.2, -0.1),
    terminated: false,
    ...change,
  }) as Transition

describe.each(FAMILIES)('%s', (_, make) => {
  it.each([
    ['an action outside the space', { action: Float32Array.of(7) }, 'action_invalid'],
    ['an action of another length', { action: Float32Array.of(0, 0) }, 'size_mismatch'],
    ['a step that does not say whether it terminated', { terminated: undefined }, 'transition_invalid'],
    ['a NaN reward', { reward: Number.NaN }, 'transition_not_finite'],
    ['a reward that is missing', { reward: undefined }, 'transition_not_finite'],
    ['a NaN in what follows', { nextObservation: Float32Array.of(0, Number.NaN) }, 'transition_not_finite'],
    ['an observation of another length', { observation: Float32Array.of(0) }, 'size_mismatch'],
    ['a step without what follows', { nextObservation: undefined }, 'size_mismatch'],
  ] as const)('refuses %s and stores nothing', (_case, change, code) => {
    const agent = make()
    agent.observe(step())
    const before = agent.save()
    expect(() => agent.observe(step(change))).toThrow(expect.objectContaining({ code }))
    expect(agent.save()).toEqual(before)
    agent.dispose()
  })

  it('refuses options and set-up keys that there are not, and says which there are', () => {
    expect(() => make({ options: { gamma: 0.5 } })).toThrow(/options\.gamma is no option; there are .*discount/)
    expect(() => make({ sed: 3 })).toThrow(/setup\.sed is no option; there are .*seed/)
  })

  it('refuses the file of an agent with another γ, and names what differs', () => {
    const [agent, other] = [make(), make({ options: { discount: 0.5 } })]
    const before = agent.save()
    expect(() => agent.load(other.save())).toThrow(
      expect.objectContaining({
        code: 'policy_options_mismatch',
        message: expect.stringContaining('discount is 0.5 in the file, 0.99 here'),
      }),
    )
    expect(agent.save()).toEqual(before)
    agent.dispose()
    other.dispose()
  })

  it('takes its exploration from the scale, and has no context unless it was made with one', () => {
    const agent = make()
    agent.explorationScale = 0
    const [explored, decided] = [new Float32Array(1), new Float32Array(1)]
    const here = Float32Array.of(0.3, 0.3)
    agent.explore(here, explored)
    expect(agent.explorationLevel).toBe(0)
    agent.decide(here, decided)
    expect(explored[0]).toBeCloseTo(decided[0]!, 1) // DDPG and BCQ serve by slow averages
    expect(agent.contextSize).toBe(0)
    expect(() => agent.setContext(Float32Array.of(1))).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
    expect(() => Object.assign(agent, { explorationScale: -1 })).toThrow(/explorationScale must be ≥ 0/)
    agent.dispose()
  })
})

describe.each(FAMILIES.filter(([name]) => name !== 'Q-table' && name !== 'PPO on choices' && name !== 'DQN'))(
  '%s',
  (_, make) => {
    it('explores to the side that is allowed only', () => {
      const [free, bound] = [make(), make()]
      const here = Float32Array.of(0.3, 0.3)
      for (const agent of [free, bound]) agent.explorationScale = 0
      const middle = new Float32Array(1)
      free.explore(here, middle)
      bound.explorationScale = 1
      const out = new Float32Array(1)
      for (let i = 0; i < 50; i++) {
        bound.explore(here, out, 0, [1])
        expect(out[0]).toBeGreaterThanOrEqual(middle[0]! - 1e-6)
      }
      free.dispose()
      bound.dispose()
    })
  },
)

describe('PPO with two environments in turn', () => {
  const options = { hidden: [4], rolloutSteps: 64, miniBatchSize: 4, initialDeviation: 3 }
  const make = (): Ppo => createPpo(core, { observation, action: box, seed: 3, partitions: 2, options })
  const observations = [Float32Array.of(0.5, -0.5), Float32Array.of(-0.5, 0.5)]

  const storedActions = (agent: Ppo): number[] => {
    const { bytes } = readSafetensors(agent.save()).tensors.get('kernel.rollout.action')!
    return [...new Float32Array(bytes.slice().buffer)]
  }

  it('stores clipped actions as their own environment drew them', () => {
    using agent = make()
    const [first, second] = [new Float32Array(1), new Float32Array(1)]
    const drawn: number[][] = []
    for (let round = 0; round < 30; round++) {
      agent.explore(observations[0]!, first, 0)
      agent.explore(observations[1]!, second, 1)
      agent.observe(step({ observation: observations[0], action: first }), 0)
      agent.observe(step({ observation: observations[1], action: second }), 1)
      drawn.push([first[0]!, second[0]!])
    }
    const actions = storedActions(agent)
    for (const [round, pair] of drawn.entries()) {
      for (const [p, cut] of pair.entries()) {
        const draw = actions[2 * round + p]!
        expect(Math.min(1, Math.max(-1, draw))).toBe(cut)
        if (Math.abs(cut) === 1) expect(Math.abs(draw)).toBeGreaterThan(1)
      }
    }
    const clipped = drawn.flat().filter((cut) => Math.abs(cut) === 1)
    expect(clipped.length).toBeGreaterThan(20)
    expect(new Set(actions).size).toBe(actions.length) // nobody has another's draw
  })

  it('forgets a draw once it was observed: a rule at the bound is stored as it acted', () => {
    using agent = make()
    const action = new Float32Array(1)
    for (let i = 0; i < 10; i++) {
      do agent.explore(observations[0]!, action, 0)
      while (action[0] !== 1)
      agent.observe(step({ observation: observations[0], action }), 0)
      agent.observe(step({ observation: observations[0], action: Float32Array.of(1) }), 0)
    }
    const actions = storedActions(agent)
    expect(actions.filter((_, i) => i % 2 === 1)).toEqual(Array(10).fill(1))
  })
})
