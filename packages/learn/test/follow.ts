import type { Core, Environment, Step } from '@trimtab/core'
import { boxSpace, type Ddpg } from '../src/index.js'

const STEPS = 50

/**
 * A toy of autoscaling: demand is a wave, capacity moves by half of the action, the reward of a step is 1 − |demand − capacity|.
 * Standing still earns 1 − 2·0.6/π = 0.62 a step; who follows the wave earns nearly 1.
 */
export class Follow implements Environment {
  readonly observation = boxSpace(['demand', 'rise', 'capacity'])
  readonly action = boxSpace(['change'])
  readonly #core: Core
  #phase = 0
  #step = 0
  #capacity = 0

  constructor(core: Core) {
    this.#core = core
  }

  reset(seed: number): Float32Array {
    this.#phase = (seed * 0.7) % 6.28
    this.#step = 0
    this.#capacity = 0
    return this.#observe()
  }

  step(action: Float32Array): Step {
    this.#step += 1
    this.#capacity = Math.min(1, Math.max(-1, this.#capacity + 0.5 * action[0]!))
    const reward = 1 - Math.abs(this.#demand(this.#step) - this.#capacity)
    return { observation: this.#observe(), reward, terminated: false, truncated: this.#step === STEPS, info: {} }
  }

  save(): Uint8Array {
    return new Uint8Array(Float64Array.of(this.#phase, this.#step, this.#capacity).buffer)
  }

  load(state: Uint8Array): void {
    const [phase, step, capacity] = new Float64Array(state.slice().buffer) as unknown as [number, number, number]
    this.#phase = phase
    this.#step = step
    this.#capacity = capacity
  }

  #demand(step: number): number {
    return 0.6 * this.#core.math.sin(this.#phase + step * 0.25)
  }

  #observe(): Float32Array {
    const now = this.#demand(this.#step)
    return Float32Array.of(now, 4 * (now - this.#demand(this.#step - 1)), this.#capacity)
  }
}

/** Learns for some episodes, whose numbers seed the environment. */
export function train(environment: Environment, agent: Ddpg, from: number, to: number): void {
  const action = new Float32Array(environment.action.names.length)
  for (let episode = from; episode < to; episode++) {
    let observation = environment.reset(episode)
    for (let truncated = false; !truncated; ) {
      agent.explore(observation, action)
      const step = environment.step(action)
      agent.observe({
        observation,
        action,
        reward: step.reward,
        nextObservation: step.observation,
        terminated: step.terminated,
      })
      agent.update()
      observation = step.observation
      truncated = step.truncated
    }
    agent.endEpisode()
  }
}

/** Mean reward per step over ten episodes that nobody learned from. */
export function judge(
  environment: Environment,
  decide: (observation: Float32Array, out: Float32Array) => void,
): number {
  const action = new Float32Array(environment.action.names.length)
  let sum = 0
  for (let episode = 0; episode < 10; episode++) {
    let observation = environment.reset(1000.3 + episode)
    for (let truncated = false; !truncated; ) {
      decide(observation, action)
      const step = environment.step(action)
      sum += step.reward
      observation = step.observation
      truncated = step.truncated
    }
  }
  return sum / (10 * STEPS)
}
