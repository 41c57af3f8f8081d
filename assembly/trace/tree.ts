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
@inline const PRODUCER: u8 = 3 // KINDS of @trimtab/trace
// @ts-ignore: decorator
@inline const CONSUMER: u8 = 4 // the only kind with this bit
// @ts-ignore: decorator
@inline const FOLLOWS_FROM: u8 = 1 // flags of @trimtab/trace
// @ts-ignore: decorator
@inline const BYTES: u64 = 0x0101010101010101

// @ts-ignore: decorator
@inline export function addState(path: Path, span: i32, bits: u8): void {
  const at = path.state + <usize>span
  store<u8>(at, load<u8>(at) | bits)
}

/** Gives every span below `root` its place. */
export function makePlaces(path: Path, root: i32): void {
  linkRows(path)
  putWord(path.row, 0, root)
  let count = 1
  for (let span = 0; span < count; span++) {
    putWord(path.first, span, count)
    let child = wordAt(path.headRow, wordAt(path.row, span))
    for (; child >= 0; child = wordAt(path.nextRow, child)) {
      if (child != root) putWord(path.row, count++, child) // a ring through the root is not followed
    }
  }
  putWord(path.first, count, count)
  path.count = count
}

/** Makes the lists of children and fills `times`. A parent that is no row is none. */
function linkRows(path: Path): void {
  const n = path.n
  memory.fill(path.headRow, 0xff, <usize>n << 2)
  for (let row = 0; row < n; row++) {
    const times = path.times + (<usize>row << 4)
    store<f64>(times, numberAt(path.start, row))
    store<f64>(times, numberAt(path.end, row), 8)
    const parent = wordAt(path.parent, row)
    if (<u32>parent >= <u32>n) continue
    putWord(path.nextRow, row, wordAt(path.headRow, parent))
    putWord(path.headRow, parent, row)
  }
}

/** Whether a span follows from its parent, is a consumer or may be late: looks at eight spans at a time. */
export function findBackground(path: Path): void {
  const n = <usize>path.n
  let kinds: u64 = 0
  let flags: u64 = 0
  let i: usize = 0
  for (; i + 8 <= n; i += 8) {
    kinds |= load<u64>(path.kind + i)
    flags |= load<u64>(path.flags + i)
  }
  for (; i < n; i++) {
    kinds |= <u64>load<u8>(path.kind + i)
    flags |= <u64>load<u8>(path.flags + i)
  }
  const isAny = (kinds & (<u64>CONSUMER * BYTES)) != 0 || (flags & (<u64>FOLLOWS_FROM * BYTES)) != 0
  path.mayHaveBackground = <i32>(isAny || (path.options & abi.PATH_LATE_IS_BACKGROUND) != 0)
}

/** Fills `latest`. */
export function findLatest(path: Path): void {
  let to = path.count
  for (let span = path.count - 1; span >= 0; span--) {
    let latest = numberAt(path.end, wordAt(path.row, span))
    const from = wordAt(path.first, span)
    for (let child = from; child < to; child++) latest = max(latest, numberAt(path.latest, child))
    putNumber(path.latest, span, latest)
    to = from
  }
}

/** Fills `from` and `to`: the times of every span, cut to its parent's; and finds what is background or outside. */
export function cutWindows(path: Path): void {
  const root = wordAt(path.row, 0)
  putNumber(path.from, 0, numberAt(path.start, root))
  putNumber(path.to, 0, numberAt(path.end, root))
  const isFirm = (path.options & abi.PATH_FIRM) != 0
  let span = 1
  for (let parent = 0; span < path.count; parent++) {
    const from = numberAt(path.from, parent)
    const to = numberAt(path.to, parent)
    const above = byteAt(path.state, parent) & (BACKGROUND | OUTSIDE)
    for (const end = wordAt(path.first, parent + 1); span < end; span++) {
      const row = wordAt(path.row, span)
      const times = path.times + (<usize>row << 4)
      putNumber(path.from, span, load<f64>(times))
      putNumber(path.to, span, load<f64>(times, 8))
      const isAsync = (byteAt(path.state, span) & ASYNC) != 0
      if (above) addState(path, span, above)
      else if (path.mayHaveBackground && !isAsync && isBackground(path, row, wordAt(path.row, parent))) {
        path.background++
        addState(path, span, BACKGROUND)
      } else if (!isFirm) cutToParent(path, span, from, to, isAsync)
    }
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

/** from, to: of the parent */
// @ts-ignore: decorator
@inline function cutToParent(path: Path, span: i32, from: f64, to: f64, isAsync: bool): void {
  const start = numberAt(path.from, span)
  const end = numberAt(path.to, span)
  if (isAsync) {
    if (start < from) path.clamped++
    putNumber(path.from, span, max(start, from))
    putNumber(path.to, span, max(end, from))
  } else if (start > to || end < from || (start < end && (start == to || end == from))) {
    path.dropped++
    addState(path, span, OUTSIDE)
  } else if (start < from || end > to) {
    path.clamped++
    putNumber(path.from, span, max(start, from))
    putNumber(path.to, span, min(end, to))
  }
}

/** Writes windows over `start` and `end` (NaN where there is none) and background over `kind`; most traces need neither. */
export function writeRows(path: Path): void {
  path.cut = <i32>(path.count < path.n || path.clamped + path.dropped + path.background > 0)
  if (!path.cut) return
  memory.fill(path.start, 0xff, <usize>path.n << 4) // both columns NaN
  memory.fill(path.kind, 0, <usize>path.n)
  for (let span = 0; span < path.count; span++) {
    const row = wordAt(path.row, span)
    const state = byteAt(path.state, span)
    store<u8>(path.kind + <usize>row, state & BACKGROUND)
    if (state & (BACKGROUND | OUTSIDE)) continue
    putNumber(path.start, row, numberAt(path.from, span))
    putNumber(path.end, row, numberAt(path.to, span))
  }
}
