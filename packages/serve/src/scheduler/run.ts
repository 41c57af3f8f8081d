import { ConfigError } from '@trimtab/core'
import type { Job } from './job.js'
import type { Run } from './types.js'

let never: AbortSignal | undefined

/** The side of a job that its work may see. */
export class JobRun implements Run {
  readonly #job: Job<unknown>

  constructor(job: Job<unknown>) {
    this.#job = job
  }

  get signal(): AbortSignal {
    never ??= new AbortController().signal
    return this.#job.signal ?? never
  }

  reportTokens(tokens: number): void {
    if (!(tokens >= 0 && Number.isFinite(tokens)))
      throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
    this.#job.outputTokens = tokens
  }
}
