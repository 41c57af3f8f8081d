import type { Terms } from './terms.js'

/** No class was predicted. */
export const NO_CLASS = -1
/** The job is not in the ready queue. */
export const NO_TICKET = -1

/** One request from `add` to its end. A hundred thousand may wait: it is kept small. */
export class Job<Work> {
  /** What to do: a function, or an input of a batch. */
  readonly work: Work
  readonly terms: Terms
  readonly resolve: (result: never) => void
  readonly reject: (reason: unknown) => void
  readonly arrivalMs: number
  /** Which try it is: 1 the first. */
  attempt = 1
  /** How long its answer is held to be. */
  tokens = 0
  /** Served in order of arrival among its like, whatever it takes. */
  isFirstCome = false
  /** 0…4, or NO_CLASS. */
  predictedClass: number = NO_CLASS
  // Kept by ReadyJobs: where the job stands, and for how much it was counted.
  isWaiting = false
  lane = 0
  ticket: number = NO_TICKET
  tenantNumber = 0
  place = 0
  weight = 0
  agedTokens = 0
  /** Neighbours among the waiting, in order of arrival. */
  older: Job<Work> | undefined = undefined
  newer: Job<Work> | undefined = undefined
  /** Undoes what keeps an eye on it: the listener of its signal; the timer of its deadline, time limit or next try. */
  stopListening: (() => void) | undefined = undefined
  stopTimer: (() => void) | undefined = undefined
  /** Tells the try that runs to stop; where there is a signal. */
  stopRun: ((reason: unknown) => void) | undefined = undefined

  constructor(
    work: Work,
    terms: Terms,
    arrivalMs: number,
    resolve: (result: never) => void,
    reject: (reason: unknown) => void,
  ) {
    this.work = work
    this.terms = terms
    this.resolve = resolve
    this.reject = reject
    this.arrivalMs = arrivalMs
  }

  /** What it holds while it runs, as expected: the prompt and the answer. */
  get heldTokens(): number {
    return this.terms.promptTokens + this.tokens
  }
}
