import { ConfigError, Problems, ServingError } from '@trimtab/core'
import { isLength, WAITING } from './checks.js'
import { Listeners, type SchedulerEvents, type SchedulerListener } from './events.js'
import { Job } from './job.js'
import type { JobRun } from './run.js'
import type { SchedulerStats } from './statistics.js'
import { termsOf } from './terms.js'
import type { AddOptions, Retry, WaitingOptions } from './types.js'
import { WaitingLine } from './waiting-line.js'

/** How many run together, and how the others wait. */
export interface SlotOptions extends WaitingOptions {
  /** Slots: how many functions, or batches, run at the same time. 1 … Infinity. */
  readonly concurrency: number
}

interface Waiter {
  isMet(): boolean
  resolve(): void
}

/** Those of the promise made last: for a function of its own, each request would leave more garbage than it keeps. */
const settlers: { resolve: (result: never) => void; reject: (reason: unknown) => void } = {
  resolve() {},
  reject() {},
}
function keepSettlers(resolve: (result: never) => void, reject: (reason: unknown) => void): void {
  settlers.resolve = resolve
  settlers.reject = reject
}

/** What every scheduler is: requests that wait, slots that they run in, and p-queue's words for both. */
export abstract class Slots<Work> {
  protected readonly line: WaitingLine<Work>
  readonly #listeners = new Listeners()
  readonly #timeoutMs: number | undefined
  readonly #retry: Retry | undefined
  #concurrency: number
  #occupied = 0
  #running = 0
  #finished = 0
  #failed = 0
  #timedOut = 0
  #isPaused = false
  #isFilling = false
  #isDisposed = false
  /** Since the last time that this was told: nothing was added. */
  #isEmpty = true
  #isIdle = true
  #waiters: Waiter[] = []

  /**
   * @param ownOptions  names of the options that the subclass has beside these
   * @throws {ConfigError} `config_invalid`
   */
  constructor(options: SlotOptions, ownOptions: readonly string[] = []) {
    const { timeoutMs } = options
    const problems = new Problems()
    problems.checkKeys(options, [...WAITING, 'concurrency', ...ownOptions], 'options')
    problems.check(timeoutMs === undefined || isLength(timeoutMs), `timeoutMs must be a number ≥ 0, got ${timeoutMs}`)
    problems.throwIfAny('scheduler')
    this.#concurrency = checkConcurrency(options.concurrency)
    this.#timeoutMs = timeoutMs
    this.#retry = options.retry
    this.line = new WaitingLine(options, () => this.fill())
  }

  /** Requests that wait. */
  get size(): number {
    return this.line.size
  }

  /** Requests that run. */
  get pending(): number {
    return this.#running
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get concurrency(): number {
    return this.#concurrency
  }

  /** What runs stays; fewer slots are fewer from the next end on. */
  set concurrency(concurrency: number) {
    this.#concurrency = checkConcurrency(concurrency)
    this.fill()
  }

  /** Starts nothing more until `start`. */
  pause(): void {
    this.#isPaused = true
  }

  start(): this {
    this.#isPaused = false
    this.fill()
    return this
  }

  /** Gives up all that wait: their promises reject with `queue_cleared`. What runs goes on. */
  clear(): void {
    this.line.clear()
  }

  /** Calls `listener` from now on, each time; `off` ends that. */
  on<Name extends keyof SchedulerEvents>(event: Name, listener: SchedulerListener<Name>): this {
    this.#listeners.add(event, listener)
    return this
  }

  off<Name extends keyof SchedulerEvents>(event: Name, listener: SchedulerListener<Name>): this {
    this.#listeners.remove(event, listener)
    return this
  }

  /** When fewer than `limit` wait. */
  onSizeLessThan(limit: number): Promise<void> {
    return this.#when(() => this.size < limit)
  }

  /** When none waits. */
  onEmpty(): Promise<void> {
    return this.onSizeLessThan(1)
  }

  /** When none waits and none runs. */
  onIdle(): Promise<void> {
    return this.#when(() => this.size === 0 && this.#running === 0)
  }

  stats(): SchedulerStats {
    return this.line.stats({
      ...{ running: this.#running, finished: this.#finished, failed: this.#failed, timedOut: this.#timedOut },
    })
  }

  /** Clears, and gives the queue's memory back as soon as nothing runs. */
  dispose(): void {
    this.#isDisposed = true
    this.clear()
    if (this.#running === 0) this.line.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Takes what the line has next into a free slot; false when nothing may start now. */
  protected abstract startNext(): boolean

  protected enter<Result>(work: Work, options: AddOptions): Promise<Result> {
    const promise = new Promise<Result>(keepSettlers)
    const { resolve, reject } = settlers
    try {
      if (this.#isDisposed)
        throw new ServingError('scheduler_disposed', 'this scheduler was disposed: make another one')
      this.line.enter(new Job(work, termsOf(options), this.line.clock.now(), resolve, reject), options)
      this.#isEmpty = false
      this.#isIdle = false
      this.#listeners.tell('add')
      if (this.#mayStart()) this.fill()
    } catch (error) {
      reject(error)
    }
    return promise
  }

  /** Starts whatever may start. Work that ends or adds at once does not nest: the loop sees it. */
  protected fill(): void {
    if (this.#isFilling) return
    this.#isFilling = true
    try {
      while (this.#mayStart() && this.startNext()) {}
    } finally {
      this.#isFilling = false
    }
    this.#wake()
  }

  /** One slot is taken. */
  protected occupy(): void {
    this.#occupied++
  }

  /** A try runs, in a slot that was taken. */
  protected begin(run: JobRun<Work>): void {
    this.#running++
    const timeoutMs = run.job.terms.timeoutMs ?? this.#timeoutMs
    if (timeoutMs !== undefined) this.#limitTime(run, timeoutMs)
    this.#listeners.tell('active')
  }

  /** What was run for a request has ended; its slot is not free yet. */
  protected settle(run: JobRun<Work>, hasWorked: boolean, outcome: unknown): void {
    const { job } = run
    this.#running--
    job.stopTimer?.()
    if (!hasWorked || run.isTimedOut) {
      this.#fail(run, outcome)
      return
    }
    this.#finished++
    this.#finish(run, true)
    job.resolve(outcome as never)
    this.#listeners.tell('completed', outcome)
    this.#listeners.tell('next')
  }

  /** Tried again, or over for good. */
  #fail(run: JobRun<Work>, error: unknown): void {
    let reason = error
    let delayMs: number | undefined
    try {
      delayMs = this.#retryDelayMs(run, error)
    } catch (ofRetry) {
      reason = ofRetry
    }
    if (delayMs !== undefined) {
      this.line.tryAgain(run, delayMs)
      return
    }
    this.#failed++
    this.#finish(run, false)
    run.job.reject(reason)
    this.#listeners.tell('error', reason)
    this.#listeners.tell('next')
  }

  #finish(run: JobRun<Work>, succeeded: boolean): void {
    run.job.stopListening?.()
    this.line.finish(run, succeeded)
  }

  protected release(): void {
    this.#occupied--
    this.fill()
    if (this.#isDisposed && this.#running === 0) this.line.dispose()
  }

  #limitTime(run: JobRun<Work>, timeoutMs: number): void {
    const { job } = run
    run.allowStop()
    job.stopTimer = this.line.clock.callAfter(timeoutMs, () => {
      this.#timedOut++
      const message = `the request has run for ${timeoutMs} ms: ask for less (maxTokens), or allow more (timeoutMs)`
      const error = new ServingError('timed_out', message)
      job.reject(error)
      run.timeOut(error)
    })
  }

  /** @throws what `retry` throws; {ConfigError} `config_invalid` */
  #retryDelayMs({ job, attempt, isTimedOut }: JobRun<Work>, error: unknown): number | undefined {
    const retry = job.terms.retry ?? this.#retry
    if (!retry || isTimedOut || job.terms.signal?.aborted || this.#isDisposed) return undefined
    const delayMs = retry(error, attempt)
    if (delayMs === undefined || isLength(delayMs)) return delayMs
    throw new ConfigError('config_invalid', `retry must return ms ≥ 0 or undefined, got ${delayMs}`)
  }

  #mayStart(): boolean {
    return !this.#isPaused && !this.#isDisposed && this.#occupied < this.#concurrency
  }

  #when(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiters.push({ isMet, resolve })
    })
  }

  #wake(): void {
    if (!this.#isEmpty && this.size === 0) {
      this.#isEmpty = true
      this.#listeners.tell('empty')
    }
    if (!this.#isIdle && this.size === 0 && this.#running === 0) {
      this.#isIdle = true
      this.#listeners.tell('idle')
    }
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = waiters.filter(({ isMet }) => !isMet())
    for (const waiter of waiters) if (waiter.isMet()) waiter.resolve()
  }
}

/** @throws {ConfigError} `config_invalid` */
function checkConcurrency(concurrency: number): number {
  if (concurrency === Number.POSITIVE_INFINITY || (Number.isInteger(concurrency) && concurrency >= 1))
    return concurrency
  throw new ConfigError('config_invalid', `concurrency must be a whole number ≥ 1, or Infinity, got ${concurrency}`)
}
