import { Cells } from './cells.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import type { NameOrder } from './name-order.js'
import { PairTable } from './pair-table.js'

/** Cells that are known by two numbers: what they are of (an endpoint, a cell of its services) and a name. */
export class KeyedCells {
  readonly keys: PairTable = new PairTable() // (of, name)
  readonly cells: Cells

  constructor(options: { readonly ownTimes: boolean }) {
    this.cells = new Cells(options)
  }

  get size(): number {
    return this.keys.size
  }

  /** The cell of the pair, made if it is new. */
  cell(of: number, name: number): number {
    const cell = this.keys.number(of, name)
    if (cell === this.cells.size) this.cells.reserve(cell + 1)
    return cell
  }

  /**
   * Adds all of `other`, whose numbers `of` and `name` translate.
   * @returns [other.size] own numbers of its cells
   */
  merge(other: KeyedCells, of: (number: number) => number, name: (number: number) => number): Int32Array {
    const cells = Int32Array.from({ length: other.size }, (_, cell) =>
      this.cell(of(other.keys.first(cell)), name(other.keys.second(cell))),
    )
    this.cells.merge(other.cells, cells)
    return cells
  }

  /** The cells in the given order, their keys by rank. */
  save(prefix: string, order: Int32Array, ofRank: Int32Array, { nameRank }: NameOrder): ColumnFile {
    const { meta, columns } = this.cells.save(prefix, order)
    return {
      meta,
      columns: {
        ...columns,
        [`${prefix}.first`]: Int32Array.from(order, (cell) => ofRank[this.keys.first(cell)]!),
        [`${prefix}.name`]: Int32Array.from(order, (cell) => nameRank[this.keys.second(cell)]!),
      },
    }
  }

  /** Takes back what `save` gave. @param names  [names] own numbers by rank */
  load(prefix: string, ofs: number, names: readonly number[], reader: ColumnReader): void {
    const first = reader.integers(`${prefix}.first`, undefined, 0, ofs)
    const second = reader.integers(`${prefix}.name`, first.length, 0, names.length)
    for (let i = 0; i < first.length; i++) this.cell(first[i]!, names[second[i]!]!)
    if (this.size !== first.length) throw reader.damaged(`its ${prefix} name one twice`)
    this.cells.load(prefix, reader)
  }
}
