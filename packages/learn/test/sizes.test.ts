// Every size that an agent or learner takes, over sizes that are none, that are huge, and that wrap where 32 bits plan them.
import { type Core, createCore, TrimtabError } from '@trimtab/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type BcqOptions,
  boxSpace,
  createBcq,
  createDdpg,
  createDqn,
  createMetaLearner,
  createPpo,
  createQTable,
  createRegressor,
  type DdpgOptions,
  type DdpgSetup,
  type DqnOptions,
  type DqnSetup,
  discreteSpace,
  loadPolicy,
  type MetaOptions,
  type MetaSetup,
  type PpoOptions,
  type PpoSetup,
  type RegressorOptions,
} from '../src/index.js'

const MEBIBYTE = 2 ** 20
const SIZES = [0, -1, 0.5, Number.NaN, ...Array.from({ length: 17 }, (_, i) => 2 ** (16 + i)), 2 ** 53]

let core: Core
beforeAll(async () => {
  core = await createCore()
  // A host that has 96 MiB: what a core could hold, but this one not, meets the error of a full memory.
  const allocate = core.allocate.bind(core)
  core.allocate = (bytes) => allocate(core.usedBytes + bytes > 96 * MEBIBYTE ? 2 ** 31 : bytes)
})
afterAll(() => expect(core.memory.buffer.byteLength).toBeLessThanOrEqual(256 * MEBIBYTE))

const observation = boxSpace(['load'])
const box = boxSpace(['aim'])
const level = discreteSpace('level', 3)
const setup = { observation, seed: 1 }
const small = { hidden: [4], batchSize: 2, capacity: 8, warmUp: 2 }

interface Decider {
  decide(observation: Float32Array, out: Float32Array): void
  dispose(): void
}
function used<One extends Decider>(agent: One): One {
  agent.decide(new Float32Array(1), new Float32Array(1))
  return agent
}

const ddpg = (options: Partial<DdpgOptions>, shared: Partial<DdpgSetup> = {}) =>
  used(createDdpg(core, { ...setup, action: box, ...shared, options: { ...small, ...options } }))
const dqn = (options: Partial<DqnOptions>, shared: Partial<DqnSetup> = {}) =>
  used(createDqn(core, { ...setup, action: level, ...shared, options: { ...small, ...options } }))
const bcq = (options: Partial<BcqOptions>) =>
  used(createBcq(core, { ...setup, action: box, options: { ...small, actingCandidates: 2, ...options } }))
const ppo = (options: Partial<PpoOptions>, shared: Partial<PpoSetup> = {}) => {
  const whole = { hidden: [4], rolloutSteps: 4, miniBatchSize: 2, ...options }
  return used(createPpo(core, { ...setup, action: box, ...shared, options: whole }))
}

function served(agents: number) {
  using agent = ppo({})
  return used(loadPolicy(core, agent.savePolicy(), { agents }))
}

function regressor(options: Partial<RegressorOptions>) {
  const one = createRegressor(core, { features: ['x'], seed: 1, options: { hidden: [4], batchSize: 2, ...options } })
  one.predict(new Float32Array(1))
  return one
}

const little = { hiddenSize: 2, dense: [2], maxSequences: 2, drawSequences: 1, maxSteps: 2, drawSteps: 1 }

/** Tells an episode of so many steps, and takes its embedding. */
function embed(on: Core, steps: number, rest: Omit<MetaSetup, 'seed'>) {
  const learner = createMetaLearner(on, { ...rest, seed: 1 })
  try {
    learner.registerBaseLearner('t', { kind: 'rl', observation, action: box })
    const columns = { observations: new Float32Array(steps).fill(0.5), actions: new Float32Array(steps) }
    learner.insertTrajectories([{ ...columns, rewards: new Float32Array(steps).fill(1) }])
    if (!learner.getEmbedding().every(Number.isFinite)) throw new Error('an embedding that is none')
  } catch (cause) {
    learner.dispose()
    throw cause
  }
  return learner
}

const meta = (options: Partial<MetaOptions>, rest: Partial<MetaSetup> = {}) =>
  embed(core, 2, { ...rest, options: { ...little, ...options } })

const MAKERS: readonly [name: string, make: (size: number) => { dispose(): void }][] = [
  ['Ddpg hidden', (n) => ddpg({ hidden: [n, n] })],
  ['Ddpg batchSize', (n) => ddpg({ batchSize: n })],
  ['Ddpg capacity', (n) => ddpg({ capacity: n, warmUp: 1 })],
  ['Ddpg warmUp', (n) => ddpg({ capacity: n, warmUp: n })],
  ['Ddpg contextSize', (n) => ddpg({}, { contextSize: n })],
  ['Ddpg partitions', (n) => ddpg({}, { partitions: n })],
  ['Ddpg maxGroups', (n) => ddpg({ batchSize: n }, { maxGroups: n })],
  ['Dqn hidden', (n) => dqn({ hidden: [n] })],
  ['Dqn batchSize', (n) => dqn({ batchSize: n })],
  ['Dqn capacity', (n) => dqn({ capacity: n, warmUp: 1 })],
  ['Dqn action', (n) => dqn({}, { action: discreteSpace('level', n) })],
  ['Dqn contextSize', (n) => dqn({}, { contextSize: n })],
  ['Dqn partitions', (n) => dqn({}, { partitions: n })],
  ['Ppo hidden', (n) => ppo({ hidden: [n] })],
  ['Ppo rolloutSteps', (n) => ppo({ rolloutSteps: n })],
  ['Ppo rolloutSteps of whole episodes', (n) => ppo({ rolloutSteps: n, returns: 'monte-carlo' })],
  ['Ppo miniBatchSize', (n) => ppo({ miniBatchSize: n })],
  ['Ppo action', (n) => ppo({}, { action: discreteSpace('level', n) })],
  ['Ppo contextSize', (n) => ppo({}, { contextSize: n })],
  ['Ppo partitions', (n) => ppo({}, { partitions: n })],
  ['loadPolicy agents', (n) => served(n)],
  ['Bcq hidden', (n) => bcq({ hidden: [n] })],
  ['Bcq batchSize', (n) => bcq({ batchSize: n })],
  ['Bcq capacity', (n) => bcq({ capacity: n, warmUp: 1 })],
  ['Bcq latentsPerAction', (n) => bcq({ latentsPerAction: n })],
  ['Bcq targetCandidates', (n) => bcq({ targetCandidates: n })],
  ['Bcq actingCandidates', (n) => bcq({ actingCandidates: n })],
  ['Regressor hidden', (n) => regressor({ hidden: [n] })],
  ['Regressor batchSize', (n) => regressor({ batchSize: n })],
  ['Regressor contextSize', (n) => regressor({ contextSize: n })],
  ['Regressor maxGroups', (n) => regressor({ contextSize: 2, maxGroups: n, batchSize: n })],
  ['QTable bins', (n) => used(createQTable(core, { ...setup, action: level, options: { bins: n } }))],
  ['QTable action', (n) => used(createQTable(core, { ...setup, action: discreteSpace('level', n) }))],
  ['MetaLearner hiddenSize', (n) => meta({ hiddenSize: n })],
  ['MetaLearner layers', (n) => meta({ layers: n })],
  ['MetaLearner dense', (n) => meta({ dense: [n] })],
  ['MetaLearner maxSequences', (n) => meta({ maxSequences: n })],
  ['MetaLearner maxSteps', (n) => meta({ maxSteps: n })],
  ['MetaLearner maxSteps of a GRU', (n) => meta({ kind: 'gru', maxSteps: n })],
  ['MetaLearner maxContexts', (n) => meta({}, { maxContexts: n })],
]

/** What comes of a size: `works`, or the code of a typed error. */
function outcomeOf(make: (size: number) => { dispose(): void }, size: number): string {
  try {
    make(size).dispose()
    return 'works'
  } catch (cause) {
    if (!(cause instanceof TrimtabError)) throw cause
    return cause.code
  }
}

const isContext = (name: string): boolean => name.endsWith('contextSize') // 0 is one: no context

describe.each(MAKERS)('%s', (name, make) => {
  it('works or is refused with a typed error, for any number, and nothing is left behind', () => {
    const before = core.usedBytes
    const outcomes = SIZES.map((size) => outcomeOf(make, size))
    expect(outcomeOf(make, 16)).toBe('works')
    expect(core.usedBytes).toBe(before)
    expect(outcomes[0]).toBe(isContext(name) ? 'works' : 'config_invalid')
    expect(outcomes.slice(1, 4)).toEqual(Array(3).fill('config_invalid')) // −1, ½, NaN
    expect(outcomes.slice(-5)).toEqual(Array(5).fill('config_invalid')) // 2^29 and more: no core holds it
    for (const outcome of outcomes) expect(['works', 'config_invalid', 'core_out_of_memory']).toContain(outcome)
  })
})

it('counts in options name the largest that there may be', () => {
  expect(() => ddpg({ capacity: 2 ** 31 })).toThrow(/options.capacity must be a whole number of 1 … 134217728/)
  expect(() => meta({ maxSteps: 2 ** 31 })).toThrow(/options.maxSteps must be a whole number of 1 … 134217728/)
})

describe.each(['aware', 'flash'] as const)('the GRU of %s, reading episodes of 1000 steps', (preset) => {
  it('is refused with its sizes for many contexts at a time; nothing was allocated', () => {
    const before = [core.usedBytes, core.memory.buffer.byteLength]
    expect(() => embed(core, 1000, { preset, options: { maxSteps: 1000 } })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(/lower maxSteps 1000/) }),
    )
    expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
  })

  it('embeds an episode of full length where it is planned for few', async () => {
    const own = await createCore()
    const options = { maxSteps: 1000, maxSequences: 1, drawSequences: 1 }
    embed(own, 1000, { preset, maxContexts: 1, options }).dispose()
    expect(own.usedBytes).toBe(0)
    expect(own.memory.buffer.byteLength).toBeLessThanOrEqual(128 * MEBIBYTE)
  })
})

it('a table of many actions learns from a step', () => {
  const table = createQTable(core, { ...setup, action: discreteSpace('level', 2 ** 20) })
  const here = Float32Array.of(0)
  const step = { observation: here, action: Float32Array.of(7), reward: 1, nextObservation: here, terminated: false }
  table.observe(step)
  expect(table.best(table.stateOf(here))).toBe(7)
  table.dispose()
})
