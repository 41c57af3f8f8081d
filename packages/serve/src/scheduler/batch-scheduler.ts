import { Problems, ServingError } from '@trimtab/core'
import type { JobRun } from './run.js'
import { type SlotOptions, Slots } from './slots.js'
import type { AddOptions, Run } from './types.js'

/**
 * How batches are formed and served.
 * Input: a request; Result: what it becomes.
 */
export interface BatchOptions<Input, Result> extends SlotOptions {
  /**
   * Serves a batch. `runs[i]` belongs to `inputs[i]`, and so does the i-th of what comes back: a value, or a promise where
   * requests end or fail one by one. The slot is free when all have ended.
   */
  readonly runBatch: (
    inputs: readonly Input[],
    runs: readonly Run[],
  ) => readonly (Result | PromiseLike<Result>)[] | PromiseLike<readonly (Result | PromiseLike<Result>)[]>
  /** Requests of a batch at most. */
  readonly maxBatchSize: number
  /** How long the oldest request waits for others to fill the batch, in ms. 0: for none. */
  readonly batchWaitTimeoutMs: number
}

/**
 * Dynamic batching: a free slot takes the `maxBatchSize` shortest of the waiting together, as soon as so many wait or the
 * oldest of them has waited for `batchWaitTimeoutMs`. Short answers then share batches, which matters: a batch lasts as long
 * as its longest answer.
 *
 * Source: dissertation B.3.
 *
 * @example
 * const scheduler = new BatchScheduler({ core, estimator, concurrency: 1, maxBatchSize: 4, batchWaitTimeoutMs: 20, runBatch: (prompts) => model.complete(prompts) })
 * const answer = await scheduler.add(prompt, { model: 'mine', prompt })
 */
export class BatchScheduler<Input, Result> extends Slots<Input> {
  readonly #runBatch: BatchOptions<Input, Result>['runBatch']
  readonly #maxBatchSize: number
  readonly #batchWaitTimeoutMs: number
  #stopTimer: (() => void) | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: BatchOptions<Input, Result>) {
    const { runBatch, maxBatchSize, batchWaitTimeoutMs } = options
    const problems = new Problems()
    problems.check(
      Number.isInteger(maxBatchSize) && maxBatchSize > 0,
      `maxBatchSize must be a count above 0, got ${maxBatchSize}`,
    )
    problems.check(
      batchWaitTimeoutMs >= 0 && Number.isFinite(batchWaitTimeoutMs),
      `batchWaitTimeoutMs must be a number ≥ 0, got ${batchWaitTimeoutMs}`,
    )
    problems.throwIfAny('batches')
    super(options, ['runBatch', 'maxBatchSize', 'batchWaitTimeoutMs'])
    this.#runBatch = runBatch
    this.#maxBatchSize = maxBatchSize
    this.#batchWaitTimeoutMs = batchWaitTimeoutMs
  }

  /** Serves `input` in a batch with others; everything else is as in `Scheduler.add`. */
  add(input: Input, options: AddOptions = {}): Promise<Result> {
    return this.enter(input, options)
  }

  /** Adds each of them, with the same options; rejects with the first error. */
  addAll(inputs: readonly Input[], options: AddOptions = {}): Promise<Result[]> {
    return Promise.all(inputs.map((input) => this.add(input, options)))
  }

  protected startNext(): boolean {
    const { oldest } = this.line
    if (!oldest) return false
    const restMs = oldest.arrivalMs + this.#batchWaitTimeoutMs - this.line.clock.now()
    if (this.size < this.#maxBatchSize && restMs > 0) {
      this.#stopTimer ??= this.line.clock.callAfter(restMs, () => {
        this.#stopTimer = undefined
        this.fill()
      })
      return false
    }
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const runs: JobRun<Input>[] = []
    while (runs.length < this.#maxBatchSize) {
      const run = this.line.next()
      if (!run) break
      runs.push(run)
    }
    if (runs.length === 0) return false
    this.occupy()
    for (const run of runs) this.begin(run)
    this.#run(runs)
    return true
  }

  async #run(runs: readonly JobRun<Input>[]): Promise<void> {
    const inputs = runs.map(({ job }) => job.work)
    let results: readonly (Result | PromiseLike<Result>)[]
    try {
      results = await this.#runBatch(inputs, runs)
      if (results?.length !== runs.length) {
        if (Array.isArray(results)) Promise.allSettled(results) // what fails among them is nobody's any more
        const message = `runBatch must return one result for each of ${runs.length} inputs, got ${results?.length}`
        throw new ServingError('batch_result_invalid', message)
      }
    } catch (error) {
      results = runs.map(() => Promise.reject(error))
    }
    await Promise.all(
      runs.map((run, i) =>
        Promise.resolve(results[i]).then(
          (value) => this.settle(run, true, value),
          (error) => this.settle(run, false, error),
        ),
      ),
    )
    this.release()
  }
}
