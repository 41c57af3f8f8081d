import { percentile } from '@trimtab/core'
import { type Job, NO_CLASS } from './job.js'

/** Waits that percentiles are taken over: the latest of each class. */
const RECENT_WAITS = 1024
const CLASSES = 5

/** How long requests waited before they started. Times in ms; NaN where none has started. */
export interface WaitStats {
  /** Starts, each try of a request by itself. */
  readonly started: number
  /** Percentiles of the latest 1,024 waits. */
  readonly waitP50Ms: number
  readonly waitP99Ms: number
  /** The longest wait of all. */
  readonly waitMaxMs: number
  /** All waits added up: with `started`, what a counter of Prometheus wants. */
  readonly waitSumMs: number
  /** How often the request that waited longest of all was passed by a later one, counted for the passed one's class. */
  readonly bypasses: number
}

/**
 * What a scheduler has done since it was made:
 * added + retried = refused + waiting + aborted + expired + cleared + started, and
 * started = running + finished + failed + retried.
 */
export interface SchedulerStats {
  readonly added: number
  /** No room, now or ever. */
  readonly refused: number
  readonly waiting: number
  /** By their signal, while they waited or before. */
  readonly aborted: number
  /** Past their deadline. */
  readonly expired: number
  /** By `clear`. */
  readonly cleared: number
  /** Tries that failed and were followed by another one. */
  readonly retried: number
  readonly running: number
  readonly finished: number
  /** For good, and those that were told to stop because they had run too long. */
  readonly failed: number
  /** Of the failed: past their time limit. */
  readonly timedOut: number
  /** Estimates that could not be had, and observations that were not taken. */
  readonly estimatorErrors: number
  /** How long the oldest of the waiting has waited; 0 when none waits. */
  readonly oldestWaitMs: number
  readonly all: WaitStats
  /** [5] Requests whose class was predicted, by that class: 0 the shortest. */
  readonly classes: readonly WaitStats[]
}

/** Waits of one class. */
export class Waits {
  readonly #recent = new Float64Array(RECENT_WAITS)
  #started = 0
  #max = Number.NaN
  #sum = 0
  bypasses = 0

  add(waitMs: number): void {
    this.#recent[this.#started++ % RECENT_WAITS] = waitMs
    this.#sum += waitMs
    if (!(waitMs <= this.#max)) this.#max = waitMs
  }

  summarise(): WaitStats {
    const recent = this.#recent.subarray(0, Math.min(this.#started, RECENT_WAITS))
    const at = (p: number): number => (recent.length > 0 ? percentile(recent, p) : Number.NaN)
    return {
      started: this.#started,
      waitP50Ms: at(50),
      waitP99Ms: at(99),
      waitMaxMs: this.#max,
      waitSumMs: this.#sum,
      bypasses: this.bypasses,
    }
  }
}

/** Waits of all requests and of each class. */
export class WaitsByClass {
  readonly all: Waits = new Waits()
  readonly #classes = Array.from({ length: CLASSES }, () => new Waits())

  addStart(job: Job<unknown>, waitMs: number): void {
    this.all.add(waitMs)
    if (job.predictedClass !== NO_CLASS) this.#classes[job.predictedClass]?.add(waitMs)
  }

  addBypass(passed: Job<unknown>): void {
    this.all.bypasses++
    if (passed.predictedClass === NO_CLASS) return
    const waits = this.#classes[passed.predictedClass]
    if (waits) waits.bypasses++
  }

  summariseClasses(): readonly WaitStats[] {
    return this.#classes.map((waits) => waits.summarise())
  }
}
