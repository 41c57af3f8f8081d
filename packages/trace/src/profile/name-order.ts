import type { CallPaths } from './call-paths.js'
import type { PairTable } from './pair-table.js'

/**
 * The order that names give: what is saved and summed in it does not depend on the order in which traces came.
 */
export class NameOrder {
  /** [names] place of each name among all, by UTF-16 code units. */
  readonly nameRank: Int32Array
  /** Call paths in order: parents first, then by the parent's place, service and operation. */
  readonly paths: Int32Array
  /** [paths] place of each path in it. */
  readonly pathRank: Int32Array

  constructor(paths: CallPaths) {
    this.nameRank = ranks(sorted(paths.names.size, (a, b) => compareTexts(paths.names.text(a), paths.names.text(b))))
    const rankOf = (number: number): number => (number < 0 ? -1 : this.nameRank[number]!)
    this.pathRank = new Int32Array(paths.size)
    this.paths = sorted(paths.size, (a, b) => paths.depth(a) - paths.depth(b) || a - b)
    for (let from = 0; from < paths.size; ) {
      const depth = paths.depth(this.paths[from]!)
      let to = from
      while (to < paths.size && paths.depth(this.paths[to]!) === depth) to++
      const level = this.paths.subarray(from, to)
      level.sort(
        (a, b) =>
          (depth === 0 ? 0 : this.pathRank[paths.parent(a)]! - this.pathRank[paths.parent(b)]!) ||
          rankOf(paths.service(a)) - rankOf(paths.service(b)) ||
          rankOf(paths.operation(a)) - rankOf(paths.operation(b)),
      )
      for (; from < to; from++) this.pathRank[this.paths[from]!] = from
    }
  }

  /** The numbers of a table of (something, name) in order of the first's rank, then the name's. */
  ofKeys(keys: PairTable, firstRank: Int32Array): Int32Array {
    return sorted(
      keys.size,
      (a, b) =>
        firstRank[keys.first(a)]! - firstRank[keys.first(b)]! ||
        this.nameRank[keys.second(a)]! - this.nameRank[keys.second(b)]!,
    )
  }
}

/** The inverse of a permutation: the place of each in an order, or the order from the places. */
export function ranks(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length)
  for (let place = 0; place < order.length; place++) places[order[place]!] = place
  return places
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sorted = (size: number, compare: (a: number, b: number) => number): Int32Array =>
  Int32Array.from({ length: size }, (_, i) => i).sort(compare)
