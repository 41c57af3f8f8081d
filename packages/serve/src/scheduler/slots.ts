import { ConfigError, ServingError } from '@trimtab/core'
import { Job } from './job.js'
import type { SchedulerStats } from './statistics.js'
import type { AddOptions, WaitingOptions } from './types.js'
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

/** What every scheduler is: requests that wait, slots that they run in, and p-queue's words for both. */
export abstract class Slots<Work> {
  protected readonly line: WaitingLine<Work>
  #concurrency: number
  #occupied = 0
  #running = 0
  #finished = 0
  #failed = 0
  #isPaused = false
  #isFilling = false
  #isDisposed = false
  #waiters: Waiter[] = []

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: SlotOptions) {
    this.#concurrency = checkConcurrency(options.concurrency)
    this.line = new WaitingLine(options, () => this.#wake())
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
    return this.line.stats({ running: this.#running, finished: this.#finished, failed: this.#failed })
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
    return new Promise<Result>((resolve, reject) => {
      if (this.#isDisposed)
        throw new ServingError('scheduler_disposed', 'this scheduler was disposed: make another one')
      this.line.enter(new Job(work, options, this.line.clock.now(), resolve, reject), options)
      this.fill()
    })
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

  /** One slot is taken by so many requests. */
  protected occupy(requests: number): void {
    this.#occupied++
    this.#running += requests
  }

  /** A request is over; its slot is not free yet. */
  protected settle(job: Job<Work>, succeeded: boolean, outcome: unknown): void {
    this.#running--
    if (succeeded) this.#finished++
    else this.#failed++
    job.stopListening?.()
    this.line.finish(job, succeeded)
    if (succeeded) job.resolve(outcome as never)
    else job.reject(outcome)
  }

  protected release(): void {
    this.#occupied--
    this.fill()
    if (this.#isDisposed && this.#running === 0) this.line.dispose()
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
