import { ConfigError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import type { Run } from './types.js'

/** The side of a job that its work may see. */
export class JobRun implements Run {
  readonly #job: Job<unknown>
  /** Of a job without a signal. Its own: what listens to it goes with it. */
  #never: AbortSignal | undefined

  constructor(job: Job<unknown>) {
    this.#job = job
  }

  get expectedTokens(): number {
    return this.#job.tokens
  }

  get attempt(): number {
    return this.#job.attempt
  }

  get signal(): AbortSignal {
    const { stopper, terms } = this.#job
    if (stopper) return stopper.signal
    if (terms.signal) return terms.signal
    this.#never ??= new AbortController().signal
    return this.#never
  }

  /** Bound: work may take it out of its run. */
  get reportTokens(): (tokens: number) => void {
    const job = this.#job
    return (tokens) => {
      if (!isLength(tokens))
        throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
      job.outputTokens = tokens
    }
  }
}
