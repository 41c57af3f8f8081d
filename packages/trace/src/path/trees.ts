import { Children, topDown } from '../children.js'
import type { Trace } from '../types.js'

/**
 * One trace for each root of a trace, in the order in which the roots start (longest, then smallest id first among equals);
 * the trace itself when it has one root. O(N log N); ids and names are shared, columns are copies.
 */
export function treesOf(trace: Trace): Trace[] {
  const { parent, startNs, endNs, size } = trace
  const order = topDown(trace, new Children().of(trace))
  const roots = order
    .subarray(
      0,
      parent.reduce((count, above) => count + (above < 0 ? 1 : 0), 0),
    )
    .toSorted(
      (a, b) => startNs[a]! - startNs[b]! || endNs[b]! - endNs[a]! || (trace.spanId(a) < trace.spanId(b) ? -1 : 1),
    )
  if (roots.length === 1) return [trace]

  const rootOf = new Int32Array(size)
  const place = new Int32Array(size) // among the rows of its tree
  const rowsOf = new Map<number, number[]>(Array.from(roots, (root) => [root, []]))
  for (const row of order) {
    const root = parent[row]! < 0 ? row : rootOf[parent[row]!]!
    rootOf[row] = root
    const rows = rowsOf.get(root)!
    place[row] = rows.length
    rows.push(row)
  }
  return Array.from(rowsOf.values(), (rows) => takeRows(trace, rows, place))
}

/** @param rows  the root first */
function takeRows(trace: Trace, rows: readonly number[], place: Int32Array): Trace {
  const doubles = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!)
  const words = (column: Int32Array): Int32Array => Int32Array.from(rows, (row) => column[row]!)
  const bytes = (column: Uint8Array): Uint8Array => Uint8Array.from(rows, (row) => column[row]!)
  return {
    traceId: trace.traceId,
    originUnixNs: trace.originUnixNs,
    size: rows.length,
    startNs: doubles(trace.startNs),
    endNs: doubles(trace.endNs),
    parent: Int32Array.from(rows, (row, i) => (i === 0 ? -1 : place[trace.parent[row]!]!)),
    root: 0,
    names: trace.names,
    service: words(trace.service),
    operation: words(trace.operation),
    instance: words(trace.instance),
    host: words(trace.host),
    kind: bytes(trace.kind),
    flags: bytes(trace.flags),
    spanId: (row) => trace.spanId(rows[row]!),
    repairs: trace.repairs,
  }
}
