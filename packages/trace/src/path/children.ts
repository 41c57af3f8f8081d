/** The children of every row, as ranges of one array: those of `row` are `rows[first[row]]` … `rows[first[row + 1] − 1]`. */
export interface Children {
  /** [N + 1] */
  readonly first: Int32Array
  /** All that have a parent, by parent, then by row. */
  readonly rows: Int32Array
}

/** Counts and fills in O(N). @param parent  −1 for none */
export function childrenOf(parent: Int32Array): Children {
  const n = parent.length
  const first = new Int32Array(n + 1)
  for (let row = 0; row < n; row++) if (parent[row]! >= 0) first[parent[row]! + 1]!++
  for (let row = 0; row < n; row++) first[row + 1]! += first[row]!
  const next = first.slice()
  const rows = new Int32Array(first[n]!)
  for (let row = 0; row < n; row++) if (parent[row]! >= 0) rows[next[parent[row]!]!++] = row
  return { first, rows }
}

/** All rows, parents before children. */
export function topDown(parent: Int32Array, { first, rows }: Children): Int32Array {
  const order = new Int32Array(parent.length)
  let count = 0
  for (let row = 0; row < parent.length; row++) if (parent[row]! < 0) order[count++] = row
  for (let i = 0; i < count; i++) {
    for (let at = first[order[i]!]!; at < first[order[i]! + 1]!; at++) order[count++] = rows[at]!
  }
  return order
}
