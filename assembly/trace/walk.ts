// Critical path extraction. `path_begin` makes the tree, `path_resume` walks it; both are O(n log n) and never recurse.
//
// blocking: backwards from the root's end. The span whose turn it is hands over to the child that ended last at or before
// the cursor, gets the cursor back where that child started, and owns what lies between its children. Sections tile the
// root. to-trace-end: the same walk, begun at the span that ends last in the whole tree; what lies between an asynchronous
// hop and its parent's end (the wait in the queue) belongs to the hop. firm: Algorithm 3.1 to the letter, whole spans.
//
// The last of several children is the last by (end, start, id). The core does not know ids: where they decide,
// `path_resume` returns how many rows of PATH_TIED wait to be sorted by them, and goes on when it is called again.
// Nothing depends on the order of the rows.
import * as abi from '../abi'
import { walkFirm, writeWhole } from './firm'
import { numberAt, Path, putNumber, putWord, wordAt } from './layout'
import { sortChildren, haveSameWindow, push, top } from './steps'
import { addState, ASYNC, cutWindows, findBackground, findLatest, makePlaces, writeRows } from './tree'

// Values of `phase`.
// @ts-ignore: decorator
@inline const DESCEND: i32 = 0 // looking for the span that ends last
// @ts-ignore: decorator
@inline const CUT: i32 = 1
// @ts-ignore: decorator
@inline const WALK: i32 = 2

/** Prepares a laid-out and filled block. options: PATH_TO_TRACE_END | … of abi.ts. tolerance in ns. */
export function path_begin(block: usize, root: i32, options: i32, tolerance: f64): void {
  const path = changetype<Path>(block)
  path.options = options
  path.tolerance = tolerance
  path.sections = 0
  path.background = 0
  path.clamped = 0
  path.dropped = 0
  path.trimmed = 0
  path.tied = 0
  path.settled = -1
  path.hasPlaces = 0
  path.depth = -1
  path.cameBack = 0
  path.phase = options & abi.PATH_TO_TRACE_END ? DESCEND : CUT
  memory.fill(path.state, 0, <usize>path.n)
  findBackground(path)
  makePlaces(path, root)
  push(path, 0)
  if (path.phase == DESCEND) findLatest(path)
}

/** Goes on until the path is found (returns 0) or siblings tie (returns how many of PATH_TIED are to be sorted by id). */
export function path_resume(block: usize): i32 {
  const path = changetype<Path>(block)
  if (path.tied > 0) takeOrder(path)
  path.tied = resume(path)
  if (path.tied > 0) askForOrder(path)
  else writeRows(path)
  return path.tied
}

function resume(path: Path): i32 {
  if (path.phase == DESCEND) {
    const tied = descend(path)
    if (tied > 0) return tied
    path.phase = CUT
  }
  if (path.phase == CUT) {
    cutWindows(path)
    path.cursor = numberAt(path.to, top(path))
    path.finish = path.cursor
    path.written = path.cursor
    path.settled = -1
    path.phase = WALK
    if (path.options & abi.PATH_FIRM) writeWhole(path, 0)
  }
  return path.options & abi.PATH_FIRM ? walkFirm(path) : walkBack(path)
}

/** Lays out the rows of the siblings that tie. Nobody needs the parents any more: `parent` becomes the place of each row. */
function askForOrder(path: Path): void {
  if (!path.hasPlaces) {
    for (let span = 0; span < path.count; span++) putWord(path.parent, wordAt(path.row, span), span)
    path.hasPlaces = 1
  }
  for (let i = 0; i < path.tied; i++) {
    putWord(path.scratch, i, wordAt(path.row, wordAt(path.children, path.tiedAt + i)))
  }
}

/** Takes them back as the caller sorted them. */
function takeOrder(path: Path): void {
  for (let i = 0; i < path.tied; i++) {
    putWord(path.children, path.tiedAt + i, wordAt(path.parent, wordAt(path.scratch, i)))
  }
}

/** Follows the latest end down and marks the way; parents before children with the same end. */
function descend(path: Path): i32 {
  while (true) {
    const span = top(path)
    const latest = numberAt(path.latest, span)
    if (numberAt(path.end, wordAt(path.row, span)) == latest) return 0
    const from = wordAt(path.first, span)
    let last = from + path.tied - 1
    if (path.settled != from) {
      const tied = gatherLatest(path, from, wordAt(path.first, span + 1), latest)
      if (tied > 1) {
        path.settled = from
        path.tiedAt = from
        return tied
      }
      last = from
    }
    const child = wordAt(path.children, last)
    addState(path, child, ASYNC)
    push(path, child)
  }
}

/** Puts the children that lead to `latest` and started last into `children`; returns how many. */
function gatherLatest(path: Path, from: i32, to: i32, latest: f64): i32 {
  let tied = 0
  let start = -Infinity
  for (let child = from; child < to; child++) {
    if (numberAt(path.latest, child) != latest) continue
    const began = numberAt(path.start, wordAt(path.row, child))
    if (began < start) continue
    if (began > start) tied = 0
    start = began
    putWord(path.children, from + tied++, child)
  }
  return tied
}

/** The part of `span` from `start` to where the last section began; nothing when that is no time. */
// @ts-ignore: decorator
@inline function writeSection(path: Path, span: i32, start: f64): void {
  if (start >= path.written) return
  const at = 2 * path.n - ++path.sections // latest first, so that they end up in time order
  putWord(path.sectionRow, at, wordAt(path.row, span))
  putNumber(path.sectionStart, at, start)
  path.written = start
}

function walkBack(path: Path): i32 {
  while (true) {
    const span = top(path)
    const from = wordAt(path.first, span)
    if (wordAt(path.next, path.depth) < 0) {
      putWord(path.next, path.depth, sortChildren(path, span, path.to, path.from))
    }
    const at = findPredecessor(path, from, wordAt(path.next, path.depth) - 1)
    if (at < from) {
      writeSection(path, span, numberAt(path.from, span))
      if (span == 0) return 0
      leave(path, span)
      continue
    }
    const child = wordAt(path.children, at)
    if (path.settled != at) {
      let first = at
      while (first > from && haveSameWindow(path, wordAt(path.children, first - 1), child)) first--
      if (first < at) {
        putWord(path.next, path.depth, at + 1)
        path.settled = at
        path.tiedAt = first
        return at + 1 - first
      }
    }
    const end = numberAt(path.to, child)
    if (end > path.cursor && path.cameBack) path.trimmed++
    path.cursor = min(path.cursor, end)
    writeSection(path, span, path.cursor)
    putWord(path.next, path.depth, at)
    push(path, child)
  }
}

/** The place of the child that ended last at or before the cursor (give or take the tolerance), from `at` back; below `from`: none. */
// @ts-ignore: decorator
@inline function findPredecessor(path: Path, from: i32, at: i32): i32 {
  const limit = path.cursor + path.tolerance
  for (; at >= from; at--) {
    const child = wordAt(path.children, at)
    if (numberAt(path.to, child) <= limit && numberAt(path.from, child) < path.cursor) break
  }
  return at
}

/** Back to the parent, at the time when the span started. */
function leave(path: Path, span: i32): void {
  path.depth--
  path.cameBack = 1
  path.cursor = numberAt(path.from, span)
  const parentEnd = numberAt(path.to, top(path))
  if (path.cursor > parentEnd) {
    writeSection(path, span, parentEnd) // it waited to begin after its parent was done
    path.cursor = parentEnd
  }
}
