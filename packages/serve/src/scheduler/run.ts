import { ConfigError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import type { Run } from './types.js'

/** The side of a job that its work may see. */
export class JobRun implements Run {
  readonly #job: Job<unknown>
  /** Bound: work may take it out of its run. */
  readonly reportTokens: (tokens: number) => void
  /** Of a job without a signal. Its own: what listens to it goes with it. */
  #never: AbortSignal | undefined

  constructor(job: Job<unknown>) {
    this.#job = job
    this.reportTokens = (tokens) => {
      if (!isLength(tokens))
        throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
      job.outputTokens = tokens
    }
  }

  get expectedTokens(): number {
    return this.#job.tokens
  }

  get attempt(): number {
    return this.#job.attempt
  }

  get signal(): AbortSignal {
    const { stopper, signal } = this.#job
    if (stopper) return stopper.signal
    if (signal) return signal
    this.#never ??= new AbortController().signal
    return this.#never
  }
}
