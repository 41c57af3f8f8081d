import { type Controller, FormatError, type ParallelEnvironment, type ParallelStep } from '@trimtab/core'
import { boxSpace, headsSpace } from '../../src/index.js'
import { uniformOf } from '../toys/toy.js'

const STEPS = 20

/**
 * Agents that make two choices each at once: which third of −1 … 1 their goal is in, and which side of 0 another one is on. Each right
 * choice pays a half. A weather that comes and goes with the episode adds to everybody's reward, and only a critic sees it.
 */
export class Crossing implements ParallelEnvironment {
  readonly observation = boxSpace(['goal', 'side'])
  readonly action = headsSpace({ third: 3, side: 2 })
  readonly global = boxSpace(['weather'])
  readonly agents: number
  #seed = 0
  #step = 0

  constructor(agents = 6) {
    this.agents = agents
  }

  reset(seed: number): ParallelStep {
    this.#seed = seed
    this.#step = 0
    return this.#answer(new Float32Array(this.agents))
  }

  step(actions: Float32Array): ParallelStep {
    const rewards = Float32Array.from({ length: this.agents }, (_, i) => {
      const [third, side] = bestOf(this.#see(i))
      return (Number(actions[2 * i] === third) + Number(actions[2 * i + 1] === side)) / 2 + this.#weather
    })
    this.#step++
    return this.#answer(rewards)
  }

  save(): Uint8Array {
    return new Uint8Array(Float64Array.of(this.#seed, this.#step).buffer)
  }

  load(state: Uint8Array): void {
    if (state.length !== 16) throw new FormatError('state_invalid', 'not a crossing')
    const [seed, step] = new Float64Array(state.slice().buffer)
    this.#seed = seed!
    this.#step = step!
  }

  /** Each episode's own, mean 0. */
  get #weather(): number {
    return uniformOf(this.#seed, 0) - 0.5
  }

  #see(agent: number): Float32Array {
    const at = 2 * (this.#step * this.agents + agent) + 1
    return Float32Array.of(2 * uniformOf(this.#seed, at) - 1, 2 * uniformOf(this.#seed, at + 1) - 1)
  }

  #answer(rewards: Float32Array): ParallelStep {
    const observations = new Float32Array(2 * this.agents)
    for (let i = 0; i < this.agents; i++) observations.set(this.#see(i), 2 * i)
    const globals = new Float32Array(this.agents).fill(this.#weather)
    return { observations, globals, rewards, truncated: this.#step === STEPS, info: {} }
  }
}

const bestOf = (observation: Float32Array): [third: number, side: number] => [
  Math.min(2, Math.floor((observation[0]! + 1) * 1.5)),
  Number(observation[1]! > 0),
]

/** Earns 1 a step. */
export const best = (): Controller => ({
  name: 'best',
  decide: (observation, out) => out.set(bestOf(observation)),
})

/** Never takes the other side: earns ¾ a step. */
export const oneSided = (): Controller => ({
  name: 'one-sided',
  decide: (observation, out) => out.set([bestOf(observation)[0], 0]),
})
