import { type Core, type Environment, Random, type Step } from '@trimtab/core'
import { boxSpace } from '../../src/index.js'

/** Pays 1 − |action − target|; the state is noise, so that only rewards tell where the target lies. Episodes of twenty steps. */
export class HiddenTarget implements Environment {
  readonly observation = boxSpace(['noise'])
  readonly action = boxSpace(['aim'])
  readonly #target: number
  readonly #random: Random
  #steps = 0

  constructor(core: Core, target: number) {
    this.#target = target
    this.#random = new Random(core, 0)
  }

  reset(seed: number): Float32Array {
    this.#random.reseed(seed)
    this.#steps = 0
    return this.#observe()
  }

  step(action: Float32Array): Step {
    this.#steps++
    return {
      observation: this.#observe(),
      reward: 1 - Math.abs(action[0]! - this.#target),
      terminated: false,
      truncated: this.#steps >= 20,
      info: {},
    }
  }

  save(): Uint8Array {
    return this.#random.save()
  }

  load(state: Uint8Array): void {
    this.#random.load(state)
  }

  #observe(): Float32Array {
    return Float32Array.of(2 * this.#random.uniform() - 1)
  }
}
