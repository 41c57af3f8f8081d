// The block of one critical-path extraction: who lies where. `tree.ts`, `siblings.ts` and `walk.ts` are what it does.
//
// N: spans. Times are whole nanoseconds in f64. A block that was planned for N serves every smaller trace.
//   head: Path
//   f64: start [N] | end [N] | window start [N] | window end [N] | self [N] | section start [2N]
//   i32: parent [N] | first [N + 1] | children [N] | next [N] | scratch [N] | section row [2N]
//   u8:  kind [N] | flags [N] | state [N]
import * as abi from '../abi'

// @ts-ignore: decorator
@unmanaged export class Path {
  n: i32 = 0
  /** The row the path belongs to. */
  root: i32 = 0
  /** PATH_TO_TRACE_END | … of abi.ts. */
  options: i32 = 0
  phase: i32 = 0
  /** Siblings that overlap by no more follow each other. */
  tolerance: f64 = 0

  /** Where the walk is: the span, how far back it got, and the start of the section written last. */
  span: i32 = 0
  sections: i32 = 0
  cursor: f64 = 0
  written: f64 = 0
  /** Where the path ends. */
  finish: f64 = 0
  /** Place in `children` of the siblings that wait to be sorted by id, how many, and which place was sorted. */
  tiedAt: i32 = 0
  tied: i32 = 0
  settled: i32 = 0

  clamped: i32 = 0
  dropped: i32 = 0
  trimmed: i32 = 0

  start: usize = 0
  end: usize = 0
  windowStart: usize = 0
  windowEnd: usize = 0
  self: usize = 0
  sectionStart: usize = 0
  parent: usize = 0
  /** Children of s: children[first[s]] … children[first[s + 1] − 1]. */
  first: usize = 0
  children: usize = 0
  /** Which of `children` is next: backwards the one before it, for firm the one there; −1 before the span is entered. */
  next: usize = 0
  /** Rows from the root down while the tree is made, room for merges afterwards. */
  scratch: usize = 0
  sectionRow: usize = 0
  kind: usize = 0
  flags: usize = 0
  state: usize = 0
}

// @ts-ignore: decorator
@inline const HEAD: usize = (offsetof<Path>() + 15) & ~15

// @ts-ignore: decorator
@inline export function numberAt(column: usize, row: i32): f64 {
  return load<f64>(column + (<usize>row << 3))
}

// @ts-ignore: decorator
@inline export function putNumber(column: usize, row: i32, value: f64): void {
  store<f64>(column + (<usize>row << 3), value)
}

// @ts-ignore: decorator
@inline export function wordAt(column: usize, row: i32): i32 {
  return load<i32>(column + (<usize>row << 2))
}

// @ts-ignore: decorator
@inline export function putWord(column: usize, row: i32, value: i32): void {
  store<i32>(column + (<usize>row << 2), value)
}

export function path_bytes(n: i32): usize {
  const spans = <usize>n
  return HEAD + 7 * 8 * spans + 7 * 4 * spans + 4 + 3 * spans
}

/** Lays the block out for a trace of n spans; the caller then fills start, end, parent, kind and flags. */
export function path_layout(block: usize, n: i32): void {
  const path = changetype<Path>(block)
  const words = <usize>n << 2
  const numbers = <usize>n << 3
  path.n = n
  path.start = block + HEAD
  path.end = path.start + numbers
  path.windowStart = path.end + numbers
  path.windowEnd = path.windowStart + numbers
  path.self = path.windowEnd + numbers
  path.sectionStart = path.self + numbers
  path.parent = path.sectionStart + 2 * numbers
  path.first = path.parent + words
  path.children = path.first + words + 4
  path.next = path.children + words
  path.scratch = path.next + words
  path.sectionRow = path.scratch + words
  path.kind = path.sectionRow + 2 * words
  path.flags = path.kind + <usize>n
  path.state = path.flags + <usize>n
}

/** The address of a column, by the names of abi.ts. */
export function path_column(block: usize, which: i32): usize {
  const path = changetype<Path>(block)
  switch (which) {
    case abi.PATH_START: return path.start
    case abi.PATH_END: return path.end
    case abi.PATH_PARENT: return path.parent
    case abi.PATH_KIND: return path.kind
    case abi.PATH_FLAGS: return path.flags
    case abi.PATH_WINDOW_START: return path.windowStart
    case abi.PATH_WINDOW_END: return path.windowEnd
    case abi.PATH_SELF: return path.self
    case abi.PATH_STATE: return path.state
    case abi.PATH_CHILDREN: return path.children
    case abi.PATH_SECTION_ROW: return path.sectionRow
    default: return path.sectionStart
  }
}

/** A result, by the names of abi.ts. */
export function path_get(block: usize, which: i32): f64 {
  const path = changetype<Path>(block)
  switch (which) {
    case abi.PATH_SECTIONS: return <f64>path.sections
    case abi.PATH_FINISH: return path.finish
    case abi.PATH_TIED_AT: return <f64>path.tiedAt
    case abi.PATH_CLAMPED: return <f64>path.clamped
    case abi.PATH_DROPPED: return <f64>path.dropped
    default: return <f64>path.trimmed
  }
}
