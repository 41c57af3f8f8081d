import { createCore } from '@trimtab/core'
import { boxSpace, createPpo, headsSpace } from '@trimtab/learn'
import { describe, expect, it } from 'vitest'
import { PolicyGroups } from '../../src/index.js'

const core = await createCore()
const observation = boxSpace(['load', 'latency'])
const action = headsSpace({ containers: 4, shares: 3 })
const global = boxSpace(['others'])
const policyOf = (members: readonly number[], seed: number) => ({
  members,
  policy: createPpo(core, { observation, action, global, partitions: members.length, seed }),
})

describe('policies of groups', () => {
  it('decide for each agent as its own policy does', () => {
    const [pair, single] = [policyOf([2, 0], 1), policyOf([1], 2)]
    const groups = new PolicyGroups('two', [pair, single], { observation, action, global })
    const observations = Float32Array.of(0.1, -0.4, 0.7, 0.2, -0.9, 0.3)
    const actions = new Float32Array(6)
    groups.decideMany(observations, actions)
    for (const [agent, { policy }] of [pair, single, pair].entries()) {
      const own = new Float32Array(2)
      policy.decide(observations.subarray(2 * agent, 2 * agent + 2), own)
      expect(actions.subarray(2 * agent, 2 * agent + 2), `agent ${agent}`).toEqual(own)
    }
    groups.dispose()
  })

  it('remember each agent’s step in its own policy and end its own episode', () => {
    const [pair, single] = [policyOf([2, 0], 1), policyOf([1], 2)]
    const groups = new PolicyGroups('two', [pair, single], { observation, action, global })
    const rows = (width: number) => new Float32Array(3 * width)
    const taken = groups.observeMany({
      ...{ observations: rows(2), actions: rows(2), nextObservations: rows(2), globals: rows(1), nextGlobals: rows(1) },
      rewards: Float32Array.of(1, 2, Number.NaN),
    })
    expect(taken).toBe(2) // nothing is learned from what was not measured
    expect([pair.policy.size, single.policy.size]).toEqual([1, 1])
    groups.endEpisode(1)
    groups.dispose()
  })
})
