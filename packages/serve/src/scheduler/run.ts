import { ConfigError, type ServingError } from '@trimtab/core'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import type { Pass } from './limits.js'
import type { Run } from './types.js'

/** Nothing taken of any limit. */
const NO_PASSES: readonly Pass[] = []

/** What only those tries have that are limited, or looked at by their work. */
interface Bonds {
  passes: readonly Pass[]
  /** Of a request with a time limit; else made when somebody looks, so that what listens to it goes with it. */
  stopper: AbortController | undefined
  isTimedOut: boolean
}

/**
 * One try of a request: what its work is given, and what the scheduler keeps of it while it runs. It is the only thing that is made
 * while requests are served, so it is small; and its job does not know it, since a new object that an old one points to costs the
 * garbage collector more than the object itself.
 */
export class JobRun<Work> implements Run {
  readonly job: Job<Work>
  /** What the answer took; 0: nobody said. */
  outputTokens = 0
  #bonds: Bonds | undefined

  constructor(job: Job<Work>) {
    this.job = job
  }

  get expectedTokens(): number {
    return this.job.tokens
  }

  get attempt(): number {
    return this.job.attempt
  }

  get signal(): AbortSignal {
    const { signal } = this.job.terms
    if (!this.#bonds?.stopper && signal) return signal
    const bonds = this.#bound()
    bonds.stopper ??= new AbortController()
    return bonds.stopper.signal
  }

  /** Bound: work may take it out of its run. */
  get reportTokens(): (tokens: number) => void {
    return (tokens) => {
      if (!isLength(tokens))
        throw new ConfigError('config_invalid', `an answer's tokens must be a number ≥ 0, got ${tokens}`)
      this.outputTokens = tokens
    }
  }

  /** What it has taken of the limits. */
  get passes(): readonly Pass[] {
    return this.#bonds?.passes ?? NO_PASSES
  }

  set passes(passes: readonly Pass[]) {
    this.#bound().passes = passes
  }

  /** Whether it ran for too long. */
  get isTimedOut(): boolean {
    return this.#bonds?.isTimedOut === true
  }

  /** From now on `signal` is aborted by `stop`, and no longer by the request's own. */
  allowStop(): void {
    this.#bound().stopper = new AbortController()
  }

  /** It has run for too long. */
  timeOut(error: ServingError): void {
    this.#bound().isTimedOut = true
    this.stop(error)
  }

  /** Says stop to work that may be stopped. */
  stop(reason: unknown): void {
    this.#bonds?.stopper?.abort(reason)
  }

  /** The same, bound. */
  get stopper(): (reason: unknown) => void {
    return (reason) => this.stop(reason)
  }

  #bound(): Bonds {
    this.#bonds ??= { passes: NO_PASSES, stopper: undefined, isTimedOut: false }
    return this.#bonds
  }
}
