// A task that is over in a moment: keep a level near zero; leaving [−0.5, 0.5] is a violation.
import type { Step } from '@trimtab/core'
import { boxSpace } from '@trimtab/learn'
import { type ControlTask, defineTask, type TaskEnvironment, type TaskSafety } from '@trimtab/tasks'

const OBSERVATION = boxSpace(['level'])
const ACTION = boxSpace(['push'])
const STEPS = 10

class Level implements TaskEnvironment {
  readonly observation = OBSERVATION
  readonly action = ACTION
  readonly #drift: number
  readonly #state = new Float64Array(2)

  constructor(drift: number) {
    this.#drift = drift
  }

  reset(seed: number): Float32Array {
    this.#state.set([0.1 * (seed % 3), 0])
    return Float32Array.of(this.#state[0]!)
  }

  step(action: Float32Array): Step {
    const s = this.#state
    s[0] = Math.min(1, Math.max(-1, s[0]! + this.#drift + 0.3 * action[0]!))
    const truncated = ++s[1]! >= STEPS
    const observation = Float32Array.of(s[0]!)
    return { observation, reward: -Math.abs(s[0]!), terminated: false, truncated, info: { off: Math.abs(s[0]!) } }
  }

  save(): Uint8Array {
    return new Uint8Array(this.#state.slice().buffer)
  }

  load(state: Uint8Array): void {
    this.#state.set(new Float64Array(Uint8Array.from(state).buffer))
  }

  dispose(): void {}
}

/** @param safety  none: a task without violations */
export const levelTask = (safety?: TaskSafety): ControlTask<{ readonly drift: number }> =>
  defineTask({
    kind: 'control',
    name: 'level',
    labels: { task: 'Level', spec: 'tank' },
    observation: OBSERVATION,
    action: ACTION,
    episodeSteps: STEPS,
    generate: (_core, number) => ({ drift: 0.02 * (number % 4) }),
    environment: (_core, { drift }) => new Level(drift),
    rules: [
      {
        name: 'proportional',
        label: 'proportional rule',
        create: () => ({ name: 'proportional', decide: ([level], out) => void out.fill(-2 * level!) }),
      },
      { name: 'still', create: () => ({ name: 'still', decide: (_, out) => void out.fill(0) }) },
    ],
    baseLearner: { algorithm: 'ddpg', preset: 'autoscaling', options: { hidden: [8], batchSize: 16, warmUp: 16 } },
    ...(safety && { safety }),
  })

/** As measured: off by more than half. */
export const OFF: TaskSafety = { isViolation: (info) => info.off! > 0.5 }
