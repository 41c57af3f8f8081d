// The worlds and pilots of the episode's own tests, and what only a loop in production meets.
import type { LiveEnvironment, Logger, Space, Step } from '@trimtab/core'
import { box } from '../../learn/test/episode/toys.js'

export * from '../../learn/test/episode/toys.js'

export class RecordingLogger implements Logger {
  readonly lines: string[] = []
  debug(message: string): void {
    this.lines.push(`debug ${message}`)
  }
  info(message: string): void {
    this.lines.push(`info ${message}`)
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`)
  }
  error(message: string): void {
    this.lines.push(`error ${message}`)
  }
}

/** A live system made of promises the test supplies, one for each step; `reset` answers `start`. */
export class Live implements LiveEnvironment {
  readonly observation: Space = box(['load'], 0, 100)
  readonly action: Space = box(['limit'], 0, 10)
  readonly applied: number[] = []
  resets = 0
  readonly #answers: ((signal: AbortSignal) => Promise<Step>)[]
  readonly #onReset: () => Promise<Float32Array>

  constructor(
    answers: ((signal: AbortSignal) => Promise<Step>)[],
    onReset = (): Promise<Float32Array> => Promise.resolve(Float32Array.of(1)),
  ) {
    this.#answers = answers
    this.#onReset = onReset
  }

  reset(): Promise<Float32Array> {
    this.resets++
    return this.#onReset()
  }

  step(action: Float32Array, signal?: AbortSignal): Promise<Step> {
    this.applied.push(action[0]!)
    const answer = this.#answers.shift()
    if (answer === undefined) throw new Error('the script of the live system is over')
    return answer(signal!)
  }
}

export const stepOf = (observation: number, reward = 1): Step => ({
  observation: Float32Array.of(observation),
  reward,
  terminated: false,
  truncated: false,
  info: {},
})

export const answers =
  (observation: number, reward = 1): (() => Promise<Step>) =>
  () =>
    Promise.resolve(stepOf(observation, reward))
