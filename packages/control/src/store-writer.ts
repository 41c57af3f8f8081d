import type { Logger, TrajectoryStep, TrajectoryStore } from '@trimtab/core'
import { answerOf } from './answer.js'
import type { Sleep } from './sleep.js'

const MAX_PENDING = 10_000 // writes that a store may owe: some megabytes
const PATIENCE_MS = 1000 // for one write, before the loop goes on without waiting

/** Hands steps to a store that may fail, be slow, or never answer: it is counted and said once, and the loop goes on. */
export class StoreWriter {
  readonly #store: TrajectoryStore
  readonly #sleep: Sleep
  readonly #logger: Logger | undefined
  #pending = 0
  #last: Promise<void> | undefined
  #isStuck = false
  #failures = 0

  constructor(store: TrajectoryStore, sleep: Sleep, logger: Logger | undefined) {
    this.#store = store
    this.#sleep = sleep
    this.#logger = logger
  }

  /** Steps that were not recorded. */
  get failures(): number {
    return this.#failures
  }

  append(step: TrajectoryStep): void {
    if (this.#pending >= MAX_PENDING) {
      this.#fail(new Error(`the store owes answers to ${MAX_PENDING} writes`))
      return
    }
    try {
      const write = this.#store.append(step)
      if (write === undefined) return
      this.#pending++
      this.#last = write.then(
        () => this.#settle(),
        (failure: unknown) => {
          this.#settle()
          this.#fail(failure)
        },
      )
    } catch (failure) {
      this.#fail(failure)
    }
  }

  /** Waits for the last write, but not past the signals, and a store that has let it wait once is not waited for until it answers. */
  async settled(signals: readonly (AbortSignal | undefined)[]): Promise<void> {
    const last = this.#last
    if (last === undefined || this.#pending === 0 || this.#isStuck) return
    const patience = new AbortController()
    const lose = this.#sleep(PATIENCE_MS, patience.signal).then(() => {
      if (!patience.signal.aborted) this.#isStuck = this.#pending > 0
    })
    await answerOf(() => Promise.race([last, lose]), signals).catch(() => {}) // aborted: the loop sees it by itself
    patience.abort()
    if (this.#isStuck) this.#logger?.warn('trajectory store does not answer; the loop no longer waits for it')
  }

  #settle(): void {
    this.#pending--
    this.#isStuck = false
  }

  #fail(failure: unknown): void {
    if (this.#failures++ > 0) return
    this.#logger?.error('trajectory store failed; the loop goes on without recording', { failure })
  }
}
