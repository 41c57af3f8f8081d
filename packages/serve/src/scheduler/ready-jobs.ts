import { Problems } from '@trimtab/core'
import { LARGEST_ALLOWANCE, type QueueOrder, ReadyQueue, WorkAgeing } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { type Job, NO_TICKET } from './job.js'
import { MOST_TENANTS, Tenants } from './tenants.js'
import type { WaitingOptions } from './types.js'

/** With `maxBypassSeconds` no length counts for more: so far ahead a newcomer can be at most, and ageing pays it off. */
const LONGEST_TOKENS = 8192

/** Jobs in the order in which they are served: the ready queue, what ages them, whose they are. */
export class ReadyJobs<Work> {
  readonly #queue: ReadyQueue
  readonly #jobs: (Job<Work> | undefined)[] = []
  /** Ageing by work; without it by time. */
  readonly #ageing: WorkAgeing | undefined
  /** With fairness only. */
  readonly #tenants: Tenants | undefined
  #size = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: ServeCore, options: WaitingOptions & { readonly capacity: number; readonly order: QueueOrder }) {
    const { capacity, order, bypass, maxBypassSeconds, fairness = 0 } = options
    const problems = new Problems()
    problems.check(
      bypass === undefined || maxBypassSeconds === undefined,
      'bypass and maxBypassSeconds are two ways to say one thing: give one of them',
    )
    problems.check(
      maxBypassSeconds === undefined || maxBypassSeconds > 0,
      `maxBypassSeconds must be above 0, got ${maxBypassSeconds}`,
    )
    problems.throwIfAny('scheduler')
    this.#tenants = fairness > 0 ? new Tenants() : undefined
    if (maxBypassSeconds === undefined) this.#ageing = new WorkAgeing(bypass === undefined ? {} : { bypass })
    this.#queue = new ReadyQueue(core, {
      capacity,
      order,
      slope: maxBypassSeconds === undefined ? 1 : LONGEST_TOKENS / maxBypassSeconds,
      highest: maxBypassSeconds === undefined ? LARGEST_ALLOWANCE : LONGEST_TOKENS,
      fairness,
      tenants: MOST_TENANTS,
    })
  }

  get size(): number {
    return this.#size
  }

  push(job: Job<Work>): void {
    if (this.#tenants && job.tenant !== undefined) job.tenantNumber = this.#tenants.enter(job.tenant)
    job.place = this.#ageing ? this.#ageing.arrivedTokens : job.arrivalMs / 1000
    job.weight = this.#weightOf(job)
    job.agedTokens = job.tokens
    this.#enqueue(job)
    this.#ageing?.enter(job.tokens)
    this.#size++
  }

  /** A better estimate came: the job moves to where that would have put it. */
  move(job: Job<Work>): void {
    this.#jobs[job.ticket] = undefined
    this.#queue.cancel(job.ticket)
    job.weight = this.#weightOf(job)
    this.#enqueue(job)
  }

  /** The job to start next; undefined when none waits. */
  pop(): Job<Work> | undefined {
    const ticket = this.#queue.pop()
    if (ticket < 0) return undefined
    const job = this.#jobs[ticket]!
    this.#leave(job)
    return job
  }

  cancel(job: Job<Work>): void {
    this.#queue.cancel(job.ticket)
    this.#leave(job)
    if (job.tenant !== undefined) this.#tenants?.leave(job.tenant, job.tenantNumber)
  }

  /** A job that was popped is over. */
  finish(job: Job<Work>): void {
    if (!this.#tenants) return
    this.#queue.finish(job.tenantNumber, job.weight)
    if (job.tenant !== undefined) this.#tenants.leave(job.tenant, job.tenantNumber)
  }

  dispose(): void {
    this.#queue.dispose()
  }

  /** How far behind its place the job stands: what may go ahead of it. */
  #weightOf({ tokens, isFirstCome }: Job<Work>): number {
    if (isFirstCome) return 0
    return this.#ageing ? this.#ageing.allowance(tokens) : Math.min(tokens, LONGEST_TOKENS)
  }

  #enqueue(job: Job<Work>): void {
    job.ticket = this.#queue.push(job.weight, job.place, job.tenantNumber)
    this.#jobs[job.ticket] = job
  }

  #leave(job: Job<Work>): void {
    this.#jobs[job.ticket] = undefined
    job.ticket = NO_TICKET
    this.#size--
    this.#ageing?.leave(job.agedTokens)
  }
}
