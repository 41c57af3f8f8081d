import { type Children, topDown } from '../children.js'
import { FOLLOWS_FROM, KINDS } from '../types.js'
import type { CriticalPath } from './types.js'

const PRODUCER = KINDS.indexOf('producer')
const CONSUMER = KINDS.indexOf('consumer')

/** The part of each span that its own parent waits for, whether or not the root does; N: spans of the trace. */
export interface LocalWindows {
  /** [N] ns, as the columns of the trace. */
  readonly startNs: Float64Array
  /** [N] */
  readonly endNs: Float64Array
  /** [N] 1: no parent waits for this span. The root of the path, and whatever heads a tree beside it. */
  readonly isHead: Uint8Array
}

/**
 * Windows of all spans. Those of the path are taken as they are; a span without one (in the background, outside its parent,
 * of another root) heads a tree of its own, in which children are cut to their parents as the path cuts them. O(N).
 */
export function localWindows(path: CriticalPath, children: Children): LocalWindows {
  const { trace, root, windowStartNs, windowEndNs } = path
  const isHead = new Uint8Array(trace.size)
  isHead[root] = 1
  if (windowStartNs === trace.startNs) return { startNs: windowStartNs, endNs: windowEndNs, isHead }
  const startNs = windowStartNs.slice()
  const endNs = windowEndNs.slice()
  for (const row of topDown(trace, children)) {
    if (windowStartNs[row]! <= windowEndNs[row]!) continue
    const start = trace.startNs[row]!
    const end = trace.endNs[row]!
    const parent = trace.parent[row]!
    const isBelowHead = parent >= 0 && !(windowStartNs[parent]! <= windowEndNs[parent]!)
    const isAwaited = isBelowHead && !isBackground(parent, row) && meets(start, end, startNs[parent]!, endNs[parent]!)
    isHead[row] = isAwaited ? 0 : 1
    startNs[row] = isAwaited ? Math.max(start, startNs[parent]!) : start
    endNs[row] = isAwaited ? Math.min(end, endNs[parent]!) : end
  }
  return { startNs, endNs, isHead }

  function isBackground(parent: number, row: number): boolean {
    const { flags, kind } = trace
    return (flags[row]! & FOLLOWS_FROM) !== 0 || (kind[parent] === PRODUCER && kind[row] === CONSUMER)
  }
}

/** Whether a span has a part in `[from, to]`; without length it may stand at an edge. */
const meets = (start: number, end: number, from: number, to: number): boolean =>
  start === end ? start >= from && start <= to : start < to && end > from
