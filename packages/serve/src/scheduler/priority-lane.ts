import { type QueueOrder, ReadyQueue } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'

/** The core, and how the functions of a lane are ordered. */
export interface PriorityLaneOptions {
  readonly core: ServeCore
  readonly order: QueueOrder
  readonly slope: number
}

/** A function of p-queue's that waits. */
export interface Waiting {
  readonly id: string | undefined
  readonly run: () => Promise<unknown>
  readonly tokens: number
  /** s */
  readonly arrival: number
  /** Larger for whoever was pushed later. */
  readonly turn: number
  /** The lane's: where it is there. */
  ticket: number
}

/** There may be a lane for every number, so each begins small. */
const FIRST_CAPACITY = 64
const GROWTH = 4

/** Functions of one priority, shortest first. */
export class PriorityLane {
  readonly priority: number
  readonly #options: PriorityLaneOptions
  #queue: ReadyQueue
  #byTicket: (Waiting | undefined)[] = []
  #size = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: PriorityLaneOptions, priority: number) {
    this.priority = priority
    this.#options = options
    this.#queue = this.#makeQueue(FIRST_CAPACITY)
  }

  get size(): number {
    return this.#size
  }

  /** In the order in which they were pushed. */
  get waiting(): readonly Waiting[] {
    return this.#byTicket.filter((one) => one !== undefined).sort((a, b) => a.turn - b.turn)
  }

  push(waiting: Waiting): void {
    let ticket = this.#queue.push(waiting.tokens, waiting.arrival)
    if (ticket < 0) {
      this.#grow()
      ticket = this.#queue.push(waiting.tokens, waiting.arrival)
    }
    waiting.ticket = ticket
    this.#byTicket[ticket] = waiting
    this.#size++
  }

  /** Takes out the next one; not when none waits. */
  shift(): Waiting {
    return this.#forget(this.#queue.pop())
  }

  /** Whether it waited here. */
  cancel(waiting: Waiting): boolean {
    const { ticket } = waiting
    if (this.#byTicket[ticket] !== waiting) return false
    this.#queue.cancel(ticket)
    this.#forget(ticket)
    return true
  }

  #forget(ticket: number): Waiting {
    const waiting = this.#byTicket[ticket]!
    this.#byTicket[ticket] = undefined
    this.#size--
    return waiting
  }

  dispose(): void {
    this.#queue.dispose()
  }

  #makeQueue(capacity: number): ReadyQueue {
    const { core, order, slope } = this.#options
    return new ReadyQueue(core, { capacity, order, slope })
  }

  #grow(): void {
    const { waiting } = this
    this.#queue.dispose()
    this.#queue = this.#makeQueue(waiting.length * GROWTH)
    this.#byTicket = []
    this.#size = 0
    for (const one of waiting) this.push(one)
  }
}
