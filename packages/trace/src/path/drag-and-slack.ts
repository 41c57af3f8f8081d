import { Children } from '../children.js'
import { localWindows } from './local-windows.js'
import { rowsOnPath } from './rows-on-path.js'
import type { CriticalPath } from './types.js'

/** What each span could give or take without changing who decides the latency; ns, N: spans of the trace. */
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
   * happened before it (the first sibling's start if none did) to the end of the sibling on the path that ended with it or
   * next after it (its parent's end if none did). 0 on the path. What the root does not wait for (in the background, outside
   * its parent, of another root) heads a tree of its own: 0 itself, and below it slack within its own parents.
   */
  readonly slackNs: Float64Array
}

/**
 * Drag and slack of every span, from the order of siblings in this one trace. O(N log N).
 *
 * Both look at siblings only: the drag of a span can be undone by a sibling of its parent. For the gain of a change over
 * many traces use `whatIf`. Source: scheduling theory (Devaux); the rules for siblings are calligator's and CRISP's.
 */
export function dragAndSlack(path: CriticalPath): DragAndSlack {
  const { trace, root } = path
  const n = trace.size
  const dragNs = new Float64Array(n)
  const exclusiveDragNs = new Float64Array(n)
  const slackNs = new Float64Array(n)
  const isOn = new Uint8Array(n)
  for (const row of rowsOnPath(path)) isOn[row] = 1

  const children = new Children().of(trace)
  const { starts: first, rows } = children
  const { startNs: start, endNs: end, isHead } = localWindows(path, children)
  /** The children that a row waits for, by their ends. */
  const familyOf = (row: number): Int32Array =>
    rows
      .subarray(first[row]!, first[row + 1]!)
      .filter((child) => isHead[child] === 0)
      .sort((a, b) => end[a]! - end[b]! || start[a]! - start[b]!)
  /** The last child of each row, −1 for none. */
  const lastChild = new Int32Array(n).fill(-1)

  /** @param limit  end of the sibling that decides once this span is shorter */
  const drag = (row: number, limit: number): void => {
    const child = lastChild[row]!
    const length = Math.min(end[row]! - start[row]!, end[row]! - limit)
    dragNs[row] = length
    let own = length
    if (child >= 0 && limit > Number.NEGATIVE_INFINITY) {
      own = end[row]! - Math.max(end[child]!, limit) + Math.max(0, start[child]! - limit)
    }
    exclusiveDragNs[row] = Math.max(0, Math.min(length, own, path.selfNs[row]!))
  }

  const families = Array.from({ length: n }, (_, row) => (first[row] === first[row + 1] ? undefined : familyOf(row)))
  for (let row = 0; row < n; row++) lastChild[row] = families[row]?.at(-1) ?? -1
  drag(root, Number.NEGATIVE_INFINITY)
  for (let parent = 0; parent < n; parent++) {
    const family = families[parent]
    if (!family) continue
    const firstStart = family.reduce((earliest, row) => Math.min(earliest, start[row]!), Number.POSITIVE_INFINITY)
    const latest = latestFinishes(family, end, isOn, end[parent]!)
    for (let i = 0; i < family.length; i++) {
      const row = family[i]!
      if (isOn[row] === 1) {
        const tied = i + 1 < family.length && end[family[i + 1]!] === end[row]
        drag(row, tied ? end[row]! : i > 0 ? end[family[i - 1]!]! : Number.NEGATIVE_INFINITY)
      } else {
        const earliest = endBefore(family, end, i, start[row]!) ?? firstStart
        slackNs[row] = latest[i]! - (end[row]! - start[row]!) - earliest
      }
    }
  }
  return { dragNs, exclusiveDragNs, slackNs }
}

/** For each of a family the end of the next on the path that ends with or after it, or the parent's end. */
function latestFinishes(family: Int32Array, end: Float64Array, isOn: Uint8Array, parentEnd: number): Float64Array {
  const latest = new Float64Array(family.length)
  let finish = parentEnd
  for (let i = family.length - 1, last = i; i >= 0; i--) {
    const row = family[i]!
    if (isOn[row] === 1) finish = end[row]!
    const isFirstOfItsEnd = i === 0 || end[family[i - 1]!] !== end[row]
    if (!isFirstOfItsEnd) continue
    latest.fill(finish, i, last + 1)
    last = i - 1
  }
  return latest
}

/** The last end at or before `time` in a family, other than that of the one at `self`. */
function endBefore(family: Int32Array, end: Float64Array, self: number, time: number): number | undefined {
  let low = 0
  let high = family.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (end[family[middle]!]! <= time) low = middle + 1
    else high = middle
  }
  if (low - 1 === self) low--
  return low > 0 ? end[family[low - 1]!]! : undefined
}
