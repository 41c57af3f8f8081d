// The block of one critical-path extraction: who lies where. `tree.ts`, `siblings.ts` and `walk.ts` are what it does.
//
// N: spans. A span has a row, its place in the caller's columns, and a place: places count from the root down, level by
// level, so that the children of a span have places in a row and everything below runs through memory in order.
// Times are whole nanoseconds in f64. A block that was planned for N serves every smaller trace.
//   head: Path
//   by row:   start, end f64[N] | parent i32[N] | kind, flags u8[N]           in; out, if PATH_CUT: windows over start and
//             end, background over kind | headRow, nextRow i32[N]             later stack, scratch
//   by place: from, to f64[N] | row i32[N] | first i32[N + 1] | children i32[N] | state u8[N]
//   by depth: stack, next i32[N]
//   sections: sectionStart f64[2N] | sectionRow i32[2N]                         before the walk: times f64[N, 2], latest f64[N]
import * as abi from '../abi'

// @ts-ignore: decorator
@unmanaged export class Path {
  n: i32 = 0
  /** Spans at or below the root. */
  count: i32 = 0
  /** PATH_TO_TRACE_END | … of abi.ts. */
  options: i32 = 0
  phase: i32 = 0
  /** Siblings that overlap by no more follow each other. */
  tolerance: f64 = 0

  /** Where the walk is: how deep, whether it came back from a child, how far back it got, where the last section begins. */
  depth: i32 = 0
  cameBack: i32 = 0
  cursor: f64 = 0
  written: f64 = 0
  /** Where the path ends. */
  finish: f64 = 0
  sections: i32 = 0
  /** Where in `children` are siblings that wait to be sorted by id, how many, and which place was sorted. */
  tiedAt: i32 = 0
  tied: i32 = 0
  settled: i32 = 0
  hasPlaces: i32 = 0

  /** Whether any span can be background; most traces have none. */
  mayHaveBackground: i32 = 0
  background: i32 = 0
  /** Whether any span has another window than its own times. */
  cut: i32 = 0
  clamped: i32 = 0
  dropped: i32 = 0
  trimmed: i32 = 0

  start: usize = 0
  end: usize = 0
  parent: usize = 0
  kind: usize = 0
  flags: usize = 0
  /** The first of a list of children, and the next of the list. */
  headRow: usize = 0
  nextRow: usize = 0

  /** The part of each span that its parent can wait for. */
  from: usize = 0
  to: usize = 0
  row: usize = 0
  /** Children of s: places first[s] … first[s + 1] − 1; once s is entered `children` has them in the order of the walk. */
  first: usize = 0
  children: usize = 0
  state: usize = 0

  /** The spans from the root to where the walk is. */
  stack: usize = 0
  /** Which of `children` is next: backwards the one before it, for firm the one there; −1 before the span is entered. */
  next: usize = 0
  scratch: usize = 0

  sectionStart: usize = 0
  sectionRow: usize = 0
  /** Start and end of each row beside each other: a row is met once, at random, and so costs one miss. */
  times: usize = 0
  /** By place: when the last span at or below it ends. */
  latest: usize = 0
}

// @ts-ignore: decorator
@inline const HEAD: usize = (offsetof<Path>() + 15) & ~15

// @ts-ignore: decorator
@inline export function numberAt(column: usize, index: i32): f64 {
  return load<f64>(column + (<usize>index << 3))
}

// @ts-ignore: decorator
@inline export function putNumber(column: usize, index: i32, value: f64): void {
  store<f64>(column + (<usize>index << 3), value)
}

// @ts-ignore: decorator
@inline export function wordAt(column: usize, index: i32): i32 {
  return load<i32>(column + (<usize>index << 2))
}

// @ts-ignore: decorator
@inline export function putWord(column: usize, index: i32, value: i32): void {
  store<i32>(column + (<usize>index << 2), value)
}

// @ts-ignore: decorator
@inline export function byteAt(column: usize, index: i32): u8 {
  return load<u8>(column + <usize>index)
}

/** Bytes of a block for n spans, as a number: more than an i32 holds is for the caller to refuse. */
export function path_bytes(n: i32): f64 {
  return <f64>HEAD + 87.0 * <f64>n + 4.0
}

let cursor: usize = 0

function place(bytes: usize): usize {
  const at = cursor
  cursor += bytes
  return at
}

/** Lays the block out for a trace of n spans; the caller then fills start, end, parent, kind and flags. */
export function path_layout(block: usize, n: i32): void {
  const path = changetype<Path>(block)
  const numbers = <usize>n << 3
  const words = <usize>n << 2
  path.n = n
  cursor = block + HEAD
  path.start = place(numbers)
  path.end = place(numbers)
  path.from = place(numbers)
  path.to = place(numbers)
  path.sectionStart = place(2 * numbers)
  path.sectionRow = place(2 * words)
  path.times = path.sectionStart
  path.latest = path.sectionRow
  path.parent = place(words)
  path.headRow = place(words)
  path.nextRow = place(words)
  path.stack = path.headRow
  path.scratch = path.nextRow
  path.next = place(words)
  path.row = place(words)
  path.first = place(words + 4)
  path.children = place(words)
  path.kind = place(<usize>n)
  path.flags = place(<usize>n)
  path.state = place(<usize>n)
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
    case abi.PATH_TIED: return path.scratch
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
    case abi.PATH_CUT: return <f64>path.cut
    case abi.PATH_CLAMPED: return <f64>path.clamped
    case abi.PATH_DROPPED: return <f64>path.dropped
    default: return <f64>path.trimmed
  }
}
