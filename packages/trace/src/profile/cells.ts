import { unshared } from './call-paths.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import { ExactSums, MAX_TIME_NS } from './exact-sums.js'
import { bucketOf, Histograms } from './histogram.js'
import { grown } from './pair-table.js'

const COUNTERS = ['requests', 'onPathRequests', 'calls', 'errors', 'background'] as const
const SUMS = ['self', 'selfSquares', 'selfLatency', 'own', 'ownSquares'] as const
const HISTOGRAMS = ['selfTimes', 'ownTimes'] as const

/**
 * What is known of each call path (or service, edge, instance): one row a cell, one column a fact, sums of exact integers. Which cell is whose is the caller's.
 *
 * A request is noted span by span (`note`) and then taken in as a whole (`endRequest`): the unit of every statistic is the
 * request, so a service called a hundred times in one request has one time in it.
 */
export class Cells {
  /** Requests it took part in. */
  requests: Float64Array = new Float64Array(16)
  /** Requests on whose critical path it was. */
  onPathRequests: Float64Array = new Float64Array(16)
  /** Its spans. */
  calls: Float64Array = new Float64Array(16)
  errors: Float64Array = new Float64Array(16)
  /** Its spans that nobody waits for. */
  background: Float64Array = new Float64Array(16)

  /** Σ of its time on the path of each request, the same squared, and times the request's latency. */
  readonly self: ExactSums = new ExactSums()
  readonly selfSquares: ExactSums = new ExactSums()
  readonly selfLatency: ExactSums = new ExactSums()
  /** Σ of its own time in each request, on the path or not, and the same squared. */
  readonly own: ExactSums = new ExactSums()
  readonly ownSquares: ExactSums = new ExactSums()
  /** Its time on the path, of requests on whose path it was. */
  readonly selfTimes: Histograms = new Histograms()
  /** Its own time, of requests it took part in. */
  readonly ownTimes: Histograms = new Histograms()

  /** The longest time on a path, and in which trace that was (the smallest id among equals). */
  slowestNs: Float64Array = new Float64Array(16)
  readonly slowestTrace: string[] = []

  // the request being noted
  #noted = new Int32Array(16)
  #notedSize = 0
  #calls = new Float64Array(16)
  #errors = new Float64Array(16)
  #background = new Float64Array(16)
  #selfNs = new Float64Array(16)
  #ownNs = new Float64Array(16)

  get size(): number {
    return this.slowestTrace.length
  }

  /** Makes cells 0 … size − 1; those there stay as they are. */
  reserve(size: number): void {
    while (this.slowestTrace.length < size) this.slowestTrace.push('')
    if (size <= this.requests.length) return
    for (const counter of [...COUNTERS, 'slowestNs'] as const) this[counter] = grown(this[counter], size)
    for (const sum of SUMS) this[sum].reserve(size)
    this.#noted = grown(this.#noted, size)
    this.#calls = grown(this.#calls, size)
    this.#errors = grown(this.#errors, size)
    this.#background = grown(this.#background, size)
    this.#selfNs = grown(this.#selfNs, size)
    this.#ownNs = grown(this.#ownNs, size)
  }

  /** Adds spans of the current request. */
  note(cell: number, calls: number, errors: number, background: number, selfNs: number, ownNs: number): void {
    if (this.#calls[cell] === 0) this.#noted[this.#notedSize++] = cell
    this.#calls[cell]! += calls
    this.#errors[cell]! += errors
    this.#background[cell]! += background
    this.#selfNs[cell]! += selfNs
    this.#ownNs[cell]! += ownNs
  }

  /** Calls `visit` with what was noted of each cell in the current request. */
  eachNoted(
    visit: (cell: number, calls: number, errors: number, background: number, selfNs: number, ownNs: number) => void,
  ): void {
    for (let i = 0; i < this.#notedSize; i++) {
      const cell = this.#noted[i]!
      visit(
        cell,
        this.#calls[cell]!,
        this.#errors[cell]!,
        this.#background[cell]!,
        this.#selfNs[cell]!,
        this.#ownNs[cell]!,
      )
    }
  }

  /** Takes in the request that was noted. */
  endRequest(latencyNs: number, traceId: string): void {
    for (let i = 0; i < this.#notedSize; i++) {
      const cell = this.#noted[i]!
      const selfNs = Math.min(this.#selfNs[cell]!, MAX_TIME_NS)
      const ownNs = Math.min(this.#ownNs[cell]!, MAX_TIME_NS)
      this.requests[cell]! += 1
      this.calls[cell]! += this.#calls[cell]!
      this.errors[cell]! += this.#errors[cell]!
      this.background[cell]! += this.#background[cell]!
      if (selfNs > 0) {
        this.onPathRequests[cell]! += 1
        this.self.add(cell, selfNs)
        this.selfSquares.addProduct(cell, selfNs, selfNs)
        this.selfLatency.addProduct(cell, selfNs, latencyNs)
        this.selfTimes.add(cell, bucketOf(selfNs))
        if (selfNs >= this.slowestNs[cell]!) this.#offerSlowest(cell, selfNs, traceId)
      }
      this.own.add(cell, ownNs)
      this.ownSquares.addProduct(cell, ownNs, ownNs)
      this.ownTimes.add(cell, bucketOf(ownNs))
      this.#calls[cell] = 0
      this.#errors[cell] = 0
      this.#background[cell] = 0
      this.#selfNs[cell] = 0
      this.#ownNs[cell] = 0
    }
    this.#notedSize = 0
  }

  /** Adds all of `other`, whose cell c is this one's cells[c]. */
  merge(other: Cells, cells: Int32Array): void {
    for (let from = 0; from < other.size; from++) {
      const to = cells[from]!
      for (const counter of COUNTERS) this[counter][to]! += other[counter][from]!
      for (const sum of SUMS) this[sum].addFrom(other[sum], from, to)
      if (other.onPathRequests[from]! > 0) this.#offerSlowest(to, other.slowestNs[from]!, other.slowestTrace[from]!)
    }
    for (const histogram of HISTOGRAMS) this[histogram].merge(other[histogram], cells)
  }

  /** The cells in the given order, as columns and strings under prefixed names. */
  save(prefix: string, order: Int32Array): ColumnFile {
    const columns: Record<string, Float64Array | Int32Array> = {}
    for (const counter of [...COUNTERS, 'slowestNs'] as const) {
      columns[`${prefix}.${counter}`] = Float64Array.from(order, (cell) => this[counter][cell]!)
    }
    for (const sum of SUMS) columns[`${prefix}.${sum}`] = this[sum].words(order)
    for (const histogram of HISTOGRAMS) Object.assign(columns, this[histogram].save(`${prefix}.${histogram}`, order))
    return { columns, meta: { [`${prefix}.slowestTrace`]: Array.from(order, (cell) => this.slowestTrace[cell]!) } }
  }

  /** Takes back what `save` gave; the cells exist, in the order of saving, and are empty. */
  load(prefix: string, reader: ColumnReader): void {
    const { size } = this
    for (const counter of [...COUNTERS, 'slowestNs'] as const) {
      this[counter].set(reader.counts(`${prefix}.${counter}`, size))
    }
    for (const sum of SUMS) this[sum].setWords(reader.counts(`${prefix}.${sum}`, 3 * size))
    for (const histogram of HISTOGRAMS) this[histogram].load(`${prefix}.${histogram}`, size, reader)
    const traces = reader.strings(`${prefix}.slowestTrace`, size)
    for (let cell = 0; cell < size; cell++) this.slowestTrace[cell] = traces[cell]!
  }

  #offerSlowest(cell: number, selfNs: number, traceId: string): void {
    const longest = this.slowestNs[cell]!
    if (selfNs < longest || (selfNs === longest && longest > 0 && this.slowestTrace[cell]! <= traceId)) return
    this.slowestNs[cell] = selfNs
    this.slowestTrace[cell] = unshared(traceId)
  }
}
