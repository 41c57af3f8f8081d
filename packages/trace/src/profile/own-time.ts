import type { Trace } from '../types.js'

/**
 * Each span's own time: when it was running and no child that it waited for was, whether or not the request waited for the
 * span. Time of background children is not subtracted, for the parent went on.
 *
 * Works on buffers that grow with the largest trace seen and are used again.
 */
export class OwnTime {
  #covered = new Float64Array(64) // up to where children cover the span so far
  #ownNs = new Float64Array(64)

  /**
   * [N] ns, valid until the next call. O(N) when the rows come in order of start, else O(N log N).
   *
   * @param background  [N] 1 where nothing waits for the span
   */
  of(trace: Trace, background: Uint8Array): Float64Array {
    const { size, startNs, endNs, parent } = trace
    if (this.#ownNs.length < size) {
      this.#ownNs = new Float64Array(2 * size)
      this.#covered = new Float64Array(2 * size)
    }
    const ownNs = this.#ownNs
    const covered = this.#covered
    for (let row = 0; row < size; row++) {
      ownNs[row] = endNs[row]! - startNs[row]!
      covered[row] = startNs[row]!
    }
    const order = rowsByStart(trace)
    for (let i = 0; i < size; i++) {
      const row = order ? order[i]! : i
      const above = parent[row]!
      if (above < 0 || background[row] === 1) continue
      const from = Math.max(startNs[row]!, covered[above]!)
      const to = Math.min(endNs[row]!, endNs[above]!)
      if (to <= from) continue
      ownNs[above]! -= to - from
      covered[above] = to
    }
    return ownNs
  }
}

/** The rows in order of start; undefined when they are already. */
function rowsByStart({ size, startNs }: Trace): Int32Array | undefined {
  let row = 1
  let first = startNs[0]!
  let last = first
  let isSorted = true
  for (; row < size; row++) {
    const start = startNs[row]!
    if (start < startNs[row - 1]!) isSorted = false
    if (start < first) first = start
    if (start > last) last = start
  }
  if (isSorted) return undefined
  const order = new Int32Array(size)
  if ((last - first + 1) * size > Number.MAX_SAFE_INTEGER) {
    for (row = 0; row < size; row++) order[row] = row
    return order.sort((a, b) => startNs[a]! - startNs[b]!)
  }
  // start and row in one number: numbers are sorted by the engine itself, without calling back
  const keys = new Float64Array(size)
  for (row = 0; row < size; row++) keys[row] = (startNs[row]! - first) * size + row
  keys.sort()
  for (let i = 0; i < size; i++) order[i] = keys[i]! % size
  return order
}
