import { ConfigError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import type { Run } from './types.js'

let never: AbortSignal | undefined

/** The side of a job that its work may see. */
export class JobRun implements Run {
  readonly #job: Job<unknown>
  /** Bound: work may take it out of its run. */
  readonly reportTokens: (tokens: number) => void

  constructor(job: Job<unknown>) {
    this.#job = job
    this.reportTokens = (tokens) => {
      if (!isLength(tokens))
        throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
      job.outputTokens = tokens
    }
  }

  get signal(): AbortSignal {
    never ??= new AbortController().signal
    return this.#job.signal ?? never
  }
}
