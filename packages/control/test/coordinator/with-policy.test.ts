import { createCore } from '@trimtab/core'
import { boxSpace, createPpo, discreteSpace, loadPolicy } from '@trimtab/learn'
import { expect, it } from 'vitest'
import { Team } from './team.js'

const core = await createCore()
const S = 3

/** What an agent of @trimtab/learn saves for serving. */
function trained(seed: number): Uint8Array {
  const observation = boxSpace(['load', 'latency', 'containers'])
  using agent = createPpo(core, { observation, action: discreteSpace('size', 5), seed })
  return agent.savePolicy()
}

it('a thousand agents act by the policy files of their categories, as each would alone, to the bit', async () => {
  const team = new Team()
  const files = [trained(1), trained(2), trained(3)]
  for (const [i, category] of ['cpu', 'memory', 'io'].entries()) await team.hub.models.replace(category, files[i]!, 0)
  using member = await team.joined('a', 1000, { load: (bytes) => loadPolicy(core, bytes, { agents: 256 }) })
  team.beat(member)
  const observations = Float32Array.from({ length: 1000 * S }, (_, i) => ((i * 7919) % 1000) / 100 - 5)
  const actions = new Float32Array(1000)
  expect(new Set(member.decide(observations, actions))).toEqual(new Set([undefined]))
  const policies = files.map((bytes) => loadPolicy(core, bytes))
  const alone = actions.map((_, row) => {
    const action = new Float32Array(1)
    policies[row % 3]!.decide(observations.subarray(row * S, (row + 1) * S), action)
    return action[0]!
  })
  expect(actions).toEqual(alone)
  expect(new Set(alone).size).toBeGreaterThan(1)
  for (const policy of policies) policy.dispose()
})
