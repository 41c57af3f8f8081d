import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { boxSpace, createBaseLearner, discreteSpace, fineTuning } from '../../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const CHOICES = [
  { algorithm: 'ddpg', preset: 'autoscaling', options: { hidden: [8], batchSize: 4, warmUp: 4, capacity: 50 } },
  { algorithm: 'dqn', preset: 'cpu-frequency', options: { hidden: [8], batchSize: 4, warmUp: 4, capacity: 50 } },
  { algorithm: 'ppo', preset: 'aurora', options: { hidden: [8], miniBatchSize: 4, rolloutSteps: 3 } },
] as const
const shape = { task: 't', observation: boxSpace(['load']), contextSize: 2, partitions: 2, maxGroups: 2, seed: 1 }

describe('createBaseLearner', () => {
  it.each(CHOICES)('$algorithm is open to many pairs, each in its own context', (base) => {
    const action = base.algorithm === 'dqn' ? discreteSpace('level', 3) : boxSpace(['aim'])
    const agent = createBaseLearner(core, { ...shape, action, base })
    const before = agent.learned()
    const chosen = new Float32Array(1)
    for (const partition of [0, 1]) {
      agent.setContext(Float32Array.of(partition, 0.5))
      for (let i = 0; i < 3; i++) {
        const observation = Float32Array.of(0.1 * i)
        agent.explore(observation, chosen)
        const step = { observation, action: chosen, reward: 1, nextObservation: observation, terminated: false }
        agent.observe(step, partition)
      }
      agent.endEpisode(partition)
    }
    const { updates } = agent.updatePairs(Int32Array.of(0, 1), Float32Array.of(0, 0.5, 1, 0.5))
    expect(updates).toBeGreaterThan(0) // PPO’s rollout is full with both pairs’ episodes
    expect(agent.learned()).not.toEqual(before)
    agent.dispose()
  })

  it.each(CHOICES)('$algorithm goes on with a pair by options of its own', (base) => {
    const tuned = fineTuning(base)
    expect(tuned).toMatchObject({ algorithm: base.algorithm, options: { hidden: [8] } })
    expect(tuned.options).not.toEqual(base.options)
    const action = base.algorithm === 'dqn' ? discreteSpace('level', 3) : boxSpace(['aim'])
    createBaseLearner(core, { ...shape, action, base: tuned }).dispose()
  })

  it('refuses what it cannot make', () => {
    const base = { algorithm: 'sarsa', preset: 'x', options: {} }
    const setup = { ...shape, action: boxSpace(['aim']), base }
    expect(() => createBaseLearner(core, setup)).toThrow(expect.objectContaining({ code: 'algorithm_unknown' }))
    for (const options of [{ gamma: 0.5 }, { calibrationSteps: 5 }]) {
      const wrong = { ...setup, base: { algorithm: 'ppo', preset: 'x', options } }
      expect(() => createBaseLearner(core, wrong)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    }
  })
})
