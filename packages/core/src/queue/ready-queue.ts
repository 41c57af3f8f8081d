import * as abi from '../abi.js'
import { requireLength } from '../checks.js'
import type { ServeCore } from '../core.js'
import { ConfigError, Problems } from '../errors.js'
import { Arena } from '../memory/arena.js'

/**
 * What leaves first.
 *
 *     fifo    what came first
 *     class   the smallest key, effective tokens rounded to a class; push and pop take the same time at any depth
 *     exact   the smallest key, a heap: O(log n)
 *
 * Equal keys leave in the order of their pushes; in `class`, so do all requests of one class.
 */
export type QueueOrder = 'fifo' | 'class' | 'exact'

/** Room, order and ageing of a queue. */
export interface ReadyQueueOptions {
  /** Most requests that wait, up to 16,777,215. Memory is planned for all of them: about 24 bytes each, 40 in order `exact` where `canAge`. */
  readonly capacity: number
  readonly order: QueueOrder
  /** Ageing: tokens by which a second of waiting makes a request shorter. Default 0: the longest may starve. */
  readonly slope?: number
  /** Whether `age` may be called. Default false. */
  readonly canAge?: boolean
  /**
   * φ: a request waits as if it were longer by this share of the expected tokens that its tenant already has waiting or
   * running. 0 (default): tenants don't matter. 1: self-clocked fair queueing, in which a tenant's own requests keep nearly
   * the order of arrival. In between a short request still passes its own tenant's longer ones, about 1/φ of them, and a tenant with
   * nothing outstanding waits behind no more than tokens/φ of another one's backlog.
   */
  readonly fairness?: number
  /** Tenants are 0 … tenants − 1. Used with `fairness` only. Default 1024, up to 1,048,576. */
  readonly tenants?: number
  /** Of `class`: equal parts into which an octave of tokens is cut, 1, 2, 4, 8 or 16. Default 4: classes 14 to 25 % wide. */
  readonly classesPerOctave?: number
  /** Of `class`: the first class holds everything below and near it. Default 1. */
  readonly lowest?: number
  /**
   * Of `class`: the last class begins near it and its requests count as so long, whatever they are: with ageing no request is
   * passed by one that came more than highest/slope seconds later. Default 32,768.
   */
  readonly highest?: number
}

const ORDERS: Readonly<Record<QueueOrder, number>> = {
  fifo: abi.QUEUE_FIFO,
  class: abi.QUEUE_CLASS,
  exact: abi.QUEUE_EXACT,
}
const MOST_ENTRIES = 2 ** 24 - 1
const MOST_TENANTS = 2 ** 20
const MOST_CLASSES = 1024
const BATCH = 1024 // IO of assembly/queue/layout.ts

/** Whether the number reaches the core as it is, not wrapped around. */
const isWord = (value: number): boolean => (value | 0) === value

/** The options with their defaults. @throws {ConfigError} `config_invalid` with every problem */
function complete(options: ReadyQueueOptions): Required<ReadyQueueOptions> {
  const whole = {
    slope: 0,
    canAge: false,
    fairness: 0,
    tenants: 1024,
    classesPerOctave: 4,
    lowest: 1,
    highest: 32_768,
    ...options,
  }
  const problems = new Problems()
  const check = (name: keyof ReadyQueueOptions, holds: boolean, must: string): void =>
    problems.check(holds, `${name} must be ${must}, got ${whole[name]}`)
  const inRange = (value: number, least: number, most: number): boolean =>
    Number.isInteger(value) && value >= least && value <= most
  const isAmount = (value: number): boolean => value >= 0 && value < Number.POSITIVE_INFINITY
  check('capacity', inRange(whole.capacity, 1, MOST_ENTRIES), `a whole number of 1 … ${MOST_ENTRIES}`)
  check('order', whole.order in ORDERS, 'fifo, class or exact')
  check('slope', isAmount(whole.slope), 'tokens per second, 0 or more')
  check('canAge', typeof whole.canAge === 'boolean', 'true or false')
  check('fairness', isAmount(whole.fairness), '0 or more')
  check('tenants', inRange(whole.tenants, 1, MOST_TENANTS), `a whole number of 1 … ${MOST_TENANTS}`)
  check('classesPerOctave', [1, 2, 4, 8, 16].includes(whole.classesPerOctave), '1, 2, 4, 8 or 16')
  check('lowest', isAmount(whole.lowest) && whole.lowest > 0, 'tokens, more than 0')
  check('highest', isAmount(whole.highest) && whole.highest >= whole.lowest, 'tokens, no fewer than lowest')
  const octaves = Math.log2(whole.highest / whole.lowest)
  problems.check(
    !(octaves * whole.classesPerOctave > MOST_CLASSES - 2),
    `lowest ${whole.lowest} to highest ${whole.highest} with ${whole.classesPerOctave} classes an octave are more than ${MOST_CLASSES} classes`,
  )
  problems.throwIfAny('ReadyQueue')
  return whole
}

/**
 * Which waiting request is served next: the shortest, made shorter by its waiting.
 *
 * The key of a request, effective tokens + slope · arrival, is fixed when it enters, unless `age` changes what a token counts
 * for: since all grow older at the same rate, their order never changes and nothing is ever sorted again. Requests leave by
 * the smallest key. With ageing, none is passed by
 * one that arrived more than (its effective tokens − the other's) / slope seconds later; in order `class` effective tokens
 * are those of the middle of the class.
 *
 * Source: dissertation 6.3.3 (SSJF) and 6.3.5 (ageing); fairness as in self-clocked fair queueing (Golestani 1994), with
 * slope · time as the virtual clock.
 *
 * @example
 * const queue = new ReadyQueue(core, { capacity: 1000, order: 'class', slope: 1 })
 * const long = queue.push(800, 0)
 * const short = queue.push(20, 0.5)
 * queue.pop() === short // true
 */
export class ReadyQueue {
  readonly options: Required<ReadyQueueOptions>
  readonly #core: ServeCore
  readonly #arena: Arena

  /** @throws {ConfigError} `config_invalid` with every problem; {CoreError} `core_out_of_memory` */
  constructor(core: ServeCore, options: ReadyQueueOptions) {
    const whole = complete(options)
    const { capacity, classesPerOctave, lowest, highest, slope, fairness, tenants } = whole
    this.options = whole
    this.#core = core
    const order = ORDERS[whole.order]
    const parts = Math.log2(classesPerOctave)
    const canAge = whole.canAge ? 1 : 0
    const bytes = core.exports.queue_bytes(order, capacity, parts, lowest, highest, fairness, tenants, canAge)
    this.#arena = new Arena(core, bytes, 'ReadyQueue', { capacity, tenants })
    const { pointer } = this.#arena
    core.exports.queue_create(pointer, order, capacity, parts, lowest, highest, slope, fairness, tenants, canAge)
  }

  /** Where the queue lies, for sibling wrappers whose kernels use it. */
  get pointer(): number {
    return this.#arena.pointer
  }

  /** Requests that wait. */
  get size(): number {
    return this.#core.exports.queue_size(this.#arena.pointer)
  }

  /**
   * A request enters.
   *
   * @param tokens   expected output tokens, ≥ 0
   * @param arrival  seconds; any origin, but one for all. In order `class` a class keeps the order of pushes, whatever they say.
   * @param tenant   whose request it is; matters with `fairness`
   * @returns its ticket, below `capacity` and its own until it leaves; −1 when the queue is full
   * @throws {ConfigError} `not_finite`, `tenant_unknown`; nothing changed
   */
  push(tokens: number, arrival: number, tenant = 0): number {
    if (!isWord(tenant)) return this.#refused(abi.OUT_OF_RANGE, tokens, arrival, tenant)
    const ticket = this.#core.exports.queue_push(this.#arena.pointer, tokens, arrival, tenant)
    return ticket >= 0 ? ticket : this.#refused(ticket, tokens, arrival, tenant)
  }

  /** The ticket of the request to serve next, which leaves the queue; −1 when none waits. Its tenant's tokens stay outstanding until `finish`. */
  pop(): number {
    const ticket = this.#core.exports.queue_pop(this.#arena.pointer)
    return ticket >= 0 ? ticket : -1
  }

  /** The ticket that `pop` would return. */
  peek(): number {
    const ticket = this.#core.exports.queue_peek(this.#arena.pointer)
    return ticket >= 0 ? ticket : -1
  }

  /** Takes a waiting request out, in constant (amortised) time. Returns whether it waited. */
  cancel(ticket: number): boolean {
    return isWord(ticket) && this.#core.exports.queue_cancel(this.#arena.pointer, ticket) === 1
  }

  /** Whether a request waits under this ticket. */
  has(ticket: number): boolean {
    return isWord(ticket) && this.#core.exports.queue_has(this.#arena.pointer, ticket) === 1
  }

  /**
   * Work of a tenant that is done or was given up: no longer outstanding. For a popped request, the tokens it was pushed with.
   * @throws {ConfigError} `not_finite`, `tenant_unknown`
   */
  finish(tenant: number, tokens: number): void {
    const status = isWord(tenant)
      ? this.#core.exports.queue_finish(this.#arena.pointer, tenant, tokens)
      : abi.OUT_OF_RANGE
    if (status < 0) this.#refused(status, tokens, 0, tenant)
  }

  /** Expected tokens of a tenant that wait or run; 0 without `fairness`. */
  outstanding(tenant: number): number {
    return this.#core.exports.queue_outstanding(this.#arena.pointer, tenant)
  }

  /**
   * Pushes row after row until one is refused.
   *
   * @param tokens   [N]
   * @param arrivals [N] seconds
   * @param tickets  [N] receives the tickets
   * @param tenants  [N] default all 0
   * @returns how many entered: N, or fewer when the queue is full
   * @throws {ConfigError} `size_mismatch`; `not_finite`, `tenant_unknown`: the rows before that one have entered
   */
  pushMany(
    tokens: Float64Array,
    arrivals: Float64Array,
    tickets: Int32Array,
    tenants?: Int32Array | undefined,
  ): number {
    const n = tokens.length
    requireLength('arrivals', arrivals, n)
    requireLength('tickets', tickets, n)
    if (tenants) requireLength('tenants', tenants, n)
    for (let from = 0; from < n; from += BATCH) {
      const count = Math.min(BATCH, n - from)
      const io = this.#io()
      io.tokens.set(tokens.subarray(from, from + count))
      io.arrivals.set(arrivals.subarray(from, from + count))
      if (tenants) io.tenants.set(tenants.subarray(from, from + count))
      else io.tenants.fill(0)
      const done = this.#core.exports.queue_push_many(this.#arena.pointer, count)
      tickets.set(io.tickets.subarray(0, done), from)
      const row = from + done
      if (done === count) continue
      if (this.size === this.options.capacity) return row
      this.push(tokens[row]!, arrivals[row]!, tenants?.[row]) // refused as it was: says why
    }
    return n
  }

  /** Pops into `tickets` until it is full or nothing waits; returns how many. */
  popMany(tickets: Int32Array): number {
    for (let from = 0; from < tickets.length; from += BATCH) {
      const count = Math.min(BATCH, tickets.length - from)
      const done = this.#core.exports.queue_pop_many(this.#arena.pointer, count)
      tickets.set(this.#io().tickets.subarray(0, done), from)
      if (done < count) return from + done
    }
    return tickets.length
  }

  /**
   * From now on, for those that wait too, a token counts `scale` times and those of a request above `cap` not at all; with
   * `fairness` the cap is for those that enter. In order `class` it takes a microsecond or so, in `exact` a moment for each
   * request that waits. 1 and Infinity until it is called.
   * @throws {ConfigError} `not_finite`; `config_invalid` without `canAge`
   */
  age(scale: number, cap: number): void {
    if (!this.options.canAge)
      throw new ConfigError('config_invalid', 'the keys of this queue are fixed as requests enter (set canAge: true)')
    if (this.#core.exports.queue_age(this.#arena.pointer, scale, cap) >= 0) return
    throw new ConfigError('not_finite', `scale must be a number ≥ 0 and cap ≥ 0, got ${scale} and ${cap}`)
  }

  /** Everything leaves, and no tenant has anything outstanding. */
  clear(): void {
    this.#core.exports.queue_clear(this.#arena.pointer)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Columns of a batch, as laid out in assembly/queue/layout.ts. */
  #io(): { tokens: Float64Array; arrivals: Float64Array; tenants: Int32Array; tickets: Int32Array } {
    const at = this.#core.exports.queue_io(this.#arena.pointer)
    const { buffer } = this.#core.memory
    return {
      tokens: new Float64Array(buffer, at, BATCH),
      arrivals: new Float64Array(buffer, at + 8 * BATCH, BATCH),
      tenants: new Int32Array(buffer, at + 16 * BATCH, BATCH),
      tickets: new Int32Array(buffer, at + 20 * BATCH, BATCH),
    }
  }

  #refused(status: number, tokens: number, arrival: number, tenant: number): number {
    if (status === abi.FULL) return -1
    if (status === abi.OUT_OF_RANGE) {
      throw new ConfigError(
        'tenant_unknown',
        `tenant must be a whole number of 0 … ${this.options.tenants - 1}, got ${tenant} (set tenants to as many as there are)`,
      )
    }
    throw new ConfigError(
      'not_finite',
      `tokens must be a finite number >= 0 and the arrival finite, got ${tokens} tokens at ${arrival} s`,
    )
  }
}
