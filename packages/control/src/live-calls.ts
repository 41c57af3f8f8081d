import { AdapterError } from '@trimtab/core'
import { answerOf, promiseOf } from './answer.js'

/** What ends a wait for a live system. */
export interface LiveCallsOptions {
  /** Either of them ends every wait. */
  readonly signals: readonly (AbortSignal | undefined)[]
  /** Made anew for each call: it is given up when this aborts. */
  readonly deadline: (() => AbortSignal) | undefined
}

/**
 * Asks a live system one thing at a time. A call that was given up at its deadline may still be at work there, so the next one is
 * sent only when it has come back: two steps in flight would actuate in an order that nobody chose.
 */
export class LiveCalls {
  readonly #options: LiveCallsOptions
  #deadline: AbortSignal | undefined
  #unanswered: Promise<void> | undefined
  #heldBack = 0

  constructor(options: LiveCallsOptions) {
    this.#options = options
  }

  /** The last call was given up because its deadline had passed. */
  get isTooLate(): boolean {
    return this.#deadline?.aborted === true
  }

  /** Calls that were not sent because an earlier one had not come back. */
  get heldBack(): number {
    return this.#heldBack
  }

  /**
   * Sends `call`, after the one before it has come back, and awaits its answer until the deadline.
   * @throws {AdapterError} `step_held_back`: the one before it did not come back in time, nothing was sent; what the system says;
   *   the reason of the signal that ended the wait
   */
  async ask<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#deadline = this.#options.deadline?.()
    const signals = [...this.#options.signals, this.#deadline]
    const before = this.#unanswered
    if (before !== undefined) await answerOf(() => before, signals).catch((reason: unknown) => this.#holdBack(reason))
    return answerOf((signal) => this.#send(call, signal), signals)
  }

  #send<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const answer = promiseOf(call, signal)
    const settled = () => {
      this.#unanswered = undefined
    }
    this.#unanswered = answer.then(settled, settled)
    return answer
  }

  #holdBack(reason: unknown): never {
    if (!this.isTooLate) throw reason
    this.#heldBack++
    throw new AdapterError(
      'step_held_back',
      'the last call to the environment has not come back although its signal was aborted; nothing further is sent until it has (let step and reset obey their signal)',
      { cause: reason },
    )
  }
}
