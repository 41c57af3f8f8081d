import { grown } from '../profile/pair-table.js'

/** How two call paths stood to each other below one parent span. */
export type SiblingOrder = 'ordered' | 'in-turns' | 'overlapped'

const MANY = 64
const NEAR = 8

/**
 * Takes the children of one parent span and says of every two call paths among them how they stood: the first wholly before
 * the second, in turns (a loop over both), or overlapping.
 *
 * With more than 64 call paths below one span, only the 8 next to start are compared with each: time and room stay
 * proportional to the number of children.
 */
export class SiblingOrders {
  // by call path among the children, numbered by first start. G: how many
  #paths = new Int32Array(16)
  #starts = new Float64Array(16)
  #ends = new Float64Array(16)
  #calls = new Int32Array(16)
  /** [G, 64] bits: bit k where groups g and g + k were seen running at once; k = 0: two calls of g. */
  #overlaps = new Int32Array(32)
  #size = 0
  #toleranceNs = 0
  readonly #running = new Int32Array(MANY)
  readonly #groupOf = new Map<number, number>()

  /** Call paths among the children. */
  get size(): number {
    return this.#size
  }

  path(group: number): number {
    return this.#paths[group]!
  }

  /**
   * @param rows  the children, by start and then end
   * @param pathOf, startNs, endNs  [N] by row
   * @param toleranceNs  an overlap no longer than this is none
   */
  of(rows: Int32Array, pathOf: Int32Array, startNs: Float64Array, endNs: Float64Array, toleranceNs: number): void {
    this.#size = 0
    this.#groupOf.clear()
    this.#toleranceNs = toleranceNs
    let running = 0
    for (const row of rows) {
      const start = startNs[row]!
      const group = this.#groupAt(pathOf[row]!, start)
      let isRunning = false
      let kept = 0
      for (let i = 0; i < running; i++) {
        const other = this.#running[i]!
        if (this.#ends[other]! <= start + toleranceNs) continue
        this.#running[kept++] = other
        this.#markOverlap(Math.min(group, other), Math.max(group, other))
        if (other === group) isRunning = true
      }
      running = kept
      this.#calls[group]! += 1
      this.#ends[group] = Math.max(this.#ends[group]!, endNs[row]!)
      if (isRunning) continue
      if (running === MANY) this.#running.copyWithin(0, 1, running--)
      this.#running[running++] = group
    }
  }

  /** Calls `visit` for every two call paths that are compared, and for each that was called more than once with itself. */
  each(visit: (first: number, second: number, order: SiblingOrder) => void): void {
    const reach = this.#size > MANY ? NEAR : MANY
    for (let first = 0; first < this.#size; first++) {
      const end = Math.min(this.#size, first + reach)
      for (let second = first; second < end; second++) {
        if (first === second && this.#calls[first] === 1) continue
        visit(this.#paths[first]!, this.#paths[second]!, this.#order(first, second))
      }
    }
  }

  #order(first: number, second: number): SiblingOrder {
    if (first === second) return this.#haveOverlapped(first, first) ? 'overlapped' : 'ordered'
    const isBefore = this.#ends[first]! <= this.#starts[second]! + this.#toleranceNs
    const isAfter = this.#ends[second]! <= this.#starts[first]! + this.#toleranceNs
    if (isBefore) return isAfter ? 'in-turns' : 'ordered' // both: no longer than the tolerance, so nobody knows
    const areSingle = this.#calls[first] === 1 && this.#calls[second] === 1
    return areSingle || this.#haveOverlapped(first, second) ? 'overlapped' : 'in-turns'
  }

  #markOverlap(first: number, second: number): void {
    const distance = second - first
    if (distance < MANY) this.#overlaps[2 * first + (distance >> 5)]! |= 1 << (distance & 31)
  }

  #haveOverlapped(first: number, second: number): boolean {
    const distance = second - first
    return (this.#overlaps[2 * first + (distance >> 5)]! & (1 << (distance & 31))) !== 0
  }

  #groupAt(path: number, start: number): number {
    const known = this.#groupOf.get(path)
    if (known !== undefined) return known
    const group = this.#size++
    if (group === this.#paths.length) {
      this.#paths = grown(this.#paths, group + 1)
      this.#starts = grown(this.#starts, group + 1)
      this.#ends = grown(this.#ends, group + 1)
      this.#calls = grown(this.#calls, group + 1)
      this.#overlaps = grown(this.#overlaps, 2 * group + 2)
    }
    this.#groupOf.set(path, group)
    this.#paths[group] = path
    this.#starts[group] = start
    this.#ends[group] = Number.NEGATIVE_INFINITY
    this.#calls[group] = 0
    this.#overlaps[2 * group] = 0
    this.#overlaps[2 * group + 1] = 0
    return group
  }
}
