import { Children, isAside } from './children.js'
import type { Trace } from './types.js'

/**
 * Each span's own time: when it was running and no child that it waited for was, whether or not the request waited for the
 * span. Time of background children is not subtracted, for the parent went on.
 */
export class OwnTime {
  /** Of the trace that was asked about last. */
  readonly children: Children = new Children()
  #ownNs = new Float64Array(64)

  /**
   * [N] ns, valid until the next call.
   * @param background  [N] 1 where nothing waits for the span
   */
  of(trace: Trace, background: Uint8Array): Float64Array {
    const { size, startNs, endNs } = trace
    if (this.#ownNs.length < size) this.#ownNs = new Float64Array(2 * size)
    const ownNs = this.#ownNs
    const { starts, rows } = this.children.of(trace)
    for (let row = 0; row < size; row++) {
      const end = endNs[row]!
      let covered = startNs[row]! // up to where children cover the span so far
      let own = end - covered
      for (let i = starts[row]!; i < starts[row + 1]!; i++) {
        const child = rows[i]!
        if (isAside(trace, background, row, child)) continue
        const from = Math.max(startNs[child]!, covered)
        const to = Math.min(endNs[child]!, end)
        if (to <= from) continue
        own -= to - from
        covered = to
      }
      ownNs[row] = own
    }
    return ownNs
  }
}
