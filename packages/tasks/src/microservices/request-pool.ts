import type { Plan } from './plan.js'

// Values of `phase`.
/** Chance left it out. */
export const LEFT_OUT = 0
/** To be called, if nothing fails before. */
export const PLANNED = 1
export const BEFORE_CALLS = 2
export const CALLING = 3
export const AFTER_CALLS = 4
export const ENDED = 5

// Values of `failed`.
export const REFUSED = 1
export const EXPIRED = 2

type Column = Float64Array | Int32Array | Uint8Array

/**
 * Requests under way: a row for each request, and for its visits a block of rows in the order of its plan, so that visit
 * `first + n` is the plan's visit n. Columns are replaced when they grow: read them from here.
 */
export class RequestPool {
  // of requests
  type: Int32Array = new Int32Array(16)
  first: Int32Array = new Int32Array(16)
  /** Visits that were made or begun and have not ended. */
  open: Int32Array = new Int32Array(16)
  number: Float64Array = new Float64Array(16)
  deadlineUs: Float64Array = new Float64Array(16)
  // of visits
  request: Int32Array = new Int32Array(64)
  instance: Int32Array = new Int32Array(64)
  /** Which of its calls come next. */
  cursor: Int32Array = new Int32Array(64)
  /** Responses it waits for. */
  pending: Int32Array = new Int32Array(64)
  phase: Uint8Array = new Uint8Array(64)
  failed: Uint8Array = new Uint8Array(64)
  startUs: Float64Array = new Float64Array(64)
  endUs: Float64Array = new Float64Array(64)
  queuedUs: Float64Array = new Float64Array(64)
  /** Drawn with the request: the work's multiple of its mean, what picks the replica (uniform), how long packets are delayed (normal). */
  factor: Float64Array = new Float64Array(64)
  choice: Float64Array = new Float64Array(64)
  noise: Float64Array = new Float64Array(64)
  inFlight = 0
  #requests = 0
  #visits = 0
  #freeRequests: number[] = []
  readonly #freeBlocks = new Map<number, number[]>()

  /** A row for a request of this plan; all its visits are left out. */
  take(plan: Plan, type: number, number: number, deadlineUs: number): number {
    this.inFlight++
    const request = this.#freeRequests.pop() ?? this.#newRequest()
    const first = this.#freeBlocks.get(plan.size)?.pop() ?? this.#newBlock(plan.size)
    this.type[request] = type
    this.first[request] = first
    this.open[request] = 0
    this.number[request] = number
    this.deadlineUs[request] = deadlineUs
    this.request.fill(request, first, first + plan.size)
    this.phase.fill(LEFT_OUT, first, first + plan.size)
    this.failed.fill(0, first, first + plan.size)
    this.cursor.fill(0, first, first + plan.size)
    this.pending.fill(0, first, first + plan.size)
    return request
  }

  give(request: number, plan: Plan): void {
    this.inFlight--
    this.#freeRequests.push(request)
    const blocks = this.#freeBlocks.get(plan.size)
    if (blocks) blocks.push(this.first[request]!)
    else this.#freeBlocks.set(plan.size, [this.first[request]!])
  }

  #newRequest(): number {
    if (this.#requests === this.type.length) for (const name of REQUEST_COLUMNS) this.#double(name)
    return this.#requests++
  }

  #newBlock(size: number): number {
    const first = this.#visits
    this.#visits += size
    while (this.#visits > this.request.length) for (const name of VISIT_COLUMNS) this.#double(name)
    const columns = this as unknown as Record<string, Column>
    for (const name of VISIT_COLUMNS) columns[name]!.fill(0, first, this.#visits) // of before `clear` or `load`
    return first
  }

  #double(name: (typeof REQUEST_COLUMNS | typeof VISIT_COLUMNS)[number]): void {
    const columns = this as unknown as Record<string, Column>
    const old = columns[name]!
    const grown = new (old.constructor as new (length: number) => Column)(2 * old.length)
    grown.set(old)
    columns[name] = grown
  }

  clear(): void {
    this.inFlight = 0
    this.#requests = 0
    this.#visits = 0
    this.#freeRequests = []
    this.#freeBlocks.clear()
  }

  save(): ArrayLike<number>[] {
    const blocks = [...this.#freeBlocks].flatMap(([size, firsts]) => [size, firsts.length, ...firsts])
    const columns = this as unknown as Record<string, Column>
    return [
      [this.inFlight, this.#requests, this.#visits],
      this.#freeRequests,
      blocks,
      ...REQUEST_COLUMNS.map((name) => columns[name]!.subarray(0, this.#requests)),
      ...VISIT_COLUMNS.map((name) => columns[name]!.subarray(0, this.#visits)),
    ]
  }

  /** @param next  gives the parts of `save` in their order */
  load(next: () => Float64Array): void {
    const [inFlight, requests, visits] = next()
    this.inFlight = inFlight!
    this.#requests = requests!
    this.#visits = visits!
    this.#freeRequests = [...next()]
    this.#freeBlocks.clear()
    const blocks = next()
    for (let at = 0; at < blocks.length; at += 2 + blocks[at + 1]!)
      this.#freeBlocks.set(blocks[at]!, [...blocks.subarray(at + 2, at + 2 + blocks[at + 1]!)])
    const columns = this as unknown as Record<string, Column>
    for (const name of [...REQUEST_COLUMNS, ...VISIT_COLUMNS]) {
      const part = next()
      while (columns[name]!.length < part.length) this.#double(name)
      columns[name]!.set(part)
    }
  }
}

const REQUEST_COLUMNS = ['type', 'first', 'open', 'number', 'deadlineUs'] as const
const VISIT_COLUMNS = [
  'request',
  'instance',
  'cursor',
  'pending',
  'phase',
  'failed',
  'startUs',
  'endUs',
  'queuedUs',
  'factor',
  'choice',
  'noise',
] as const
