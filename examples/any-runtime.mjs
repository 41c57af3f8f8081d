// Usage: node examples/any-runtime.mjs, bun examples/any-runtime.mjs, deno run -A examples/any-runtime.mjs
// The same program prints the same line on each: an agent learns to double what it sees, from 3,000 tries.
import { createCore } from '@trimtab/core'
import { boxSpace, createDdpg } from '@trimtab/learn'

const agent = createDdpg(await createCore(), { observation: boxSpace(['seen']), action: boxSpace(['said']), seed: 1 })
const action = new Float32Array(1)
for (let step = 0; step < 3000; step++) {
  const observation = Float32Array.of(((step * 0.618) % 1) - 0.5)
  agent.explore(observation, action)
  const reward = -Math.abs(action[0] - 2 * observation[0])
  agent.observe({ observation, action, reward, nextObservation: observation, terminated: true })
  agent.update()
  if (step % 50 === 0) agent.endEpisode()
}
const said = [-0.4, 0, 0.4].map((seen) => {
  agent.decide(Float32Array.of(seen), action)
  return action[0]
})
console.log(`says ${said.map((value) => value.toFixed(3)).join(', ')}, in full ${said.join(' ')}`)
