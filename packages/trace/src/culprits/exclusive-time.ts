import type { Trace } from '../types.js'

/**
 * The time each span spent outside all of its children: its duration less the union of theirs, whether or not the
 * request waited for it (that is `CriticalPath.selfNs`).
 * @returns [N] ns, never negative
 */
export function exclusiveTimes({ size, parent, startNs, endNs }: Trace): Float64Array {
  const exclusive = new Float64Array(size)
  const coveredUntil = new Float64Array(size) // of each parent, while its children pass by in order of their starts
  const order = new Int32Array(size)
  for (let row = 0; row < size; row++) {
    exclusive[row] = endNs[row]! - startNs[row]!
    coveredUntil[row] = startNs[row]!
    order[row] = row
  }
  order.sort((a, b) => startNs[a]! - startNs[b]!)
  for (const row of order) {
    const caller = parent[row]!
    if (caller < 0) continue
    const from = Math.max(startNs[row]!, coveredUntil[caller]!)
    const to = Math.min(endNs[row]!, endNs[caller]!)
    if (to <= from) continue
    exclusive[caller] = exclusive[caller]! - (to - from)
    coveredUntil[caller] = to
  }
  return exclusive
}
