// Sorting the children of one span: runs by insertion, then merged bottom-up. Ties keep any order; whoever needs one asks.
import { numberAt, putWord, wordAt } from './layout'

// @ts-ignore: decorator
@inline const RUN: i32 = 16

/** Sorts the rows children[from … to − 1] by `major`, then by `minor`, ascending. scratch: room for as many rows. */
export function sortSiblings(children: usize, from: i32, to: i32, scratch: usize, major: usize, minor: usize): void {
  for (let at = from; at < to; at += RUN) insertRun(children, at, min(at + RUN, to), major, minor)
  for (let width = RUN; width < to - from; width <<= 1) {
    for (let at = from; at + width < to; at += width << 1) {
      mergeRuns(children, at, at + width, min(at + (width << 1), to), scratch, major, minor)
    }
  }
}

// @ts-ignore: decorator
@inline function goesBefore(a: i32, b: i32, major: usize, minor: usize): bool {
  const x = numberAt(major, a)
  const y = numberAt(major, b)
  return x < y || (x == y && numberAt(minor, a) < numberAt(minor, b))
}

function insertRun(children: usize, from: i32, to: i32, major: usize, minor: usize): void {
  for (let i = from + 1; i < to; i++) {
    const row = wordAt(children, i)
    let j = i
    for (; j > from; j--) {
      const other = wordAt(children, j - 1)
      if (!goesBefore(row, other, major, minor)) break
      putWord(children, j, other)
    }
    putWord(children, j, row)
  }
}

/** Merges [from, middle) and [middle, to). */
function mergeRuns(children: usize, from: i32, middle: i32, to: i32, scratch: usize, major: usize, minor: usize): void {
  if (!goesBefore(wordAt(children, middle), wordAt(children, middle - 1), major, minor)) return
  const left = middle - from
  memory.copy(scratch, children + (<usize>from << 2), <usize>left << 2)
  let i = 0
  let j = middle
  let k = from
  while (i < left && j < to) {
    const a = wordAt(scratch, i)
    const b = wordAt(children, j)
    if (goesBefore(b, a, major, minor)) {
      putWord(children, k++, b)
      j++
    } else {
      putWord(children, k++, a)
      i++
    }
  }
  memory.copy(children + (<usize>k << 2), scratch + (<usize>i << 2), <usize>(left - i) << 2)
}
