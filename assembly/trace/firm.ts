// Algorithm 3.1 to the letter (dissertation 3.2.2): whole spans, in the order in which it adds them to the path.
import { numberAt, Path, putNumber, putWord, wordAt } from './layout'
import { haveSameWindow, push, sortChildren, top } from './steps'

/** Lines 2 and 3: the path gets the whole span. */
export function writeWhole(path: Path, span: i32): void {
  putWord(path.sectionRow, path.sections, wordAt(path.row, span))
  putNumber(path.sectionStart, path.sections++, numberAt(path.from, span))
}

/** Lines 4 to 14: the last returned child, then, by start, every child that happened before it. */
export function walkFirm(path: Path): i32 {
  while (true) {
    const span = top(path)
    const from = wordAt(path.first, span)
    const to = wordAt(path.first, span + 1)
    if (wordAt(path.next, path.depth) < 0) {
      const kept = sortChildren(path, span, path.from, path.to)
      if (kept < to) putWord(path.children, kept, -1) // ends them
      putWord(path.next, path.depth, from)
      path.settled = from
    }
    if (path.settled >= from) {
      const tied = nextTie(path, to)
      if (tied > 1) return tied
      bringLastReturned(path, from, to)
      path.settled = -1
    }
    let at = wordAt(path.next, path.depth)
    while (isChild(path, at, to) && at > from && !happensBefore(path, at, from)) at++
    if (isChild(path, at, to)) {
      putWord(path.next, path.depth, at + 1)
      const child = wordAt(path.children, at)
      push(path, child)
      writeWhole(path, child)
    } else if (path.depth == 0) return 0
    else path.depth--
  }
}

// @ts-ignore: decorator
@inline function isChild(path: Path, at: i32, to: i32): bool {
  return at < to && wordAt(path.children, at) >= 0
}

/** The next rows with equal times from `settled` on, which moves behind them. */
function nextTie(path: Path, to: i32): i32 {
  while (isChild(path, path.settled, to)) {
    const at = path.settled
    const row = wordAt(path.children, at)
    let end = at + 1
    while (isChild(path, end, to) && haveSameWindow(path, wordAt(path.children, end), row)) end++
    path.settled = end
    path.tiedAt = at
    if (end - at > 1) return end - at
  }
  return 0
}

/** Moves the last of the children to the front. */
function bringLastReturned(path: Path, from: i32, to: i32): void {
  if (!isChild(path, from, to)) return
  let last = from
  for (let at = from + 1; isChild(path, at, to); at++) {
    if (numberAt(path.to, wordAt(path.children, at)) >= numberAt(path.to, wordAt(path.children, last))) last = at
  }
  if (last == from) return
  const row = wordAt(path.children, last)
  const place = path.children + (<usize>from << 2)
  memory.copy(place + 4, place, <usize>(last - from) << 2)
  store<i32>(place, row)
}

// @ts-ignore: decorator
@inline function happensBefore(path: Path, at: i32, last: i32): bool {
  return numberAt(path.to, wordAt(path.children, at)) <= numberAt(path.from, wordAt(path.children, last))
}
