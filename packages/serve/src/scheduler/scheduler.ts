import { isThenable } from '../maybe-async.js'
import type { JobRun } from './run.js'
import { Slots } from './slots.js'
import type { AddOptions, Run } from './types.js'

/** What a slot runs for one request. */
type Work = (run: Run) => unknown

/**
 * A promise queue that lets the shortest answer go first: p-queue's words, an order that is learned, and nobody starves.
 *
 * A finished request's slot is refilled at once. `concurrency: 1` is therefore serving without batching; as many slots as the
 * server behind it has places in its running batch is continuous batching (B.3). For batches that start and end together see
 * `BatchScheduler`.
 *
 * A request that runs keeps its slot until its work has ended, even when its signal was aborted and its promise has
 * rejected: concurrency is never exceeded.
 *
 * Source: dissertation 6.3.3, speculative shortest-job-first with ageing.
 *
 * @example
 * const scheduler = new Scheduler({ core, concurrency: 8, estimator })
 * const answer = await scheduler.add(({ signal }) => complete(prompt, signal), { model, prompt, signal })
 */
export class Scheduler extends Slots<Work> {
  /**
   * Runs `work` when its turn comes.
   *
   * @returns what `work` returns, or its error; rejects with the signal's reason when that is aborted
   * @throws {ServingError} `queue_full`, `never_fits`, `deadline_passed`, `queue_cleared`: the work has not been started then;
   * `timed_out`
   * @throws {ConfigError} `config_invalid`
   */
  add<Result>(work: (run: Run) => Result | PromiseLike<Result>, options: AddOptions = {}): Promise<Result> {
    return this.enter(work, options)
  }

  /** Adds each of them, with the same options; rejects with the first error. */
  addAll<Result>(
    works: readonly ((run: Run) => Result | PromiseLike<Result>)[],
    options: AddOptions = {},
  ): Promise<Result[]> {
    return Promise.all(works.map((work) => this.add(work, options)))
  }

  protected startNext(): boolean {
    const run = this.line.next()
    if (!run) return false
    this.occupy()
    this.begin(run)
    let result: unknown
    try {
      result = run.job.work(run)
    } catch (error) {
      this.#end(run, false, error)
      return true
    }
    if (isThenable(result)) this.#endWith(run, result)
    else this.#end(run, true, result)
    return true
  }

  #endWith(run: JobRun<Work>, result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#end(run, true, value),
      (error) => this.#end(run, false, error),
    )
  }

  #end(run: JobRun<Work>, succeeded: boolean, outcome: unknown): void {
    this.settle(run, succeeded, outcome)
    this.release()
  }
}
