import { unshared } from './call-paths.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import { addProduct, addSum, addTime, MAX_TIME_NS, SUM_WORDS } from './exact-sum.js'
import { bucketOf, Histograms } from './histogram.js'
import { grown } from './pair-table.js'

/** Facts about a cell: places in its row of `Cells.facts`. The first five are counts, the others as `exact-sum.ts`. */
export const REQUESTS = 0 // it took part in
export const ON_PATH_REQUESTS = 1 // on whose critical path it was
export const CALLS = 2 // its spans
export const ERRORS = 3 // its spans that failed
export const BACKGROUND = 4 // its spans that nobody waits for
const SLOWEST_NS = 5 // its longest time on a path
export const SELF = 6 // Σ of its time on the path of each request
export const SELF_SQUARES: number = SELF + SUM_WORDS
export const SELF_LATENCY: number = SELF_SQUARES + SUM_WORDS // Σ of that times the request's latency
export const OWN: number = SELF_LATENCY + SUM_WORDS // Σ of its own time in each request, on the path or not
export const OWN_SQUARES: number = OWN + SUM_WORDS
const FACTS: number = OWN_SQUARES + SUM_WORDS
/** Numbers in a row of `Cells.facts`. */
export const FACTS_STRIDE: number = FACTS + 5
// the request being noted
const NOTED_CALLS = FACTS
const NOTED_ERRORS = FACTS + 1
const NOTED_BACKGROUND = FACTS + 2
const NOTED_SELF = FACTS + 3
const NOTED_OWN = FACTS + 4

/**
 * What is known of each call path (or service, edge, instance), a row of numbers each. Which cell is whose is the caller's.
 *
 * A request is noted span by span (`note`) and then taken in as a whole (`endRequest`): the unit of every statistic is the
 * request, so a service called a hundred times in one request has one time in it.
 */
export class Cells {
  /** [cells, FACTS_STRIDE] */
  facts: Float64Array = new Float64Array(16 * FACTS_STRIDE)
  /** Its time on the path, of requests on whose path it was. */
  readonly selfTimes: Histograms = new Histograms()
  /** Its own time, of requests it took part in; kept where it is worth the room. */
  readonly ownTimes: Histograms | undefined
  /** [cells] in which trace its longest time on a path was, the smallest id among equals. */
  readonly #slowestTrace: string[] = []
  #noted = new Int32Array(16)
  #notedSize = 0

  constructor(options: { readonly ownTimes: boolean }) {
    this.ownTimes = options.ownTimes ? new Histograms() : undefined
  }

  get size(): number {
    return this.#slowestTrace.length
  }

  /** Makes cells 0 … size − 1; those there stay as they are. */
  reserve(size: number): void {
    while (this.#slowestTrace.length < size) this.#slowestTrace.push('')
    this.facts = grown(this.facts, size * FACTS_STRIDE)
    this.#noted = grown(this.#noted, size)
  }

  /** The request with the cell's longest time on a path; undefined if it never was on one. */
  slowest(cell: number): { readonly traceId: string; readonly selfNs: number } | undefined {
    const selfNs = this.facts[cell * FACTS_STRIDE + SLOWEST_NS]!
    return selfNs > 0 ? { traceId: this.#slowestTrace[cell]!, selfNs } : undefined
  }

  /** Adds spans of the current request. */
  note(cell: number, calls: number, errors: number, background: number, selfNs: number, ownNs: number): void {
    const { facts } = this
    const at = cell * FACTS_STRIDE
    if (facts[at + NOTED_CALLS] === 0) this.#noted[this.#notedSize++] = cell
    facts[at + NOTED_CALLS]! += calls
    facts[at + NOTED_ERRORS]! += errors
    facts[at + NOTED_BACKGROUND]! += background
    facts[at + NOTED_SELF]! += selfNs
    facts[at + NOTED_OWN]! += ownNs
  }

  /** Calls `visit` with every cell of the current request and its time on the path. */
  eachNoted(visit: (cell: number, selfNs: number) => void): void {
    for (let i = 0; i < this.#notedSize; i++) {
      const cell = this.#noted[i]!
      visit(cell, this.facts[cell * FACTS_STRIDE + NOTED_SELF]!)
    }
  }

  /** Takes in the request that was noted. */
  endRequest(latencyNs: number, traceId: string): void {
    const { facts, selfTimes, ownTimes } = this
    for (let i = 0; i < this.#notedSize; i++) {
      const cell = this.#noted[i]!
      const at = cell * FACTS_STRIDE
      const selfNs = Math.min(facts[at + NOTED_SELF]!, MAX_TIME_NS)
      const ownNs = Math.min(facts[at + NOTED_OWN]!, MAX_TIME_NS)
      facts[at + REQUESTS]! += 1
      facts[at + CALLS]! += facts[at + NOTED_CALLS]!
      facts[at + ERRORS]! += facts[at + NOTED_ERRORS]!
      facts[at + BACKGROUND]! += facts[at + NOTED_BACKGROUND]!
      if (selfNs > 0) {
        facts[at + ON_PATH_REQUESTS]! += 1
        addTime(facts, at + SELF, selfNs)
        addProduct(facts, at + SELF_SQUARES, selfNs, selfNs)
        addProduct(facts, at + SELF_LATENCY, selfNs, latencyNs)
        selfTimes.add(cell, bucketOf(selfNs), 1)
        if (selfNs >= facts[at + SLOWEST_NS]!) this.#offerSlowest(cell, selfNs, traceId)
      }
      addTime(facts, at + OWN, ownNs)
      addProduct(facts, at + OWN_SQUARES, ownNs, ownNs)
      ownTimes?.add(cell, bucketOf(ownNs), 1)
      for (let noted = at + FACTS; noted < at + FACTS_STRIDE; noted++) facts[noted] = 0
    }
    this.#notedSize = 0
  }

  /** Adds all of `other`, whose cell c is this one's cells[c]. */
  merge(other: Cells, cells: Int32Array): void {
    const { facts } = this
    for (let from = 0; from < other.size; from++) {
      const to = cells[from]!
      const at = to * FACTS_STRIDE
      const otherAt = from * FACTS_STRIDE
      for (let fact = REQUESTS; fact <= BACKGROUND; fact++) facts[at + fact]! += other.facts[otherAt + fact]!
      for (let fact = SELF; fact < FACTS; fact += SUM_WORDS) addSum(facts, at + fact, other.facts, otherAt + fact)
      const slowest = other.slowest(from)
      if (slowest) this.#offerSlowest(to, slowest.selfNs, slowest.traceId)
    }
    this.selfTimes.merge(other.selfTimes, cells)
    if (other.ownTimes) this.ownTimes?.merge(other.ownTimes, cells)
  }

  /** The cells in the given order, as columns and strings under prefixed names. */
  save(prefix: string, order: Int32Array): ColumnFile {
    const facts = new Float64Array(order.length * FACTS)
    for (let place = 0; place < order.length; place++) {
      const at = order[place]! * FACTS_STRIDE
      facts.set(this.facts.subarray(at, at + FACTS), place * FACTS)
    }
    return {
      columns: {
        [`${prefix}.facts`]: facts,
        ...this.selfTimes.save(`${prefix}.selfTimes`, order),
        ...this.ownTimes?.save(`${prefix}.ownTimes`, order),
      },
      meta: { [`${prefix}.slowest`]: Array.from(order, (cell) => this.#slowestTrace[cell]!) },
    }
  }

  /** Takes back what `save` gave; the cells exist, in the order of saving, and are empty. */
  load(prefix: string, reader: ColumnReader): void {
    const { size } = this
    const facts = reader.counts(`${prefix}.facts`, size * FACTS)
    const traces = reader.strings(`${prefix}.slowest`, size)
    for (let cell = 0; cell < size; cell++) {
      this.facts.set(facts.subarray(cell * FACTS, (cell + 1) * FACTS), cell * FACTS_STRIDE)
      this.#slowestTrace[cell] = traces[cell]!
    }
    this.selfTimes.load(`${prefix}.selfTimes`, size, reader)
    this.ownTimes?.load(`${prefix}.ownTimes`, size, reader)
  }

  #offerSlowest(cell: number, selfNs: number, traceId: string): void {
    const at = cell * FACTS_STRIDE + SLOWEST_NS
    const longest = this.facts[at]!
    if (selfNs < longest || (selfNs === longest && this.#slowestTrace[cell]! <= traceId)) return
    this.facts[at] = selfNs
    this.#slowestTrace[cell] = unshared(traceId)
  }
}
