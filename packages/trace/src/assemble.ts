import { AssembledTrace } from './assembled-trace.js'
import { compareContent } from './content-order.js'
import { IdTable } from './id-table.js'
import { NO_ID } from './ids.js'
import type { Names } from './names.js'
import type { RepairCode, Repairs } from './repairs.js'
import { MAX_LENGTH_US, MAX_TIME_US, SELF_REFERENCE, SEVERAL_PARENTS, type SpanColumns } from './span-columns.js'
import { ERROR, FOLLOWS_FROM } from './types.js'

const NO_PARENT = -1

// Why a span is a root, the best reason first.
const PARENTLESS = 0
const OWN_PARENT = 1
const ORPHAN = 2
const RING = 3

/** Whether a span's times can be believed; the end may be missing (NaN). */
function isTime(startUs: number, endUs: number): boolean {
  if (!(Math.abs(startUs) <= MAX_TIME_US) || Math.abs(endUs) > MAX_TIME_US) return false
  return !(endUs - startUs > MAX_LENGTH_US)
}

/**
 * Makes one trace at a time of the rows readers wrote, in time linear in them and whatever order they came in.
 *
 * Spans have two numbers here: their row in the columns and their place in the trace, 0…N−1.
 */
export class Assembler {
  readonly #columns: SpanColumns
  readonly #names: Names
  readonly #table = new IdTable()
  /** [N] row of each place. */
  #rows = new Int32Array(0)
  /** [rows] place of each row of this trace. */
  #places = new Int32Array(0)
  /** [N] scratch of the walks. */
  #marks = new Int32Array(0)
  /** Rows whose id belongs to another span. */
  readonly #renamed = new Set<number>()
  #size = 0
  #hashRound = 0
  #traceId = ''
  #repairs: Repairs | undefined

  constructor(columns: SpanColumns, names: Names) {
    this.#columns = columns
    this.#names = names
  }

  /**
   * @param order    rows; those of this trace are `[from, to)` of it
   * @param repairs  of this trace so far; what is mended here is counted there too
   * @returns nothing if no row can be used
   */
  assemble(traceId: string, order: Int32Array, from: number, to: number, repairs: Repairs): AssembledTrace | undefined {
    this.#traceId = traceId
    this.#repairs = repairs
    this.#renamed.clear()
    this.#hashRound = 0
    this.#pickUsable(order, from, to)
    if (this.#size === 0) return undefined
    this.#separateDuplicates()
    const trace = new AssembledTrace(traceId, this.#size, this.#names, this.#columns.id.texts, repairs)
    this.#findParents(trace.parent)
    this.#cutCycles(trace.parent)
    this.#settleEnds(trace.parent)
    trace.root = this.#pickRoot(trace.parent)
    this.#fill(trace)
    if (this.#renamed.size > 0) trace.renamed = this.#newIds()
    return trace
  }

  #count(code: RepairCode, row: number): void {
    this.#repairs?.add(code, () => `${this.#traceId}/${this.#columns.id.text(row)}`)
  }

  #pickUsable(order: Int32Array, from: number, to: number): void {
    const { id, startUs, endUs, size } = this.#columns
    if (this.#rows.length < to - from) {
      this.#rows = new Int32Array((to - from) * 2)
      this.#marks = new Int32Array((to - from) * 2)
    }
    if (this.#places.length < size) this.#places = new Int32Array(size * 2)
    this.#size = 0
    for (let at = from; at < to; at++) {
      const row = order[at]!
      if (id.form[row] === NO_ID) this.#count('unreadable_span', row)
      else if (!isTime(startUs[row]!, endUs[row]!)) this.#count('time_invalid', row)
      else this.#rows[this.#size++] = row
    }
  }

  /** Fills the table with the ids of all rows but the renamed ones. @returns rows whose id was there already */
  #index(): number[] {
    const { id } = this.#columns
    for (;;) {
      const repeated: number[] = []
      this.#table.clear(this.#size, this.#hashRound)
      for (let place = 0; place < this.#size && !this.#table.isTooSlow; place++) {
        const row = this.#rows[place]!
        if (this.#renamed.size > 0 && this.#renamed.has(row)) continue
        if (this.#table.insert(id, row) !== row) repeated.push(row)
      }
      if (!this.#table.isTooSlow) return repeated
      this.#hashRound++
    }
  }

  /** Of spans that share an id, the first in content order keeps it; copies of a span go. */
  #separateDuplicates(): void {
    const repeated = this.#index()
    if (repeated.length === 0) return
    const groups = new Map<number, number[]>()
    for (const row of repeated) {
      const first = this.#table.find(this.#columns.id, this.#columns.id, row)
      const group = groups.get(first)
      if (group) group.push(row)
      else groups.set(first, [first, row])
    }
    const copies = new Set<number>()
    const compare = (a: number, b: number) => compareContent(this.#columns, this.#names, a, b)
    for (const group of groups.values()) {
      group.sort(compare)
      for (let at = 1; at < group.length; at++) {
        const row = group[at]!
        if (compare(group[at - 1]!, row) === 0) {
          copies.add(row)
          this.#count('duplicate_span', row)
        } else {
          this.#renamed.add(row)
          this.#count('duplicate_id', row)
        }
      }
    }
    let kept = 0
    for (let place = 0; place < this.#size; place++) {
      if (!copies.has(this.#rows[place]!)) this.#rows[kept++] = this.#rows[place]!
    }
    this.#size = kept
    this.#index()
  }

  #findParents(parents: Int32Array): void {
    const { id, parent, flags } = this.#columns
    for (let place = 0; place < this.#size; place++) this.#places[this.#rows[place]!] = place
    for (let place = 0; place < this.#size; place++) {
      const row = this.#rows[place]!
      parents[place] = NO_PARENT
      if ((flags[row]! & SELF_REFERENCE) !== 0) this.#count('self_parent', row)
      if ((flags[row]! & SEVERAL_PARENTS) !== 0) this.#count('several_parents', row)
      if (parent.form[row] === NO_ID) continue
      if (this.#isOwnParent(row)) {
        this.#count('self_parent', row)
        continue
      }
      const found = this.#table.find(id, parent, row)
      if (found >= 0) parents[place] = this.#places[found]!
      else if (!parent.isZero(row)) this.#count('missing_parent', row)
      if (this.#table.isTooSlow) {
        this.#hashRound++
        this.#index()
      }
    }
  }

  #isOwnParent(row: number): boolean {
    const { id, parent } = this.#columns
    return id.low[row] === parent.low[row] && id.high[row] === parent.high[row] && id.form[row] === parent.form[row]
  }

  /** Follows every span up once; a walk that meets its own trail has found a ring. */
  #cutCycles(parents: Int32Array): void {
    const marks = this.#marks.fill(0, 0, this.#size)
    for (let place = 0; place < this.#size; place++) {
      let at = place
      while (at >= 0 && marks[at] === 0) {
        marks[at] = place + 1
        at = parents[at]!
      }
      if (at >= 0 && marks[at] === place + 1) {
        const first = this.#firstOfRing(parents, at)
        parents[first] = NO_PARENT
        this.#count('cycle', this.#rows[first]!)
      }
    }
  }

  /** The earliest of the spans that only follow from their parents, if there are any, else of all: it is the first to run. */
  #firstOfRing(parents: Int32Array, start: number): number {
    const isWeak = (place: number) => this.#columns.flags[this.#rows[place]!]! & FOLLOWS_FROM
    let first = start
    for (let at = parents[start]!; at !== start; at = parents[at]!) {
      const weaker = isWeak(at) - isWeak(first)
      if (weaker > 0 || (weaker === 0 && this.#isBefore(at, first))) first = at
    }
    return first
  }

  #isBefore(place: number, other: number): boolean {
    return compareContent(this.#columns, this.#names, this.#rows[place]!, this.#rows[other]!) < 0
  }

  /** Gives every span an end at or after its start. */
  #settleEnds(parents: Int32Array): void {
    const { startUs, startNs, endUs, endNs } = this.#columns
    let missing = 0
    for (let place = 0; place < this.#size; place++) {
      const row = this.#rows[place]!
      const end = endUs[row]!
      const start = startUs[row]!
      if (end > start || (end === start && endNs[row]! >= startNs[row]!)) continue
      if (Number.isNaN(end)) {
        missing++
        this.#count('missing_end', row)
        continue
      }
      this.#count('negative_duration', row)
      endUs[row] = start
      endNs[row] = startNs[row]!
    }
    if (missing > 0) this.#takeEndsOfChildren(parents)
  }

  /** From the leaves up: a span without an end lasts until the last child it waits for ends. */
  #takeEndsOfChildren(parents: Int32Array): void {
    const { startUs, startNs, endUs, endNs, flags } = this.#columns
    const size = this.#size
    const children = this.#marks.fill(0, 0, size)
    for (let place = 0; place < size; place++) if (parents[place]! >= 0) children[parents[place]!]!++
    const isOpen = new Uint8Array(size)
    const ready: number[] = []
    for (let place = 0; place < size; place++) {
      const row = this.#rows[place]!
      if (children[place] === 0) ready.push(place)
      if (!Number.isNaN(endUs[row])) continue
      isOpen[place] = 1
      endUs[row] = startUs[row]!
      endNs[row] = startNs[row]!
    }
    for (let place = ready.pop(); place !== undefined; place = ready.pop()) {
      const above = parents[place]!
      if (above < 0) continue
      if (--children[above]! === 0) ready.push(above)
      const row = this.#rows[place]!
      const rowAbove = this.#rows[above]!
      if (isOpen[above] === 0 || (flags[row]! & FOLLOWS_FROM) !== 0) continue
      const later = endUs[row]! - endUs[rowAbove]! || endNs[row]! - endNs[rowAbove]!
      if (later <= 0 || !isTime(startUs[rowAbove]!, endUs[row]!)) continue
      endUs[rowAbove] = endUs[row]!
      endNs[rowAbove] = endNs[row]!
    }
  }

  #pickRoot(parents: Int32Array): number {
    let root = -1
    let reason = RING
    let roots = 0
    for (let place = 0; place < this.#size; place++) {
      if (parents[place] !== NO_PARENT) continue
      roots++
      const own = this.#reasonOfRoot(this.#rows[place]!)
      if (root >= 0 && (own > reason || (own === reason && this.#isBefore(root, place)))) continue
      root = place
      reason = own
    }
    if (roots > 1) this.#count('several_roots', this.#rows[root]!)
    return root
  }

  #reasonOfRoot(row: number): number {
    const { id, parent } = this.#columns
    if (parent.form[row] === NO_ID || parent.isZero(row)) return PARENTLESS
    if (this.#isOwnParent(row)) return OWN_PARENT
    return this.#table.find(id, parent, row) < 0 ? ORPHAN : RING
  }

  #fill(trace: AssembledTrace): void {
    const columns = this.#columns
    const { startUs, startNs, endUs, endNs, id } = columns
    const rootRow = this.#rows[trace.root]!
    const originUs = startUs[rootRow]!
    const originNs = startNs[rootRow]!
    trace.originUs = originUs
    trace.originRestNs = originNs
    for (let place = 0; place < this.#size; place++) {
      const row = this.#rows[place]!
      trace.startNs[place] = (startUs[row]! - originUs) * 1000 + (startNs[row]! - originNs)
      trace.endNs[place] = (endUs[row]! - originUs) * 1000 + (endNs[row]! - originNs)
      trace.service[place] = columns.service[row]!
      trace.operation[place] = columns.operation[row]!
      trace.instance[place] = columns.instance[row]!
      trace.host[place] = columns.host[row]!
      trace.kind[place] = columns.kind[row]!
      trace.flags[place] = columns.flags[row]! & (FOLLOWS_FROM | ERROR)
      trace.inputRow[place] = row
      trace.ids[place * 3] = id.high[row]!
      trace.ids[place * 3 + 1] = id.low[row]!
      trace.ids[place * 3 + 2] = id.form[row]!
    }
  }

  /** `id_1`, `id_2`, … for spans whose id is another's, past those that exist. Renamed rows stand in content order. */
  #newIds(): Map<number, string> {
    const { id } = this.#columns
    const taken = new Set<string>()
    for (let place = 0; place < this.#size; place++) taken.add(id.text(this.#rows[place]!))
    const next = new Map<string, number>()
    const newIds = new Map<number, string>()
    for (const row of this.#renamed) {
      const old = id.text(row)
      let number = next.get(old) ?? 1
      while (taken.has(`${old}_${number}`)) number++
      next.set(old, number + 1)
      newIds.set(this.#places[row]!, `${old}_${number}`)
    }
    return newIds
  }
}
