// One PPO policy for many agents: at once against one after the other, several heads, a critic that sees more.
import { type Core, createCore, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createDqn,
  createPpo,
  createQTable,
  discreteSpace,
  headsSpace,
  loadPolicy,
  type ManyTransition,
  type Ppo,
  type PpoSetup,
  readPolicyFile,
  readPolicyNetwork,
  SIMPPO_FULL,
} from '../../src/index.js'
import { uniformOf } from '../toys/toy.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const AGENTS = 9
const observation = boxSpace(['load', 'rise', 'share'])
const heads = headsSpace({ containers: 4, shares: 3 })
const global = boxSpace(['others', 'deviation'])
const options = { hidden: [8], rolloutSteps: 4 * AGENTS, miniBatchSize: 8, epochs: 2 }
const make = (changes: Partial<PpoSetup> = {}): Ppo =>
  createPpo(core, { ...{ observation, action: heads, partitions: AGENTS, seed: 3, options }, ...changes })

const numbers = (length: number, seed: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => 2 * uniformOf(seed, i) - 1)
const row = (values: Float32Array, i: number): Float32Array => {
  const width = values.length / AGENTS
  return values.slice(i * width, (i + 1) * width)
}

const KINDS: readonly (readonly [string, Partial<PpoSetup>])[] = [
  ['heads', {}],
  ['a box', { action: boxSpace(['cores', 'memory']), options: { ...options, initialDeviation: 3 } }],
  ['heads, contexts, a critic that sees more', { contextSize: 2, global }],
  ['a box, normalised', { action: boxSpace(['cores']), options: { ...options, calibrationSteps: 2 * AGENTS } }],
]

/** A step of all agents that has the policy's own actions. */
function stepOf(agent: Ppo, seed: number): ManyTransition {
  const observations = numbers(AGENTS * 3, seed)
  const contexts = numbers(AGENTS * agent.contextSize, seed + 1)
  const actions = new Float32Array(AGENTS * agent.header.action.names.length)
  agent.exploreMany(observations, actions, { contexts })
  const globalSize = AGENTS * (agent.header.global?.names.length ?? 0)
  return {
    ...{
      observations,
      actions,
      contexts,
      rewards: numbers(AGENTS, seed + 2),
      nextObservations: numbers(AGENTS * 3, seed + 3),
    },
    ...{ globals: numbers(globalSize, seed + 4), nextGlobals: numbers(globalSize, seed + 5) },
  }
}

const transitionOf = (step: ManyTransition, i: number): Transition => ({
  ...{
    observation: row(step.observations, i),
    action: row(step.actions, i),
    reward: step.rewards[i]!,
    terminated: false,
  },
  ...{
    nextObservation: row(step.nextObservations, i),
    global: row(step.globals!, i),
    nextGlobal: row(step.nextGlobals!, i),
  },
})

describe.each(KINDS)('a policy for many agents, %s', (_, changes) => {
  it('explores, remembers and learns to the bit as for one after the other', () => {
    using many = make(changes)
    using one = make(changes)
    const action = new Float32Array(many.header.action.names.length)
    for (let step = 0; step < 7; step++) {
      const taken = stepOf(many, 10 * step)
      const stored = many.observeMany(taken)
      for (let i = 0; i < AGENTS; i++) {
        one.setContext(row(taken.contexts!, i))
        one.explore(row(taken.observations, i), action, i)
        expect(action).toEqual(row(taken.actions, i))
      }
      const before = one.size
      for (let i = 0; i < AGENTS; i++) {
        one.setContext(row(taken.contexts!, i))
        one.observe(transitionOf(taken, i), i)
      }
      one.setContext(new Float32Array(one.contextSize))
      expect(stored).toBe(many.size - before)
      for (const agent of [many, one]) agent.update()
    }
    expect(many.update().updates).toBeGreaterThan(0)
    const tensorsOf = (agent: Ppo): unknown => readPolicyFile(agent.save()).tensors
    expect(tensorsOf(many)).toEqual(tensorsOf(one))
  })

  it('is served for many as for one, and decides what the agent decides', async () => {
    using agent = make(changes)
    agent.setContext(numbers(agent.contextSize, 1))
    for (let seed = 0; seed < 40; seed += 10) agent.observeMany(stepOf(agent, seed))
    agent.update()
    using policy = loadPolicy(core, agent.savePolicy(), { agents: 4 }) // nine agents in three calls
    const observations = numbers(AGENTS * 3, 77)
    observations[3] = Number.NaN
    const size = agent.header.action.names.length
    const [own, served, later] = [0, 0, 0].map(() => new Float32Array(AGENTS * size)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    agent.decideMany(observations, own)
    policy.decideMany(observations, served)
    expect(served).toEqual(own)
    await policy.decideManyAsync(observations, later)
    expect(later).toEqual(own)
    for (let i = 0; i < AGENTS; i++) {
      for (const controller of [agent, policy]) {
        const action = new Float32Array(size)
        controller.decide(row(observations, i), action)
        expect(action).toEqual(row(own, i))
      }
      expect(row(own, i).some(Number.isNaN)).toBe(i === 1)
    }
  })

  it('goes on from a file to the byte', () => {
    using whole = make(changes)
    using rest = make({ ...changes, seed: 8 })
    for (let seed = 0; seed < 30; seed += 10) whole.observeMany(stepOf(whole, seed))
    rest.load(whole.save())
    for (const agent of [whole, rest]) {
      agent.endEpisode(4)
      for (let seed = 30; seed < 70; seed += 10) agent.observeMany(stepOf(agent, seed))
      agent.update()
    }
    expect(rest.save()).toEqual(whole.save())
  })

  it.each([0, 0.5])('explores less at a scale of %d: at 0 as it decides', (scale) => {
    using agent = make(changes)
    using other = make(changes)
    agent.explorationScale = scale
    const observations = numbers(AGENTS * 3, 5)
    const size = AGENTS * agent.header.action.names.length
    const [explored, free, decided] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)]
    let [near, far] = [0, 0]
    for (let i = 0; i < 40; i++) {
      agent.exploreMany(observations, explored)
      other.exploreMany(observations, free)
      agent.decideMany(observations, decided)
      for (let j = 0; j < size; j++) {
        near += Math.min(1, Math.abs(explored[j]! - decided[j]!))
        far += Math.min(1, Math.abs(free[j]! - decided[j]!))
      }
    }
    if (scale === 0) expect(near).toBe(0)
    else expect(near).toBeLessThan(0.95 * far)
  })
})

describe('an agent that leaves', () => {
  it('ends its episode, and the next one in its partition starts its own: returns as of agents that were alone', () => {
    using shared = make({ options: { ...options, rolloutSteps: 100 } })
    for (let step = 0; step < 4; step++) {
      shared.observeMany(stepOf(shared, 10 * step))
      if (step === 1) shared.endEpisode(2)
    }
    const tensors = readPolicyFile(shared.save()).tensors
    const words = (name: string): Uint32Array =>
      new Uint32Array(tensors.find((tensor) => tensor.name === `kernel.rollout.${name}`)!.bytes.slice().buffer)
    const [partitions, ends] = [words('partition'), words('end')]
    const cut = [...ends.keys()].filter((i) => ends[i] !== 0)
    expect(cut).toEqual([AGENTS + 2])
    expect(partitions[cut[0]!]).toBe(2)
  })

  it('leaves its row out: those who stay are named by their partitions', () => {
    using agent = make()
    const step = stepOf(agent, 1)
    const stay = Int32Array.of(0, 5, 8)
    const pick = (values: Float32Array): Float32Array =>
      Float32Array.from([...stay].flatMap((i) => [...row(values, i)]))
    const { observations, actions, rewards, nextObservations } = step
    const stored = agent.observeMany({
      ...{ observations: pick(observations), actions: pick(actions), rewards: pick(rewards) },
      ...{ nextObservations: pick(nextObservations), partitions: stay },
    })
    expect([stored, agent.size]).toEqual([3, 3])
    const action = new Float32Array(3 * 2)
    agent.exploreMany(pick(observations), action, { partitions: stay })
    expect(action.every((index) => index >= 0 && index < 4)).toBe(true)
  })

  it.each([
    [
      'more agents than partitions',
      (a: Ppo) => a.exploreMany(new Float32Array(30), new Float32Array(20)),
      'partition_invalid',
    ],
    ['rows that do not fit', (a: Ppo) => a.decideMany(new Float32Array(7), new Float32Array(4)), 'size_mismatch'],
    [
      'a partition twice',
      (a: Ppo) => a.observeMany({ ...stepOf(a, 1), partitions: new Int32Array(AGENTS) }),
      'partition_invalid',
    ],
    [
      'a choice that is none',
      (a: Ppo) => a.observeMany({ ...stepOf(a, 1), actions: new Float32Array(18).fill(3) }),
      'action_invalid',
    ],
    [
      'half a choice',
      (a: Ppo) => a.observeMany({ ...stepOf(a, 1), actions: new Float32Array(18).fill(0.5) }),
      'action_invalid',
    ],
  ] as const)('refuses %s, and nothing is stored', (_, call, code) => {
    using agent = make()
    expect(() => call(agent)).toThrow(expect.objectContaining({ code }))
    expect(agent.size).toBe(0)
  })
})

describe('several heads', () => {
  it('explain themselves head after head', () => {
    using agent = make()
    const { distribution, actions } = agent.explain(Float32Array.of(0.1, 0.2, 0.3))
    expect(actions.map(({ name }) => name)).toEqual(['containers', 'shares'])
    const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
    expect(distribution).toHaveLength(7)
    expect([sum(distribution.slice(0, 4)), sum(distribution.slice(4))].map((x) => Math.round(1e6 * x))).toEqual([
      1e6, 1e6,
    ])
  })

  it('are one choice to families that make one', () => {
    for (const create of [createDqn, createQTable]) {
      const space = boxSpace(['load'], 0, 1)
      expect(() => create(core, { observation: space, action: heads, seed: 1 })).toThrow(
        /action must be one choice, got 2, containers and shares: use createPpo/,
      )
    }
  })

  it.each([
    ['one of a single choice', headsSpace({ containers: 4, shares: 1 })],
    ['half a choice', headsSpace({ containers: 4, shares: 2.5 })],
  ])('refuse %s', (_, action) => {
    expect(() => make({ action })).toThrow(/a discrete action must have indices from 0/)
  })

  it('of one name are the space they always were', () => {
    expect(headsSpace({ change: 5 })).toEqual(discreteSpace('change', 5))
  })
})

describe('a critic that sees more', () => {
  it('is asked with what it sees, and its actor without', () => {
    using agent = make({ global })
    const seen = Float32Array.of(0.1, 0.2, 0.3)
    const expected = (...values: number[]): number => agent.explain(seen, Float32Array.of(...values)).expectedReturn
    expect(expected(0.5, -0.5)).not.toBe(expected(0.5, 0.5))
    expect(agent.explain(seen).expectedReturn).toBeNaN()
    expect(readPolicyNetwork(agent.savePolicy()).sizes).toEqual([3, 8, 7])
  })

  it.each([
    ['without it', {}, 'size_mismatch', /global must hold 2 numbers, got undefined/],
    ['without the next', { global: new Float32Array(2) }, 'size_mismatch', /nextGlobal/],
    [
      'with NaN in it',
      { global: Float32Array.of(0, Number.NaN), nextGlobal: new Float32Array(2) },
      'transition_not_finite',
      /global\[1\]/,
    ],
  ])('refuses a step %s', (_, change, code, message) => {
    using agent = make({ global })
    const here = new Float32Array(3)
    const step = { observation: here, action: new Float32Array(2), reward: 0, nextObservation: here, terminated: false }
    expect(() => agent.observe({ ...step, ...change })).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(agent.size).toBe(0)
  })

  it.each([
    ['nothing', {}, /global space differs: it has 2 entries, wanted 0/],
    ['something else', { global: boxSpace(['others', 'load']) }, /entry 1 is "deviation", wanted "load"/],
  ])('is refused by an agent whose critic sees %s', (_, changes, message) => {
    using saved = make({ global })
    using other = make(changes)
    expect(() => other.load(saved.save())).toThrow(
      expect.objectContaining({ code: 'policy_space_mismatch', message: expect.stringMatching(message) }),
    )
  })

  it('may see nothing, as before there was any: files do not speak of it', () => {
    using agent = make({ global: boxSpace([]) })
    expect(readPolicyFile(agent.save()).header.global).toBeUndefined()
  })
})

describe('SIMPPO’s preset', () => {
  const local = boxSpace(['sloPreservation', 'cpu', 'memory', 'arrivals', 'cpuLimit', 'memoryLimit', 'containers'])
  const parametersOf = (name: string, others: number): number => {
    const global = boxSpace(Array.from({ length: others }, (_, k) => `others${k}`))
    const seen = { observation: local, action: discreteSpace('change', 5), global }
    using agent = createPpo(core, { ...SIMPPO_FULL, ...seen, seed: 1 })
    const { tensors } = readPolicyFile(agent.save())
    return tensors.find((tensor) => tensor.name === `kernel.${name}`)!.shape[0]!
  }

  it('has the sizes that the paper counts', () => {
    // weights and biases of in-64-64-out
    const count = (inputs: number, outputs: number): number => 64 * (inputs + 1) + 64 * 65 + outputs * 65
    expect(parametersOf('value', 4)).toBe(4993)
    expect(parametersOf('value', 12)).toBe(count(7 + 12, 1))
    for (const others of [4, 12]) expect(parametersOf('policy', others)).toBe(count(7, 5))
  })
})
