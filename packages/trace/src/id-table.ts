import type { IdColumn } from './ids.js'

/** Tries before a table is given up and filled again with another hash. */
const TRIES_PER_ROW = 32
const SPARE_TRIES = 4096

/**
 * Finds the row of an id among some rows of a column: open addressing over the ids' numbers, no strings.
 *
 * Ids chosen to collide (the hash is public) cost a refill with another hash, never quadratic time.
 */
export class IdTable {
  #slots = new Int32Array(256)
  #mask = 255
  #seed = 0
  #triesLeft = 0

  /**
   * Room for `size` ids, empty. `round` chooses the hash: start with 0, and one more each time `isTooSlow` is met.
   */
  clear(size: number, round: number): void {
    let capacity = 256
    while (capacity < size * 2) capacity *= 2
    if (this.#slots.length < capacity) this.#slots = new Int32Array(capacity)
    else this.#slots.fill(0, 0, capacity)
    this.#mask = capacity - 1
    this.#seed = Math.imul(round, 0x7feb352d)
    this.#triesLeft = size * TRIES_PER_ROW + SPARE_TRIES
  }

  /** More tries were needed than chance explains. */
  get isTooSlow(): boolean {
    return this.#triesLeft < 0
  }

  /** The row that holds the id of `row`, which becomes `row` itself when the id is new. */
  insert(ids: IdColumn, row: number): number {
    const slot = this.#find(ids, ids, row)
    const held = this.#slots[slot]!
    if (held > 0) return held - 1
    this.#slots[slot] = row + 1
    return row
  }

  /** Makes `row` the one that answers to its id. */
  replace(ids: IdColumn, row: number): void {
    this.#slots[this.#find(ids, ids, row)] = row + 1
  }

  /** The row in `ids` whose id is the one at `row` of `wanted`, −1 if none. */
  find(ids: IdColumn, wanted: IdColumn, row: number): number {
    return this.#slots[this.#find(ids, wanted, row)]! - 1
  }

  #find(ids: IdColumn, wanted: IdColumn, row: number): number {
    const high = wanted.high[row]!
    const low = wanted.low[row]!
    const form = wanted.form[row]!
    const slots = this.#slots
    const mask = this.#mask
    let hash = Math.imul(low ^ this.#seed, 0x9e3779b1)
    hash = Math.imul((hash ^ (hash >>> 15)) + high + form, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    let slot = (hash ^ (hash >>> 16)) & mask
    let tries = 0
    for (;;) {
      const held = slots[slot]! - 1
      if (held < 0) break
      if (ids.low[held] === low && ids.high[held] === high && ids.form[held] === form) break
      slot = (slot + 1) & mask
      tries++
    }
    this.#triesLeft -= tries
    return slot
  }
}
