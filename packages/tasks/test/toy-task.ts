// The smallest task of control: walk to a hidden place on a line.
import { ConfigError, type Core, type Step } from '@trimtab/core'
import { boxSpace } from '@trimtab/learn'
import { AUTOSCALING_DDPG } from '../src/autoscaling/index.js'
import type { ControlTaskDefinition, TaskEnvironment } from '../src/index.js'

export interface Place {
  readonly target: number
}

const OBSERVATION = boxSpace(['position'])
const ACTION = boxSpace(['step'])
const STEPS = 10

class Line implements TaskEnvironment {
  readonly observation = OBSERVATION
  readonly action = ACTION
  readonly #target: number
  #position = 0
  #steps = 0

  constructor({ target }: Place) {
    this.#target = target
  }

  reset(): Float32Array {
    this.#position = 0
    this.#steps = 0
    return Float32Array.of(0)
  }

  step(action: Float32Array): Step {
    this.#position += 0.1 * action[0]!
    const miss = Math.abs(this.#position - this.#target)
    const observation = Float32Array.of(this.#position)
    return {
      ...{ observation, reward: -miss, terminated: false, truncated: ++this.#steps >= STEPS },
      info: { far: miss > 0.5 ? 1 : 0 },
    }
  }

  save(): Uint8Array {
    return new Uint8Array(Float64Array.of(this.#position, this.#steps).buffer)
  }

  load(state: Uint8Array): void {
    const [position = 0, steps = 0] = new Float64Array(Uint8Array.from(state).buffer)
    this.#position = position
    this.#steps = steps
  }

  dispose(): void {}
}

/** A definition in which nothing is wrong. */
export const toyDefinition = (): ControlTaskDefinition<Place> => ({
  kind: 'control',
  name: 'line-walk',
  observation: OBSERVATION,
  action: ACTION,
  episodeSteps: STEPS,
  generate: (_core: Core, number: number) => ({ target: (number % 5) / 5 }),
  environment(_core: Core, spec: Place) {
    if (!Number.isFinite(spec?.target)) throw new ConfigError('config_invalid', 'target must be a number')
    return new Line(spec)
  },
  rules: [{ name: 'still', create: () => ({ name: 'still', decide: (_, out) => void out.fill(0) }) }],
  baseLearner: { algorithm: 'ddpg', ...AUTOSCALING_DDPG, options: { ...AUTOSCALING_DDPG.options } },
  safety: { isViolation: (info) => info.far === 1, safeDirection: [1] },
})
