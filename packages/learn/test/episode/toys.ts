// Tiny worlds and pilots for the tests: everything in them can be worked out by hand.
import type { Clock, Controller, Environment, Space, Step, StepInfo, Transition } from '@trimtab/core'
import type { Decider, EpisodeSummary, Pilot, Stage } from '../../src/index.js'

export const box = (names: string[], low: number, high: number): Space => ({
  names,
  low: Float64Array.from(names, () => low),
  high: Float64Array.from(names, () => high),
  kind: 'box',
})

export class FakeClock implements Clock {
  nowMs = 0
  now(): number {
    return this.nowMs
  }
}

/** A water tank: the action lets water in, a leak lets a seeded amount out; reward 1 − |level − 0.5|. One buffer for all observations. */
export class Tank implements Environment {
  readonly observation: Space = box(['level'], 0, 1)
  readonly action: Space = box(['inflow'], 0, 0.4)
  readonly #seen = new Float32Array(1)
  #level = 0.5
  #seed = 0

  reset(seed: number): Float32Array {
    this.#seed = seed
    this.#level = 0.5
    return this.#see()
  }

  step(action: Float32Array): Step {
    this.#seed = (this.#seed * 75 + 74) % 65537 // a small linear congruence: reproducible, no more
    this.#level = Math.min(1, Math.max(0, this.#level + action[0]! - (0.4 * this.#seed) / 65537))
    return {
      observation: this.#see(),
      reward: 1 - Math.abs(this.#level - 0.5),
      terminated: false,
      truncated: false,
      info: { level: this.#level },
    }
  }

  save(): Uint8Array {
    return new Uint8Array(new Float64Array([this.#level, this.#seed]).buffer)
  }

  load(state: Uint8Array): void {
    const [level, seed] = new Float64Array(state.slice().buffer)
    this.#level = level!
    this.#seed = seed!
  }

  #see(): Float32Array {
    this.#seen[0] = this.#level
    return this.#seen
  }
}

export interface ScriptedStep {
  readonly observation?: readonly number[]
  readonly reward?: number
  readonly terminated?: boolean
  readonly observedAtMs?: number
}

/** Answers whatever the script says, whatever is done. The first line is the answer to `reset`. */
export class Scripted implements Environment {
  readonly observation: Space
  readonly action: Space
  readonly applied: number[][] = []
  readonly #script: readonly ScriptedStep[]
  #line = 0

  constructor(script: readonly ScriptedStep[], observation = box(['load'], 0, 100), action = box(['limit'], 0, 10)) {
    this.#script = script
    this.observation = observation
    this.action = action
  }

  reset(): Float32Array {
    this.#line = 0
    return Float32Array.from(this.#script[0]!.observation ?? [1])
  }

  step(action: Float32Array): Step {
    this.applied.push([...action])
    const { observation = [1], reward = 1, terminated = false, observedAtMs } = this.#script[++this.#line] ?? {}
    const truncated = !terminated && this.#line >= this.#script.length - 1
    const info: StepInfo = observedAtMs === undefined ? {} : { observedAtMs }
    return { observation: Float32Array.from(observation), reward, terminated, truncated, info }
  }

  save(): Uint8Array {
    return Uint8Array.of(this.#line)
  }

  load(state: Uint8Array): void {
    this.#line = state[0]!
  }
}

/** A controller of one coordinate, from what it does. */
export const controller = (policy: (observation: Float32Array) => number): Controller => ({
  name: 'test',
  decide: (observation, out) => void out.fill(policy(observation)),
})

export const constant = (value: number, name = 'constant'): Controller => ({
  name,
  decide(_observation, out) {
    out.fill(value)
  },
})

export const answersNothing: Controller = {
  name: 'nothing',
  decide(_observation, out) {
    out.fill(Number.NaN)
  },
}

/** Follows `policy`, and remembers everything it was shown. */
export class RecordingPilot implements Pilot {
  stage: Stage = 'online'
  readonly rule: Controller
  readonly decidedOn: number[][] = []
  readonly learned: Transition[] = []
  readonly episodes: EpisodeSummary[] = []
  readonly #policy: (observation: Float32Array, out: Float32Array) => void

  constructor(policy: number | ((observation: Float32Array, out: Float32Array) => void), rule: Controller) {
    this.#policy = typeof policy === 'number' ? (_observation, out) => void out.fill(policy) : policy
    this.rule = rule
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    this.decidedOn.push([...observation])
    this.#policy(observation, out)
    return 'agent'
  }

  observe(t: Transition): void {
    this.learned.push({
      ...t,
      observation: t.observation.slice(),
      action: t.action.slice(),
      nextObservation: t.nextObservation.slice(),
    })
  }

  endEpisode(summary: EpisodeSummary): void {
    this.episodes.push(summary)
  }
}
