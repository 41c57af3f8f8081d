// From parents to a tree that can be walked: places, the part of each span that its parent can wait for, what is background.
import * as abi from '../abi'
import { byteAt, numberAt, Path, putNumber, putWord, wordAt } from './layout'

// Bits of `state`.
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
@inline export function addState(path: Path, span: i32, bits: u8): void {
  const at = path.state + <usize>span
  store<u8>(at, load<u8>(at) | bits)
}

/** Gives every span below `root` its place. Afterwards `parent` has the place of each row, and `firstRow` is free. */
export function makePlaces(path: Path, root: i32): void {
  linkRows(path)
  putWord(path.row, 0, root)
  putWord(path.parentPlace, 0, -1)
  let count = 1
  for (let span = 0; span < count; span++) {
    const row = wordAt(path.row, span)
    const to = wordAt(path.firstRow, row + 1)
    putWord(path.parent, row, span)
    putWord(path.first, span, count)
    for (let at = wordAt(path.firstRow, row); at < to; at++) {
      const child = wordAt(path.childRow, at)
      if (child == root) continue // a ring through the root is not followed
      putWord(path.row, count, child)
      putWord(path.parentPlace, count, span)
      putWord(path.children, count, count)
      count++
    }
  }
  putWord(path.first, count, count)
  path.count = count
}

/** Fills `firstRow` and `childRow` by counting. A parent that is no row is none. */
function linkRows(path: Path): void {
  const n = path.n
  const first = path.firstRow
  const next = path.row // free so far
  memory.fill(first, 0, (<usize>n << 2) + 4)
  for (let row = 0; row < n; row++) {
    const parent = wordAt(path.parent, row)
    if (<u32>parent < <u32>n) putWord(first, parent + 1, wordAt(first, parent + 1) + 1)
  }
  for (let row = 0; row < n; row++) putWord(first, row + 1, wordAt(first, row) + wordAt(first, row + 1))
  memory.copy(next, first, <usize>n << 2)
  for (let row = 0; row < n; row++) {
    const parent = wordAt(path.parent, row)
    if (<u32>parent >= <u32>n) continue
    const at = wordAt(next, parent)
    putWord(path.childRow, at, row)
    putWord(next, parent, at + 1)
  }
}

/** `to` := the latest end at or below each span. */
export function findLatest(path: Path): void {
  for (let span = 0; span < path.count; span++) putNumber(path.to, span, numberAt(path.end, wordAt(path.row, span)))
  for (let span = path.count - 1; span > 0; span--) {
    const parent = wordAt(path.parentPlace, span)
    putNumber(path.to, parent, max(numberAt(path.to, parent), numberAt(path.to, span)))
  }
}

/** `from` and `to` of every span, and what is background or outside. */
export function cutWindows(path: Path): void {
  putNumber(path.from, 0, numberAt(path.start, wordAt(path.row, 0)))
  putNumber(path.to, 0, numberAt(path.end, wordAt(path.row, 0)))
  for (let span = 1; span < path.count; span++) {
    const parent = wordAt(path.parentPlace, span)
    const above = byteAt(path.state, parent)
    const row = wordAt(path.row, span)
    const isAsync = (byteAt(path.state, span) & ASYNC) != 0
    const start = numberAt(path.start, row)
    const end = numberAt(path.end, row)
    putNumber(path.from, span, start)
    putNumber(path.to, span, end)
    if (above & (BACKGROUND | OUTSIDE)) addState(path, span, above & (BACKGROUND | OUTSIDE))
    else if (!isAsync && isBackground(path, row, wordAt(path.row, parent))) addState(path, span, BACKGROUND)
    else if (!(path.options & abi.PATH_FIRM)) cutToParent(path, span, parent, start, end, isAsync)
  }
}

function isBackground(path: Path, row: i32, parent: i32): bool {
  const options = path.options
  if (!(options & abi.PATH_FOLLOWS_FROM_BLOCKS) && byteAt(path.flags, row) & FOLLOWS_FROM) return true
  if (
    !(options & abi.PATH_CONSUMER_BLOCKS) &&
    byteAt(path.kind, row) == CONSUMER &&
    byteAt(path.kind, parent) == PRODUCER
  ) {
    return true
  }
  return (options & abi.PATH_LATE_IS_BACKGROUND) != 0 && numberAt(path.end, row) > numberAt(path.end, parent)
}

// @ts-ignore: decorator
@inline function cutToParent(path: Path, span: i32, parent: i32, start: f64, end: f64, isAsync: bool): void {
  const from = numberAt(path.from, parent)
  const to = numberAt(path.to, parent)
  if (isAsync) {
    if (start < from) path.clamped++
    putNumber(path.from, span, max(start, from))
    putNumber(path.to, span, max(end, from))
  } else if (start > to || end < from || (start < end && (start == to || end == from))) {
    path.dropped++
    addState(path, span, OUTSIDE)
  } else {
    if (start < from || end > to) path.clamped++
    putNumber(path.from, span, max(start, from))
    putNumber(path.to, span, min(end, to))
  }
}

/**
 * Writes what was found at the places back to the rows: windows over `start` and `end` (NaN where there is none),
 * background over `kind`, self time over `from`.
 */
export function writeRows(path: Path): void {
  const n = path.n
  memory.fill(path.start, 0xff, <usize>n << 4) // both columns NaN
  memory.fill(path.kind, 0, <usize>n)
  for (let span = 0; span < path.count; span++) {
    const row = wordAt(path.row, span)
    const state = byteAt(path.state, span)
    store<u8>(path.kind + <usize>row, state & BACKGROUND)
    if (state & (BACKGROUND | OUTSIDE)) continue
    putNumber(path.start, row, numberAt(path.from, span))
    putNumber(path.end, row, numberAt(path.to, span))
  }
  memory.fill(path.from, 0, <usize>n << 3)
  for (let span = 0; span < path.count; span++) putNumber(path.from, wordAt(path.row, span), numberAt(path.self, span))
}
