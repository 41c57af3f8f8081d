import { FOLLOWS_FROM, KINDS, type Trace } from './types.js'

const SHORT = 32
const PRODUCER = KINDS.indexOf('producer')
const CONSUMER = KINDS.indexOf('consumer')

/**
 * The children of every span of a trace in order of their start, then end. Works on buffers that grow with the largest trace
 * seen and are used again. O(N) for spans with few children each, O(N log N) at worst.
 */
export class Children {
  /** [N + 1] where each row's children begin in `rows`. */
  starts: Int32Array = new Int32Array(64)
  /** Rows with a parent, by parent. */
  rows: Int32Array = new Int32Array(64)

  /** Fills `starts` and `rows`, which hold until the next call. */
  of({ size, parent, startNs, endNs }: Trace): this {
    if (this.rows.length < size) {
      this.starts = new Int32Array(2 * size + 1)
      this.rows = new Int32Array(2 * size)
    }
    const { starts, rows } = this
    starts.fill(0, 0, size + 1)
    for (let row = 0; row < size; row++) if (parent[row]! >= 0) starts[parent[row]!]! += 1
    let total = 0
    for (let row = 0; row < size; row++) {
      total += starts[row]!
      starts[row] = total
    }
    starts[size] = total
    for (let row = size - 1; row >= 0; row--) {
      const above = parent[row]!
      if (above < 0) continue
      starts[above]! -= 1
      rows[starts[above]!] = row
    }
    for (let row = 0; row < size; row++) {
      const from = starts[row]!
      const to = starts[row + 1]!
      if (to - from > SHORT) {
        rows.subarray(from, to).sort((a, b) => startNs[a]! - startNs[b]! || endNs[a]! - endNs[b]!)
        continue
      }
      for (let i = from + 1; i < to; i++) {
        const child = rows[i]!
        let at = i
        while (at > from && isAfter(rows[at - 1]!, child)) {
          rows[at] = rows[at - 1]!
          at--
        }
        rows[at] = child
      }
    }

    return this

    function isAfter(a: number, b: number): boolean {
      const difference = startNs[a]! - startNs[b]!
      return difference > 0 || (difference === 0 && endNs[a]! > endNs[b]!)
    }
  }
}

/** All rows of a trace, parents before children. */
export function topDown({ parent, size }: Trace, { starts, rows }: Children): Int32Array {
  const order = new Int32Array(size)
  let count = 0
  for (let row = 0; row < size; row++) if (parent[row]! < 0) order[count++] = row
  for (let i = 0; i < count; i++) {
    for (let at = starts[order[i]!]!; at < starts[order[i]! + 1]!; at++) order[count++] = rows[at]!
  }
  return order
}

/**
 * Whether a span goes on without waiting for its child. Below a background span callers wait for their calls as well, unless
 * the child's reference or kind says otherwise, which is all there is to go by.
 * @param background  [N] 1 where nothing waits for the span or for one above it
 */
export function isAside({ flags, kind }: Trace, background: Uint8Array, row: number, child: number): boolean {
  if (background[child] === 0 || background[row] === 0) return background[child] === 1
  return (flags[child]! & FOLLOWS_FROM) !== 0 || (kind[row] === PRODUCER && kind[child] === CONSUMER)
}
