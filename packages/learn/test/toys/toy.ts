import type { Controller, Environment, Space, Step } from '@trimtab/core'

/** A small world whose best return is known: what a learner has to find. */
export interface Toy {
  readonly name: string
  readonly environment: Environment
  /** Acts as well as can be, or says what that earns where no controller is needed. */
  readonly best: Controller
  /** Acts as if nothing were there to be done. */
  readonly idle: Controller
}

/** Uniform in [0, 1): the i-th number of a seed's stream (mulberry32). */
export function uniformOf(seed: number, i: number): number {
  let t = (Math.imul(seed, 0x9e3779b1) + Math.imul(i + 1, 0x6d2b79f5)) | 0
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** What differs between two toys; `WithSteps` counts and cuts the episode. */
export interface World {
  readonly observation: Space
  readonly action: Space
  /** Steps of an episode. */
  readonly steps: number
  /** Does a bandit's episode end by itself? A time limit cuts the others. */
  readonly isTerminal?: boolean
  /** The state an episode starts in. */
  start(seed: number): number[]
  /** What is seen of a state. */
  see(state: readonly number[]): readonly number[]
  /** The state that follows and the reward of the step; `draw` is a uniform number of this step. */
  move(state: readonly number[], action: number, draw: number): { readonly state: number[]; readonly reward: number }
}

/** A world as an environment: resettable, deterministic by seed, savable. */
export class ToyEnvironment implements Environment {
  readonly observation: Space
  readonly action: Space
  readonly #world: World
  #seed = 0
  #step = 0
  #state: number[] = []

  constructor(world: World) {
    this.#world = world
    this.observation = world.observation
    this.action = world.action
  }

  reset(seed: number): Float32Array {
    this.#seed = seed
    this.#step = 0
    this.#state = this.#world.start(seed)
    return Float32Array.from(this.#world.see(this.#state))
  }

  step(action: Float32Array): Step {
    const { steps, isTerminal = false } = this.#world
    const { state, reward } = this.#world.move(this.#state, action[0]!, uniformOf(this.#seed, 100 + this.#step))
    this.#state = state
    this.#step++
    const isOver = this.#step === steps
    return {
      observation: Float32Array.from(this.#world.see(state)),
      reward,
      terminated: isOver && isTerminal,
      truncated: isOver && !isTerminal,
      info: {},
    }
  }

  save(): Uint8Array {
    return new Uint8Array(Float64Array.of(this.#seed, this.#step, ...this.#state).buffer)
  }

  load(bytes: Uint8Array): void {
    const [seed, step, ...state] = new Float64Array(bytes.slice().buffer)
    this.#seed = seed!
    this.#step = step!
    this.#state = state
  }
}

/** A controller of one number that a function of the observation gives. */
export const acting = (name: string, decide: (observation: Float32Array) => number): Controller => ({
  name,
  decide(observation, out) {
    out[0] = decide(observation)
  },
})
