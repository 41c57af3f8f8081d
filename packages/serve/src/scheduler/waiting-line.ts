import { Problems, ServingError } from '@trimtab/core'
import { systemClock, type TimerClock } from '../clock.js'
import { isThenable } from '../maybe-async.js'
import type { LengthEstimator, LengthPrediction, LengthRequest } from '../predict/index.js'
import { isLength } from './checks.js'
import { EstimateLine } from './estimate-line.js'
import type { Job } from './job.js'
import { ReadyJobs } from './ready-jobs.js'
import { Room } from './room.js'
import { JobRun } from './run.js'
import { type SchedulerStats, WaitsByClass } from './statistics.js'
import type { AddOptions, WaitingOptions } from './types.js'

/** One pass of a model that is not autoregressive is as long as one token of one that is. */
const ONE_PASS_TOKENS = 1
/** Ageing reckons in tokens: every request must count for some, and none for so many that the others' no longer show beside it. */
const FEWEST_TOKENS = 1
const MOST_TOKENS = 2 ** 20

const countedTokens = ({ terms: { maxTokens, answers } }: Job<unknown>, tokens: number): number =>
  Math.min(Math.max(FEWEST_TOKENS, Math.min(tokens, maxTokens * answers)), MOST_TOKENS)

/** Requests that wait, shortest first: every way in and out of the queue, with its books. */
export class WaitingLine<Work> {
  readonly clock: TimerClock
  readonly #ready: ReadyJobs<Work>
  /** With limits only. */
  readonly #room: Room | undefined
  readonly #estimates: EstimateLine<Work>
  readonly #waits = new WaitsByClass()
  readonly #capacity: number
  readonly #unknownTokens: number
  readonly #estimator: LengthEstimator | undefined
  readonly #isAutoregressive: ((model: string) => boolean) | undefined
  /** Told when one may start that could not before, or nobody waits any more. */
  readonly #onChange: () => void
  #stopTimer: (() => void) | undefined
  #added = 0
  #refused = 0
  #aborted = 0
  #expired = 0
  #cleared = 0
  #retried = 0
  #estimatorErrors = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WaitingOptions, onChange: () => void) {
    const { capacity = 100_000, order = 'class', unknownTokens = 256 } = options
    const problems = new Problems()
    problems.check(isLength(unknownTokens), `unknownTokens must be a number ≥ 0, got ${unknownTokens}`)
    problems.throwIfAny('scheduler')
    this.clock = options.clock ?? systemClock
    if (options.limit || options.modelLimits) this.#room = new Room(options)
    this.#ready = new ReadyJobs(options.core, { ...options, capacity, order })
    this.#estimates = new EstimateLine((job, prediction) => {
      this.#take(job, prediction)
      this.#ready.move(job)
    })
    this.#capacity = capacity
    this.#unknownTokens = unknownTokens
    this.#estimator = options.estimator
    this.#isAutoregressive = options.isAutoregressive
    this.#onChange = onChange
  }

  get size(): number {
    return this.#ready.size
  }

  get oldest(): Job<Work> | undefined {
    return this.#ready.oldest
  }

  /**
   * Takes a job in, or throws why not: its promise is not touched then.
   * @throws {ServingError} `queue_full`, `never_fits`
   */
  enter(job: Job<Work>, options: AddOptions): void {
    const { signal, deadlineMs } = options
    this.#added++
    if (signal?.aborted) {
      this.#aborted++
      throw signal.reason
    }
    const refusal = this.#refusalOf(job)
    if (refusal) {
      this.#refused++
      throw refusal
    }
    const estimate = this.#estimate(job, options)
    this.#ready.push(job, this.#room?.gateOf(job))
    if (estimate) this.#estimates.append(job, this.#answerOf(estimate))
    if (signal) this.#listenTo(signal, job)
    if (deadlineMs !== undefined) this.#expireAfter(deadlineMs, job)
  }

  /** The try to start now; undefined when nobody waits, or none of those that wait has room. */
  next(): JobRun<Work> | undefined {
    if (this.size === 0) return undefined
    const nowMs = this.clock.now()
    const job = this.#ready.first(nowMs)
    const delayMs = job ? (this.#room?.delayMs(job, nowMs) ?? 0) : this.#ready.delayMs(nowMs)
    if (!job || delayMs > 0) {
      this.#callAfter(delayMs)
      return undefined
    }
    const { oldest } = this.#ready
    if (oldest && oldest !== job) this.#waits.addBypass(oldest)
    this.#waits.addStart(job, nowMs - job.arrivalMs)
    this.#ready.take(job)
    const run = new JobRun(job)
    if (job.terms.signal) job.stopRun = run.stopper
    this.#room?.enter(run, nowMs)
    this.#forget(job)
    return run
  }

  /** A try that `next` gave has failed, and its job waits again. Its deadline was for its first start. */
  tryAgain(run: JobRun<Work>, delayMs: number): void {
    const { job } = run
    this.#room?.leave(run)
    this.#retried++
    job.attempt++
    this.#ready.keep(job)
    if (delayMs === 0) {
      this.#ready.pushBack(job)
      return
    }
    job.stopTimer = this.clock.callAfter(delayMs, () => {
      this.#ready.pushBack(job)
      this.#onChange()
    })
  }

  /** A try that `next` gave is over, and its job: what it took is learned, and its tenant has less in the works. */
  finish(run: JobRun<Work>, succeeded: boolean): void {
    const { job, outputTokens } = run
    const { request, signal } = job.terms
    this.#ready.finish(job)
    this.#room?.leave(run)
    const isLesson = succeeded && outputTokens > 0 && !job.isFirstCome && !signal?.aborted
    if (isLesson && request) this.#learn(request, outputTokens)
  }

  #refusalOf(job: Job<Work>): ServingError | undefined {
    if (this.size < this.#capacity) return this.#room?.refusalOf(job)
    return new ServingError(
      'queue_full',
      `${this.size} requests wait already, as many as capacity allows: add fewer, later, or raise capacity`,
    )
  }

  #learn(request: LengthRequest, outputTokens: number): void {
    const fail = (): void => {
      this.#estimatorErrors++ // the answer is there: that nothing was learned from it must not cost it
    }
    try {
      const learned: unknown = this.#estimator?.observe(request, outputTokens)
      if (isThenable(learned)) learned.then(undefined, fail)
    } catch {
      fail()
    }
  }

  /** Gives up every job that waits. */
  clear(): void {
    for (let job = this.oldest; job; job = this.oldest) {
      this.#cleared++
      this.#giveUp(job, new ServingError('queue_cleared', 'the queue was cleared before the request started'))
    }
    this.#onChange()
  }

  stats(served: Pick<SchedulerStats, 'running' | 'finished' | 'failed' | 'timedOut'>): SchedulerStats {
    return {
      added: this.#added,
      refused: this.#refused,
      waiting: this.size,
      aborted: this.#aborted,
      expired: this.#expired,
      cleared: this.#cleared,
      retried: this.#retried,
      ...served,
      estimatorErrors: this.#estimatorErrors,
      oldestWaitMs: this.oldest ? this.clock.now() - this.oldest.arrivalMs : 0,
      all: this.#waits.all.summarise(),
      classes: this.#waits.summariseClasses(),
    }
  }

  dispose(): void {
    this.clear()
    this.#stopTimer?.()
    this.#ready.dispose()
  }

  /** Sets what the job counts for; a promise when that is for now only. */
  #estimate(job: Job<Work>, { tokens, model }: AddOptions): Promise<LengthPrediction> | undefined {
    const { request, answers } = job.terms
    job.tokens = countedTokens(job, tokens ?? this.#unknownTokens * answers)
    if (tokens !== undefined) return
    if (model !== undefined && this.#isAutoregressive?.(model) === false) {
      job.isFirstCome = true
      job.tokens = ONE_PASS_TOKENS
      return
    }
    if (!this.#estimator || !request) return
    try {
      const prediction = this.#estimator.predict(request)
      if ('then' in prediction) return prediction
      this.#take(job, prediction)
    } catch {
      this.#estimatorErrors++ // it is served as one of unknown length
    }
    return
  }

  #answerOf(estimate: Promise<LengthPrediction>): Promise<LengthPrediction | undefined> {
    return estimate.catch(() => {
      this.#estimatorErrors++ // it is served as one of unknown length
      return undefined
    })
  }

  #take(job: Job<Work>, { tokens, class: predictedClass }: LengthPrediction): void {
    if (!isLength(tokens)) {
      this.#estimatorErrors++
      return
    }
    job.tokens = countedTokens(job, tokens * job.terms.answers)
    job.predictedClass = predictedClass
  }

  #listenTo(signal: AbortSignal, job: Job<Work>): void {
    const abort = (): void => {
      if (job.isWaiting) {
        this.#aborted++
        this.#giveUp(job, signal.reason)
        this.#onChange()
        return
      }
      job.stopRun?.(signal.reason)
      job.reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    job.stopListening = () => signal.removeEventListener('abort', abort)
  }

  #expireAfter(deadlineMs: number, job: Job<Work>): void {
    job.stopTimer = this.clock.callAfter(deadlineMs, () => {
      this.#expired++
      const message = `the request has not started within ${deadlineMs} ms: add less, raise the concurrency, or allow more`
      this.#giveUp(job, new ServingError('deadline_passed', message))
      this.#onChange()
    })
  }

  #giveUp(job: Job<Work>, reason: unknown): void {
    this.#ready.cancel(job)
    this.#forget(job)
    job.stopListening?.()
    job.reject(reason)
  }

  /** Looks again when the limits of a minute let somebody start. */
  #callAfter(delayMs: number): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (delayMs === Number.POSITIVE_INFINITY) return
    this.#stopTimer = this.clock.callAfter(delayMs, () => {
      this.#stopTimer = undefined
      this.#onChange()
    })
  }

  /** The job no longer waits. Its signal still speaks to it when it runs. */
  #forget(job: Job<Work>): void {
    this.#estimates.remove(job)
    job.stopTimer?.()
    job.stopTimer = undefined
  }
}
