import { childrenOf } from './children.js'
import { rowsOnPath } from './rows-on-path.js'
import type { CriticalPath } from './types.js'

export interface DragAndSlack {
  /**
   * [N] how much shorter a span on the path can get before a sibling decides instead: down to where the sibling that ended
   * last before it ends; all of it where there is none. 0 off the path.
   */
  readonly dragNs: Float64Array
  /** [N] the part of the drag that is the span's own time on the path and not its last child's. 0 off the path. */
  readonly exclusiveDragNs: Float64Array
  /**
   * [N] by how much a span off the path could be moved without lengthening anything: from the end of the last sibling that
   * happened before it (the first sibling's start if none did) to the end of the sibling on the path that ended next after
   * it (its parent's end if none did). 0 on the path; NaN for what is background or outside.
   */
  readonly slackNs: Float64Array
}

/**
 * Drag and slack of every span, from the order of siblings in this one trace.
 *
 * Both look at siblings only: the drag of a span can be undone by a sibling of its parent. For the gain of a change over
 * many traces use `whatIf`. Source: scheduling theory (Devaux); the siblings' rules are calligator's and CRISP's.
 */
export function dragAndSlack(path: CriticalPath): DragAndSlack {
  const { trace, windowStartNs: start, windowEndNs: end } = path
  const n = trace.size
  const result: DragAndSlack = {
    dragNs: new Float64Array(n),
    exclusiveDragNs: new Float64Array(n),
    slackNs: new Float64Array(n).fill(Number.NaN),
  }
  const isOn = new Uint8Array(n)
  for (const row of rowsOnPath(path)) isOn[row] = 1
  const children = childrenOf(trace.parent)
  const lastEnd = (row: number): number => {
    let last = -1
    for (let at = children.first[row]!; at < children.first[row + 1]!; at++) {
      const child = children.rows[at]!
      if (end[child]! >= start[child]! && (last < 0 || comesLater(child, last))) last = child
    }
    return last
  }
  const comesLater = (a: number, b: number): boolean =>
    end[a]! > end[b]! || (end[a] === end[b] && start[a]! > start[b]!)

  const settleOnPath = (row: number, limit: number): void => {
    const length = end[row]! - start[row]!
    const own = path.selfNs[row]!
    result.slackNs[row] = 0
    result.dragNs[row] = Math.min(length, Math.max(0, end[row]! - limit))
    const child = lastEnd(row)
    if (limit === Number.NEGATIVE_INFINITY || child < 0) {
      result.exclusiveDragNs[row] = Math.min(own, result.dragNs[row]!)
      return
    }
    const afterChild = end[row]! - Math.max(end[child]!, limit)
    const beforeChild = Math.max(0, start[child]! - limit)
    result.exclusiveDragNs[row] = Math.max(0, Math.min(own, afterChild + beforeChild))
  }

  settleOnPath(path.root, Number.NEGATIVE_INFINITY)
  for (let parent = 0; parent < n; parent++) {
    const siblings = children.rows
      .subarray(children.first[parent]!, children.first[parent + 1]!)
      .filter((row) => row !== path.root && end[row]! >= start[row]!)
      .sort((a, b) => end[a]! - end[b]!)
    let firstStart = Number.POSITIVE_INFINITY
    for (const row of siblings) firstStart = Math.min(firstStart, start[row]!)
    let latestFinish = end[parent]! // of a span that ends here, without delaying the path
    let following = Number.NaN // end of the siblings with the same end as the one before
    let onPathThere = false
    for (let i = siblings.length - 1; i >= 0; i--) {
      const row = siblings[i]!
      if (end[row] !== following) {
        if (onPathThere) latestFinish = following
        following = end[row]!
        onPathThere = false
      }
      if (isOn[row] === 1) onPathThere = true
      if (isOn[row] === 1) {
        const tied = i + 1 < siblings.length && end[siblings[i + 1]!] === end[row]
        settleOnPath(row, tied ? end[row]! : i > 0 ? end[siblings[i - 1]!]! : Number.NEGATIVE_INFINITY)
      } else {
        const earliestStart = endBefore(siblings, end, i, start[row]!) ?? firstStart
        result.slackNs[row] = latestFinish - (end[row]! - start[row]!) - earliestStart
      }
    }
  }
  return result
}

/** The last end at or before `time` among siblings sorted by end, other than the one at `self`. */
function endBefore(siblings: Int32Array, end: Float64Array, self: number, time: number): number | undefined {
  let low = 0
  let high = siblings.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (end[siblings[middle]!]! <= time) low = middle + 1
    else high = middle
  }
  if (low - 1 === self) low--
  return low > 0 ? end[siblings[low - 1]!]! : undefined
}
