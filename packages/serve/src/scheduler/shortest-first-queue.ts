import { ConfigError, ServingError } from '@trimtab/core'
import { type QueueOrder, ReadyQueue } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { systemClock, type TimerClock } from '../clock.js'

/** What p-queue's `add` may be told, besides its own options. */
export interface ShortestFirstAddOptions {
  /** Expected output tokens: fewer go first. */
  readonly tokens?: number
  /** p-queue's own word, larger first: minus the tokens. Used where `tokens` is not given. */
  readonly priority?: number
  readonly id?: string
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number
}

/** Size, order and ageing of the queue. */
export interface ShortestFirstOptions {
  readonly core: ServeCore
  /** Most functions that wait; `add` rejects with `queue_full` beyond. 100,000 unless told. */
  readonly capacity?: number
  readonly order?: QueueOrder
  /** Tokens by which a second of waiting makes a request shorter. 1 unless told. */
  readonly slope?: number
  /** What a function without `tokens` and `priority` counts for. 256 unless told. */
  readonly unknownTokens?: number
  readonly clock?: TimerClock
}

type RunFunction = () => Promise<unknown>

interface Waiting {
  readonly id: string | undefined
  readonly run: RunFunction
  tokens: number
  readonly arrival: number
}

/** A queue as p-queue wants it (version 9); `shortestFirst` makes the class to hand over. */
export class ShortestFirstQueue {
  readonly #queue: ReadyQueue
  readonly #clock: TimerClock
  readonly #unknownTokens: number
  /** By ticket. */
  readonly #waiting: (Waiting | undefined)[] = []
  readonly #tickets = new Map<string, number>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: ShortestFirstOptions) {
    const { core, capacity = 100_000, order = 'class', slope = 1 } = options
    this.#queue = new ReadyQueue(core, { capacity, order, slope })
    this.#clock = options.clock ?? systemClock
    this.#unknownTokens = options.unknownTokens ?? 256
  }

  /** Functions that wait. */
  get size(): number {
    return this.#queue.size
  }

  /** @throws {ServingError} `queue_full` */
  enqueue(run: RunFunction, options: ShortestFirstAddOptions = {}): void {
    const { id, tokens = lengthOf(options.priority) ?? this.#unknownTokens } = options
    this.#push({ id, run, tokens, arrival: this.#clock.now() / 1000 })
  }

  /** Takes out the function to run next; `undefined` when none waits. */
  dequeue(): RunFunction | undefined {
    const ticket = this.#queue.pop()
    return ticket < 0 ? undefined : this.#forget(ticket).run
  }

  /** Those that were added with these tokens, or this priority. */
  filter(options: ShortestFirstAddOptions): RunFunction[] {
    const tokens = options.tokens ?? lengthOf(options.priority) ?? this.#unknownTokens
    return this.#waiting.flatMap((waiting) => (waiting?.tokens === tokens ? [waiting.run] : []))
  }

  /** @throws {ReferenceError} (as p-queue's own); {ConfigError} `config_invalid`: not a finite number */
  setPriority(id: string, priority: number): void {
    const ticket = this.#tickets.get(id)
    if (ticket === undefined) throw new ReferenceError(`No promise function with the id "${id}" exists in the queue.`)
    if (!Number.isFinite(priority))
      throw new ConfigError('config_invalid', `priority must be a finite number, got ${priority}`)
    this.#queue.cancel(ticket)
    this.#push({ ...this.#forget(ticket), tokens: lengthOf(priority)! })
  }

  /** Takes a waiting function out; an id that does not wait is ignored. */
  remove(id: string): void {
    const ticket = this.#tickets.get(id)
    if (ticket === undefined) return
    this.#queue.cancel(ticket)
    this.#forget(ticket)
  }

  #push(waiting: Waiting): void {
    const ticket = this.#queue.push(waiting.tokens, waiting.arrival)
    if (ticket < 0) {
      const message = `${this.size} functions wait already, as many as capacity allows: add fewer, later, or raise capacity`
      throw new ServingError('queue_full', message)
    }
    this.#waiting[ticket] = waiting
    if (waiting.id !== undefined) this.#tickets.set(waiting.id, ticket)
  }

  #forget(ticket: number): Waiting {
    const waiting = this.#waiting[ticket]!
    this.#waiting[ticket] = undefined
    if (waiting.id !== undefined && this.#tickets.get(waiting.id) === ticket) this.#tickets.delete(waiting.id)
    return waiting
  }
}

const lengthOf = (priority: number | undefined): number | undefined =>
  priority === undefined ? undefined : Math.max(0, -priority)

/**
 * The class that p-queue makes its queues of. TypeScript is told of `tokens` by
 * `new PQueue<ShortestFirstQueue, ShortestFirstAddOptions>(…)`.
 * @example
 * const queue = new PQueue({ concurrency: 4, queueClass: shortestFirst({ core }) })
 * queue.add(() => complete(prompt), { tokens: 120 })
 */
export function shortestFirst(options: ShortestFirstOptions): new () => ShortestFirstQueue {
  return class extends ShortestFirstQueue {
    constructor() {
      super(options)
    }
  }
}
