// From parents to a tree that can be walked: children, the part of each span that its parent can wait for, what is background.
import * as abi from '../abi'
import { numberAt, Path, putNumber, putWord, wordAt } from './layout'

// Bits of `state`; the first is what TypeScript reads.
// @ts-ignore: decorator
@inline export const BACKGROUND: u8 = 1 // nothing waits for it or for a span above it
// @ts-ignore: decorator
@inline export const OUTSIDE: u8 = 2 // it, or a span above it, lies outside its parent
// @ts-ignore: decorator
@inline export const ASYNC: u8 = 4 // leads to the end of the trace, which is waited for (to-trace-end)
// @ts-ignore: decorator
@inline export const RESUMED: u8 = 8 // the walk came back from a child

// @ts-ignore: decorator
@inline const PRODUCER: u8 = 3 // KINDS of @trimtab/trace
// @ts-ignore: decorator
@inline const CONSUMER: u8 = 4
// @ts-ignore: decorator
@inline const FOLLOWS_FROM: u8 = 1 // flags of @trimtab/trace

// @ts-ignore: decorator
@inline export function stateOf(path: Path, row: i32): u8 {
  return load<u8>(path.state + <usize>row)
}

// @ts-ignore: decorator
@inline export function addState(path: Path, row: i32, bits: u8): void {
  store<u8>(path.state + <usize>row, stateOf(path, row) | bits)
}

/** Fills `first` and `children` by counting. */
export function linkChildren(path: Path): void {
  const n = path.n
  const first = path.first
  memory.fill(first, 0, (<usize>n << 2) + 4)
  for (let row = 0; row < n; row++) {
    const parent = wordAt(path.parent, row)
    if (<u32>parent < <u32>n) putWord(first, parent + 1, wordAt(first, parent + 1) + 1)
  }
  for (let row = 0; row < n; row++) putWord(first, row + 1, wordAt(first, row) + wordAt(first, row + 1))
  memory.copy(path.next, first, <usize>n << 2)
  for (let row = 0; row < n; row++) {
    const parent = wordAt(path.parent, row)
    if (<u32>parent >= <u32>n) continue
    const at = wordAt(path.next, parent)
    putWord(path.children, at, row)
    putWord(path.next, parent, at + 1)
  }
}

/** Fills `scratch` with the root and all below it, parents before children; returns how many. */
export function orderDown(path: Path): i32 {
  const rows = path.scratch
  putWord(rows, 0, path.root)
  let count = 1
  for (let i = 0; i < count; i++) {
    const row = wordAt(rows, i)
    const to = wordAt(path.first, row + 1)
    for (let at = wordAt(path.first, row); at < to; at++) {
      const child = wordAt(path.children, at)
      if (child != path.root) putWord(rows, count++, child) // a ring through the root is not followed
    }
  }
  return count
}

/** Window end := the latest end at or below each span. rows: as `orderDown` left them. */
export function findLatest(path: Path, count: i32): void {
  for (let i = 0; i < count; i++) {
    const row = wordAt(path.scratch, i)
    putNumber(path.windowEnd, row, numberAt(path.end, row))
  }
  for (let i = count - 1; i > 0; i--) {
    const row = wordAt(path.scratch, i)
    const parent = wordAt(path.parent, row)
    putNumber(path.windowEnd, parent, max(numberAt(path.windowEnd, parent), numberAt(path.windowEnd, row)))
  }
}

/** The window of every span below the root, and what is background or outside; NaN where there is no window. */
export function cutWindows(path: Path, count: i32): void {
  const root = path.root
  memory.fill(path.windowStart, 0xff, <usize>path.n << 4) // both columns NaN
  putNumber(path.windowStart, root, numberAt(path.start, root))
  putNumber(path.windowEnd, root, numberAt(path.end, root))
  for (let i = 1; i < count; i++) {
    const row = wordAt(path.scratch, i)
    const parent = wordAt(path.parent, row)
    const above = stateOf(path, parent)
    const isAsync = (stateOf(path, row) & ASYNC) != 0
    if (above & (BACKGROUND | OUTSIDE)) addState(path, row, above & (BACKGROUND | OUTSIDE))
    else if (!isAsync && isBackground(path, row, parent)) addState(path, row, BACKGROUND)
    else if (path.options & abi.PATH_FIRM) keepWhole(path, row)
    else cutToParent(path, row, parent, isAsync)
  }
}

function isBackground(path: Path, row: i32, parent: i32): bool {
  const options = path.options
  if (!(options & abi.PATH_FOLLOWS_FROM_BLOCKS) && load<u8>(path.flags + <usize>row) & FOLLOWS_FROM) return true
  if (
    !(options & abi.PATH_CONSUMER_BLOCKS) &&
    load<u8>(path.kind + <usize>row) == CONSUMER &&
    load<u8>(path.kind + <usize>parent) == PRODUCER
  ) {
    return true
  }
  return (options & abi.PATH_LATE_IS_BACKGROUND) != 0 && numberAt(path.end, row) > numberAt(path.end, parent)
}

function keepWhole(path: Path, row: i32): void {
  putNumber(path.windowStart, row, numberAt(path.start, row))
  putNumber(path.windowEnd, row, numberAt(path.end, row))
}

function cutToParent(path: Path, row: i32, parent: i32, isAsync: bool): void {
  const start = numberAt(path.start, row)
  const end = numberAt(path.end, row)
  const from = numberAt(path.windowStart, parent)
  const to = numberAt(path.windowEnd, parent)
  if (isAsync) {
    const cut = max(start, from)
    if (cut != start) path.clamped++
    putNumber(path.windowStart, row, cut)
    putNumber(path.windowEnd, row, max(end, cut))
    return
  }
  if (start > to || end < from || (start < end && (start == to || end == from))) {
    path.dropped++
    addState(path, row, OUTSIDE)
    return
  }
  if (start < from || end > to) path.clamped++
  putNumber(path.windowStart, row, max(start, from))
  putNumber(path.windowEnd, row, min(end, to))
}
