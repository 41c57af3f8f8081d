const EMPTY = -1
const INITIAL_SLOTS = 16

/**
 * Numbers pairs of integers in the order they are first seen: an open-addressing hash table over three typed arrays.
 * What a pair means and what is counted for it is the caller's, in columns indexed by the number.
 */
export class PairTable {
  #slots = new Int32Array(INITIAL_SLOTS).fill(EMPTY)
  #first = new Int32Array(INITIAL_SLOTS)
  #second = new Int32Array(INITIAL_SLOTS)
  #size = 0

  /** How many different pairs there are; their numbers are 0 … size − 1. */
  get size(): number {
    return this.#size
  }

  first(number: number): number {
    return this.#first[number]!
  }

  second(number: number): number {
    return this.#second[number]!
  }

  /** The number of the pair, −1 if it was never seen. */
  find(first: number, second: number): number {
    return this.#slots[this.#slot(first, second)]!
  }

  /** The number of the pair, a new one if it was never seen. */
  number(first: number, second: number): number {
    let slot = this.#slot(first, second)
    const found = this.#slots[slot]!
    if (found !== EMPTY) return found
    if (2 * this.#size >= this.#slots.length) {
      this.#grow()
      slot = this.#slot(first, second)
    }
    const number = this.#size++
    this.#slots[slot] = number
    if (number === this.#first.length) {
      this.#first = grown(this.#first, number + 1)
      this.#second = grown(this.#second, number + 1)
    }
    this.#first[number] = first
    this.#second[number] = second
    return number
  }

  /** Where the pair is, or the empty slot where it belongs. */
  #slot(first: number, second: number): number {
    const slots = this.#slots
    const firsts = this.#first
    const seconds = this.#second
    const mask = slots.length - 1
    let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77)
    hash ^= hash >>> 15
    let slot = (hash ^ (hash >>> 7)) & mask
    for (;;) {
      const number = slots[slot]!
      if (number === EMPTY || (firsts[number] === first && seconds[number] === second)) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(EMPTY)
    for (let number = 0; number < this.#size; number++) {
      this.#slots[this.#slot(this.#first[number]!, this.#second[number]!)] = number
    }
  }
}

type Column = Int32Array | Uint32Array | Float64Array

/** `column` with room for `size` numbers, doubled while too short; the new room holds zeros. */
export function grown<C extends Column>(column: C, size: number): C {
  if (size <= column.length) return column
  let length = Math.max(16, column.length)
  while (length < size) length *= 2
  const longer = new (column.constructor as new (length: number) => C)(length)
  longer.set(column)
  return longer
}
