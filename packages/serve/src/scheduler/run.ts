import { ConfigError, type ServingError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import type { Pass } from './limits.js'
import type { Run } from './types.js'

/** Nothing taken of any limit. */
const NO_PASSES: readonly Pass[] = []

/** Stops a try. */
class Stopper extends AbortController {
  isTimedOut = false
}

/**
 * One try of a request: what its work is given, and what the scheduler keeps of it while it runs. It knows its job, which does not
 * know it: a new object that an old one points to costs the garbage collector more than the object itself.
 */
export class JobRun<Work> implements Run {
  readonly job: Job<Work>
  readonly attempt: number
  /** What it has taken of the limits. */
  passes: readonly Pass[] = NO_PASSES
  /** What the answer took; 0: nobody said. */
  outputTokens = 0
  /** Of a request with a time limit; else made when somebody looks, so that what listens to it goes with it. */
  #stopper: Stopper | undefined

  constructor(job: Job<Work>) {
    this.job = job
    this.attempt = job.attempt
  }

  get expectedTokens(): number {
    return this.job.tokens
  }

  get signal(): AbortSignal {
    const { signal } = this.job.terms
    if (!this.#stopper && signal) return signal
    this.#stopper ??= new Stopper()
    return this.#stopper.signal
  }

  /** Bound: work may take it out of its run. */
  get reportTokens(): (tokens: number) => void {
    return (tokens) => {
      if (!isLength(tokens))
        throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
      this.outputTokens = tokens
    }
  }

  /** Whether it ran for too long. */
  get isTimedOut(): boolean {
    return this.#stopper?.isTimedOut === true
  }

  /** From now on `signal` is aborted by `stop`, and no longer by the request's own. */
  allowStop(): void {
    this.#stopper = new Stopper()
  }

  /** It has run for too long. */
  timeOut(error: ServingError): void {
    this.#stopper!.isTimedOut = true
    this.stop(error)
  }

  /** Says stop to work that may be stopped. */
  stop(reason: unknown): void {
    this.#stopper?.abort(reason)
  }

  /** The same, bound. */
  get stopper(): (reason: unknown) => void {
    return (reason) => this.stop(reason)
  }
}
