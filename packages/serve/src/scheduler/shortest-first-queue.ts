import { ConfigError, Problems, ServingError } from '@trimtab/core'
import type { QueueOrder } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { systemClock, type TimerClock } from '../clock.js'
import { isLength } from './checks.js'
import { PriorityLane, type Waiting } from './priority-lane.js'

/** What p-queue's `add` may be told, besides its own options. */
export interface ShortestFirstAddOptions {
  /** Expected output tokens: of one priority, fewer go first. */
  readonly tokens?: number
  /** p-queue's own: larger goes first, whatever the tokens; 0 where it is not given. */
  readonly priority?: number
  readonly id?: string
  readonly signal?: AbortSignal | undefined
  readonly timeout?: number
}

/** Size, order within a priority and ageing of the queue. */
export interface ShortestFirstOptions {
  readonly core: ServeCore
  /** Most functions that wait; `add` rejects with `queue_full` beyond. 100,000 unless told. */
  readonly capacity?: number
  readonly order?: QueueOrder
  /** Tokens by which a second of waiting makes a request shorter, among those of its priority. 1 unless told. */
  readonly slope?: number
  /** What a function without `tokens` counts for. 256 unless told. */
  readonly unknownTokens?: number
  readonly clock?: TimerClock
}

const OPTIONS: readonly (keyof ShortestFirstOptions)[] = [
  ...(['core', 'capacity', 'order', 'slope', 'unknownTokens', 'clock'] as const),
]
/** Lanes that are kept while nothing waits in them. */
const LANES_KEPT = 8

type RunFunction = () => Promise<unknown>

/** A queue as p-queue wants it (version 9); `shortestFirst` makes the class to hand over. */
export class ShortestFirstQueue {
  readonly #options: Required<ShortestFirstOptions>
  /** The highest priority first. */
  #lanes: PriorityLane[] = []
  readonly #byId = new Map<string, Waiting>()
  #size = 0
  #turns = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: ShortestFirstOptions) {
    const whole = {
      capacity: 100_000,
      order: 'class',
      slope: 1,
      unknownTokens: 256,
      clock: systemClock,
      ...options,
    } as const
    const { capacity, unknownTokens } = whole
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.check(
      Number.isInteger(capacity) && capacity > 0,
      `capacity must be a count of functions above 0, got ${capacity}`,
    )
    problems.check(isLength(unknownTokens), `unknownTokens must be a number ≥ 0, got ${unknownTokens}`)
    problems.throwIfAny('shortestFirst')
    this.#options = whole
    this.#lanes.push(new PriorityLane(whole, 0)) // where most go; and bad options are refused here
  }

  /** Functions that wait. */
  get size(): number {
    return this.#size
  }

  /** @throws {ServingError} `queue_full`; {ConfigError} `config_invalid`, `not_finite` */
  enqueue(run: RunFunction, options: ShortestFirstAddOptions = {}): void {
    const { id, tokens = this.#options.unknownTokens, priority = 0 } = options
    checkPriority(priority)
    if (this.#size >= this.#options.capacity) {
      const message = `${this.#size} functions wait already, as many as capacity allows: add fewer, later, or raise capacity`
      throw new ServingError('queue_full', message)
    }
    this.#push({ id, run, tokens }, priority)
  }

  /** Takes out the function to run next; `undefined` when none waits. */
  dequeue(): RunFunction | undefined {
    const lane = this.#lanes.find(({ size }) => size > 0)
    if (!lane) return undefined
    const waiting = lane.shift()
    this.#forget(waiting)
    if (lane.size === 0 && this.#lanes.length > LANES_KEPT) {
      this.#lanes = this.#lanes.filter((other) => other !== lane)
      lane.dispose()
    }
    return waiting.run
  }

  /** Those that were added with these tokens; without `tokens` those of this priority. */
  filter({ tokens, priority }: ShortestFirstAddOptions): RunFunction[] {
    const isMeant = (waiting: Waiting, lane: PriorityLane): boolean =>
      tokens === undefined ? lane.priority === priority : waiting.tokens === tokens
    return this.#lanes.flatMap((lane) => lane.waiting.filter((one) => isMeant(one, lane)).map(({ run }) => run))
  }

  /**
   * As p-queue's own: the function goes behind those that have this priority already, unless it is shorter.
   * @throws {ReferenceError} (as p-queue's); {ConfigError} `config_invalid`: not a finite number
   */
  setPriority(id: string, priority: number): void {
    const waiting = this.#byId.get(id)
    if (!waiting) throw new ReferenceError(`No promise function with the id "${id}" exists in the queue.`)
    checkPriority(priority)
    this.remove(id)
    this.#push(waiting, priority)
  }

  /** Takes a waiting function out; an id that does not wait is ignored. */
  remove(id: string): void {
    const waiting = this.#byId.get(id)
    if (!waiting) return
    for (const lane of this.#lanes) if (lane.cancel(waiting)) break
    this.#forget(waiting)
  }

  #push({ id, run, tokens }: Pick<Waiting, 'id' | 'run' | 'tokens'>, priority: number): void {
    const arrival = this.#options.clock.now() / 1000
    const waiting: Waiting = { id, run, tokens, arrival, turn: this.#turns++, ticket: -1 }
    this.#laneOf(priority).push(waiting)
    this.#size++
    if (id !== undefined) this.#byId.set(id, waiting)
  }

  #laneOf(priority: number): PriorityLane {
    const known = this.#lanes.find((lane) => lane.priority === priority)
    if (known) return known
    const lane = new PriorityLane(this.#options, priority)
    this.#lanes.push(lane)
    this.#lanes.sort((a, b) => b.priority - a.priority)
    return lane
  }

  #forget(waiting: Waiting): void {
    this.#size--
    if (waiting.id !== undefined && this.#byId.get(waiting.id) === waiting) this.#byId.delete(waiting.id)
  }
}

/** @throws {ConfigError} `config_invalid` */
function checkPriority(priority: number): void {
  if (!Number.isFinite(priority))
    throw new ConfigError('config_invalid', `priority must be a finite number, got ${priority}`)
}

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
