// Usage: npx tsx examples/train-your-own.ts (or node, from 23.6 on)
// The same in strict TypeScript, with an action that is a number: a heater keeps a room at 20 °C against the weather.
import { createCore, Random, type Step } from '@trimtab/core'
import { boxSpace, createDdpg, evaluate, type TrainingEnvironment, train } from '@trimtab/learn'

const core = await createCore()

class Room implements TrainingEnvironment {
  readonly observation = boxSpace(['tooWarm', 'outside'], -3, 3)
  readonly action = boxSpace(['heating'])
  readonly #random = new Random(core, 1)
  #inside = 20
  #outside = 5
  #steps = 0

  reset(seed: number): Float32Array {
    this.#random.reseed(seed, 1)
    this.#inside = 15 + 10 * this.#random.uniform()
    this.#steps = 0
    return this.#see()
  }

  step(action: Float32Array): Step {
    this.#outside = 5 + 10 * (this.#random.uniform() - 0.5)
    this.#inside += 0.2 * (this.#outside - this.#inside) + 3 * (1 + action[0]!)
    const reward = 1 - Math.min(1, Math.abs(this.#inside - 20) / 5)
    return { observation: this.#see(), reward, terminated: false, truncated: ++this.#steps === 50, info: {} }
  }

  #see = (): Float32Array => Float32Array.of((this.#inside - 20) / 5, (this.#outside - 5) / 5)
}

const room = new Room()
const agent = createDdpg(core, { observation: room.observation, action: room.action, seed: 1 })
train(agent, room, { episodes: 120 }) // of 50 steps; the first 30 only watch and fill the memory
const always: Parameters<typeof evaluate>[0] = { name: 'half heat', decide: (_observation, out) => void out.fill(0) }
for (const controller of [always, agent]) {
  const { mean, deviation } = evaluate(controller, room)
  console.log(
    `${controller === agent ? 'learned' : controller.name}: ${mean.toFixed(1)} ± ${deviation.toFixed(1)} of 50`,
  )
}
