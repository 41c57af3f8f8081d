import { ConfigError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Pass } from './limits.js'
import type { Run } from './types.js'

/** Nothing taken of any limit. */
const NO_PASSES: readonly Pass[] = []

/** One try of a request: what its work is given, and what the scheduler keeps of it while it runs. */
export class JobRun implements Run {
  readonly expectedTokens: number
  readonly attempt: number
  /** What it has taken of the limits. */
  passes: readonly Pass[] = NO_PASSES
  /** What the answer took; 0: nobody said. */
  outputTokens = 0
  isTimedOut = false
  /** Of the request. */
  readonly #signal: AbortSignal | undefined
  /** Of a request with a time limit; else made when somebody looks, so that what listens to it goes with it. */
  #stopper: AbortController | undefined

  constructor(expectedTokens: number, attempt: number, signal: AbortSignal | undefined) {
    this.expectedTokens = expectedTokens
    this.attempt = attempt
    this.#signal = signal
  }

  get signal(): AbortSignal {
    if (!this.#stopper && this.#signal) return this.#signal
    this.#stopper ??= new AbortController()
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

  /** From now on `signal` is aborted by `stop`, and no longer by the request's own. */
  allowStop(): void {
    this.#stopper = new AbortController()
  }

  /** Says stop to work that may be stopped. */
  stop(reason: unknown): void {
    this.#stopper?.abort(reason)
  }
}
