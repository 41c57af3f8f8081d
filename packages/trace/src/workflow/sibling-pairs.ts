import type { ColumnReader } from '../profile/column-file.js'
import { grown, PairTable } from '../profile/pair-table.js'
import type { SiblingOrder } from './sibling-order.js'

// places in the row of a pair
const FIRST_BEFORE = 0
const SECOND_BEFORE = 1
const IN_TURNS = 2
const OVERLAPPED = 3
const STRIDE = 4

/** A relation that fails more often than this does not hold; less may be clocks and late packets. */
const TOLERATED = 0.05

/** `sequential`: ordered but for 5 %. `parallel`: overlapping in more than 5 %. `unordered`: one at a time, in no fixed order. */
export type PairKind = 'sequential' | 'parallel' | 'unordered'

/** A pair, turned so that `first` is the one that more often came before the other. */
export interface PairCounts {
  readonly first: number
  readonly second: number
  readonly together: number
  readonly ordered: number
  readonly overlapped: number
  readonly kind: PairKind
}

/** How every two call paths below the same one stood to each other, counted over parent spans. */
export class SiblingPairs {
  readonly #pairs = new PairTable() // two call paths, the smaller number first
  #facts = new Float64Array(16 * STRIDE)

  get size(): number {
    return this.#pairs.size
  }

  /** Counts one parent span with both. */
  add(first: number, second: number, order: SiblingOrder): void {
    this.#count(first, second, order === 'ordered' ? FIRST_BEFORE : order === 'in-turns' ? IN_TURNS : OVERLAPPED, 1)
  }

  /** Adds all of `other`, whose call path p is this one's paths[p]. */
  merge(other: SiblingPairs, paths: Int32Array): void {
    for (let pair = 0; pair < other.size; pair++) {
      const first = paths[other.#pairs.first(pair)]!
      const second = paths[other.#pairs.second(pair)]!
      for (let fact = 0; fact < STRIDE; fact++) this.#count(first, second, fact, other.#facts[pair * STRIDE + fact]!)
    }
  }

  /** The kind of two call paths, either way round; undefined if they were never seen together. */
  kindOf(one: number, other: number): PairKind | undefined {
    const pair = this.#pairs.find(Math.min(one, other), Math.max(one, other))
    return pair < 0 ? undefined : this.#kind(pair)
  }

  /**
   * All pairs, by the ranks of their paths.
   * @param rank  [call paths] place of each in the order of their names
   */
  list(rank: Int32Array): PairCounts[] {
    const pairs: PairCounts[] = []
    for (let pair = 0; pair < this.size; pair++) {
      const left = this.#pairs.first(pair)
      const right = this.#pairs.second(pair)
      const before = this.#facts[pair * STRIDE + FIRST_BEFORE]!
      const after = this.#facts[pair * STRIDE + SECOND_BEFORE]!
      const isTurned = after > before || (after === before && rank[right]! < rank[left]!)
      pairs.push({
        first: isTurned ? right : left,
        second: isTurned ? left : right,
        together: this.#together(pair),
        ordered: Math.max(before, after),
        overlapped: this.#facts[pair * STRIDE + OVERLAPPED]!,
        kind: this.#kind(pair),
      })
    }
    return pairs.sort((a, b) => rank[a.first]! - rank[b.first]! || rank[a.second]! - rank[b.second]!)
  }

  /** All pairs by the ranks of their paths. */
  save(rank: Int32Array): Record<string, Float64Array | Int32Array> {
    const rows = Array.from({ length: this.size }, (_, pair) => {
      const first = rank[this.#pairs.first(pair)]!
      const second = rank[this.#pairs.second(pair)]!
      const at = pair * STRIDE
      const facts = Array.from(this.#facts.subarray(at, at + STRIDE))
      if (first <= second) return { first, second, facts }
      const [before = 0, after = 0, ...others] = facts
      return { first: second, second: first, facts: [after, before, ...others] }
    }).sort((a, b) => a.first - b.first || a.second - b.second)
    return {
      'pairs.first': Int32Array.from(rows, ({ first }) => first),
      'pairs.second': Int32Array.from(rows, ({ second }) => second),
      'pairs.facts': Float64Array.from(rows.flatMap(({ facts }) => facts)),
    }
  }

  /** Adds what `save` gave, of call paths 0 … paths − 1. */
  load(paths: number, reader: ColumnReader): void {
    const firsts = reader.integers('pairs.first', undefined, 0, paths)
    const seconds = reader.integers('pairs.second', firsts.length, 0, paths)
    const facts = reader.counts('pairs.facts', firsts.length * STRIDE)
    for (let i = 0; i < firsts.length; i++) {
      for (let fact = 0; fact < STRIDE; fact++) this.#count(firsts[i]!, seconds[i]!, fact, facts[i * STRIDE + fact]!)
    }
  }

  #kind(pair: number): PairKind {
    const at = pair * STRIDE
    const together = this.#together(pair)
    const ordered = Math.max(this.#facts[at + FIRST_BEFORE]!, this.#facts[at + SECOND_BEFORE]!)
    if (together - ordered <= TOLERATED * together) return 'sequential'
    return this.#facts[at + OVERLAPPED]! > TOLERATED * together ? 'parallel' : 'unordered'
  }

  #together(pair: number): number {
    let together = 0
    for (let fact = 0; fact < STRIDE; fact++) together += this.#facts[pair * STRIDE + fact]!
    return together
  }

  #count(first: number, second: number, fact: number, count: number): void {
    const isTurned = first > second
    const pair = isTurned ? this.#pairs.number(second, first) : this.#pairs.number(first, second)
    if ((pair + 1) * STRIDE > this.#facts.length) this.#facts = grown(this.#facts, (pair + 1) * STRIDE)
    const turned = fact === FIRST_BEFORE ? SECOND_BEFORE : fact === SECOND_BEFORE ? FIRST_BEFORE : fact
    this.#facts[pair * STRIDE + (isTurned ? turned : fact)]! += count
  }
}
