import { Problems } from '@trimtab/core'
import { LARGEST_WORK, type QueueOrder, type ReadyQueueOptions, WorkAgeing } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { Arrivals } from './arrivals.js'
import { isLength } from './checks.js'
import type { Job } from './job.js'
import { Lane } from './lane.js'
import type { Gate } from './limits.js'
import { MOST_TENANTS, Tenants } from './tenants.js'
import type { WaitingOptions } from './types.js'

/** With `maxBypassSeconds` no length counts for more: so far ahead a newcomer can be at most, and ageing pays it off. */
const LONGEST_TOKENS = 8192
const PROMPT_WEIGHT = 0.05

/** Jobs in the order in which they are served: lanes of priorities, what ages the jobs, whose they are. */
export class ReadyJobs<Work> {
  readonly #core: ServeCore
  readonly #queue: ReadyQueueOptions & { readonly slope: number; readonly highest: number }
  /** As they were made: jobs keep the number. */
  readonly #lanes: Lane<Work>[] = []
  /** The same, the highest priority first. */
  #byPriority: readonly Lane<Work>[] = []
  readonly #arrivals = new Arrivals<Work>()
  /** Ageing by work; without it by time. One for all lanes, so that places mean the same in each. */
  readonly #ageing: WorkAgeing | undefined
  /** With fairness only. */
  readonly #tenants: Tenants | undefined
  readonly #promptWeight: number
  #size = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: ServeCore, options: WaitingOptions & { readonly capacity: number; readonly order: QueueOrder }) {
    const { capacity, order, bypass, maxBypassSeconds, fairness = 0, promptWeight = PROMPT_WEIGHT } = options
    const problems = new Problems()
    problems.check(
      bypass === undefined || maxBypassSeconds === undefined,
      'bypass and maxBypassSeconds are two ways to say one thing: give one of them',
    )
    problems.check(
      maxBypassSeconds === undefined || maxBypassSeconds > 0,
      `maxBypassSeconds must be above 0, got ${maxBypassSeconds}`,
    )
    problems.check(isLength(promptWeight), `promptWeight must be a number ≥ 0, got ${promptWeight}`)
    problems.throwIfAny('scheduler')
    this.#core = core
    this.#promptWeight = promptWeight
    this.#tenants = fairness > 0 ? new Tenants() : undefined
    if (maxBypassSeconds === undefined) this.#ageing = new WorkAgeing(bypass === undefined ? {} : { bypass })
    this.#queue = {
      capacity,
      order,
      canAge: this.#ageing !== undefined,
      slope: maxBypassSeconds === undefined ? 1 : LONGEST_TOKENS / maxBypassSeconds,
      highest: maxBypassSeconds === undefined ? LARGEST_WORK : LONGEST_TOKENS,
      fairness,
      tenants: MOST_TENANTS,
    }
    this.#laneOf(0, undefined) // where most requests go; and bad options are refused here
  }

  get size(): number {
    return this.#size
  }

  get oldest(): Job<Work> | undefined {
    return this.#arrivals.oldest
  }

  /** @param gate  of the job's model, where that has limits of its own */
  push(job: Job<Work>, gate: Gate | undefined): void {
    const { priority, tenant } = job.terms
    job.lane = this.#laneOf(priority, gate)
    if (this.#tenants && tenant !== undefined) job.tenantNumber = this.#tenants.enter(tenant)
    const work = this.#workOf(job)
    job.agedTokens = work
    if (this.#ageing?.enter(work)) for (const lane of this.#lanes) lane.age(this.#ageing)
    job.place = this.#ageing ? this.#ageing.arrivedTokens : job.arrivalMs / 1000
    this.#enqueue(job, work)
    this.#arrive(job)
  }

  /** A better estimate came: the job moves to where that would have put it. */
  move(job: Job<Work>): void {
    this.#lanes[job.lane]!.cancel(job)
    this.#enqueue(job, this.#workOf(job))
  }

  /** A job that was taken waits again, with the arrival that it had; it stands in its lane from `pushBack` on. */
  keep(job: Job<Work>): void {
    this.#arrive(job)
  }

  pushBack(job: Job<Work>): void {
    this.#lanes[job.lane]!.pushBack(job)
  }

  /** The job that is next: of the highest priority of which one may start as far as its model is concerned, the smallest key. */
  first(nowMs: number): Job<Work> | undefined {
    let best: Job<Work> | undefined
    for (const lane of this.#byPriority) {
      if (best && lane.priority < best.terms.priority) break
      const { first } = lane
      if (!first || lane.delayMs(nowMs) > 0) continue
      if (!best || this.#keyOf(first) < this.#keyOf(best)) best = first
    }
    return best
  }

  /** How long until one of the first of all lanes may start, in ms, as far as its model is concerned. */
  delayMs(nowMs: number): number {
    let soonest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes) if (lane.first) soonest = Math.min(soonest, lane.delayMs(nowMs))
    return soonest
  }

  /** Takes out a job that `first` gave. */
  take(job: Job<Work>): void {
    this.#lanes[job.lane]!.shift()
    this.#leave(job)
  }

  cancel(job: Job<Work>): void {
    this.#lanes[job.lane]!.cancel(job)
    this.#leave(job)
    this.#leaveTenant(job)
  }

  /** A job that was taken is over. */
  finish(job: Job<Work>): void {
    if (!this.#tenants) return
    this.#lanes[job.lane]!.finish(job)
    this.#leaveTenant(job)
  }

  dispose(): void {
    for (const lane of this.#lanes) lane.dispose()
  }

  #laneOf(priority: number, gate: Gate | undefined): number {
    for (let i = 0; i < this.#lanes.length; i++) {
      const lane = this.#lanes[i]!
      if (lane.priority === priority && lane.gate === gate) return i
    }
    const lane = new Lane<Work>(this.#core, this.#queue, priority, gate)
    if (this.#ageing) lane.age(this.#ageing)
    this.#lanes.push(lane)
    this.#byPriority = this.#lanes.toSorted((a, b) => b.priority - a.priority)
    return this.#lanes.length - 1
  }

  /** In tokens of answers. */
  #workOf({ tokens, terms }: Job<Work>): number {
    return tokens + this.#promptWeight * terms.promptTokens
  }

  /** By which the first ones of lanes compare. */
  #keyOf({ weight, place }: Job<Work>): number {
    return this.#ageing ? place + this.#ageing.allowance(weight) : weight + this.#queue.slope * place
  }

  #enqueue(job: Job<Work>, work: number): void {
    job.weight = job.isFirstCome ? 0 : Math.min(work, this.#queue.highest)
    this.#lanes[job.lane]!.push(job)
  }

  #leaveTenant({ terms: { tenant }, tenantNumber }: Job<Work>): void {
    if (tenant !== undefined) this.#tenants?.leave(tenant, tenantNumber)
  }

  #arrive(job: Job<Work>): void {
    this.#arrivals.insert(job)
    job.isWaiting = true
    this.#size++
  }

  #leave(job: Job<Work>): void {
    this.#arrivals.remove(job)
    job.isWaiting = false
    this.#size--
    if (job.attempt === 1) this.#ageing?.leave(job.agedTokens)
  }
}
