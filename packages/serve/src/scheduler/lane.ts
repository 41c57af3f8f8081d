import { ReadyQueue, type ReadyQueueOptions, type WorkAgeing } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { type Job, NO_TICKET } from './job.js'
import type { Gate } from './limits.js'

/** Jobs of one priority, and of one model where that has limits of its own, in the order in which they are served. */
export class Lane<Work> {
  readonly priority: number
  /** The limits of its model. */
  readonly gate: Gate | undefined
  readonly #queue: ReadyQueue
  /** By ticket. */
  readonly #jobs: (Job<Work> | undefined)[] = []
  /** Those that are tried again: they have been first before, and are so again. */
  readonly #returned: Job<Work>[] = []

  constructor(core: ServeCore, options: ReadyQueueOptions, priority: number, gate: Gate | undefined) {
    this.priority = priority
    this.gate = gate
    this.#queue = new ReadyQueue(core, options)
  }

  /** Who is served next; undefined when none waits. */
  get first(): Job<Work> | undefined {
    return this.#returned.length > 0 ? this.#returned[0] : this.#jobs[this.#queue.peek()]
  }

  /** How long until that one may start as far as its model is concerned, in ms; Infinity: until another one has ended. */
  delayMs(nowMs: number): number {
    const { gate, first } = this
    return gate && first ? gate.delayMs(first.heldTokens, nowMs) : 0
  }

  /** What a token counts for is another, for all that wait. */
  age({ scale, cap }: Pick<WorkAgeing, 'scale' | 'cap'>): void {
    this.#queue.age(scale, cap)
  }

  push(job: Job<Work>): void {
    job.ticket = this.#queue.push(job.weight, job.place, job.tenantNumber)
    this.#jobs[job.ticket] = job
  }

  /** A job that was taken out and is to be tried again. */
  pushBack(job: Job<Work>): void {
    this.#returned.push(job)
  }

  /** Takes out the first one. Its tokens stay outstanding until `finish`. */
  shift(): void {
    if (this.#returned.length > 0) {
      this.#returned.shift()
      return
    }
    const ticket = this.#queue.pop()
    this.#jobs[ticket]!.ticket = NO_TICKET
    this.#jobs[ticket] = undefined
  }

  /** Takes out a job that waits, or is about to. */
  cancel(job: Job<Work>): void {
    if (job.ticket === NO_TICKET) {
      const at = this.#returned.indexOf(job)
      if (at >= 0) this.#returned.splice(at, 1)
      this.finish(job)
      return
    }
    this.#queue.cancel(job.ticket)
    this.#jobs[job.ticket] = undefined
    job.ticket = NO_TICKET
  }

  /** A job that was taken out is over. */
  finish(job: Job<Work>): void {
    this.#queue.finish(job.tenantNumber, job.weight)
  }

  dispose(): void {
    this.#queue.dispose()
  }
}
