// Sorting the children of one span by two columns of f64: few by insertion and merging, many by radix.
// Ties keep any order; whoever needs one asks.
import { numberAt, putWord, wordAt } from './layout'

// @ts-ignore: decorator
@inline const RUN: i32 = 16
// @ts-ignore: decorator
@inline const MANY: i32 = 512 // from here on counting digits costs less than comparing
// @ts-ignore: decorator
@inline const DIGIT: i32 = 11 // bits of a radix pass: 2048 counters stay in the first-level cache
const counters: usize = memory.data(8192)

/**
 * Sorts the spans children[from … to − 1] by `major`, then by `minor`, ascending.
 * scratch: room for as many i32; spare: room for twice as many f64.
 */
export function sortSiblings(
  children: usize,
  from: i32,
  to: i32,
  scratch: usize,
  major: usize,
  minor: usize,
  spare: usize,
): void {
  if (to - from < MANY || isSorted(children, from, to, major, minor)) sortByMerging(children, from, to, scratch, major, minor)
  else {
    sortByRadix(children + (<usize>from << 2), to - from, scratch, major, spare)
    sortEqual(children, from, to, scratch, major, minor)
  }
}

// @ts-ignore: decorator
@inline function goesBefore(a: i32, b: i32, major: usize, minor: usize): bool {
  const x = numberAt(major, a)
  const y = numberAt(major, b)
  return x < y || (x == y && numberAt(minor, a) < numberAt(minor, b))
}

function isSorted(children: usize, from: i32, to: i32, major: usize, minor: usize): bool {
  for (let at = from + 1; at < to; at++) {
    if (goesBefore(wordAt(children, at), wordAt(children, at - 1), major, minor)) return false
  }
  return true
}

function sortByMerging(children: usize, from: i32, to: i32, scratch: usize, major: usize, minor: usize): void {
  for (let at = from; at < to; at += RUN) insertRun(children, at, min(at + RUN, to), major, minor)
  for (let width = RUN; width < to - from; width <<= 1) {
    for (let at = from; at + width < to; at += width << 1) {
      mergeRuns(children, at, at + width, min(at + (width << 1), to), scratch, major, minor)
    }
  }
}

function insertRun(children: usize, from: i32, to: i32, major: usize, minor: usize): void {
  for (let i = from + 1; i < to; i++) {
    const span = wordAt(children, i)
    let j = i
    for (; j > from; j--) {
      const other = wordAt(children, j - 1)
      if (!goesBefore(span, other, major, minor)) break
      putWord(children, j, other)
    }
    putWord(children, j, span)
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

/** Bits of a number as an integer that sorts the same way; −0 counts as 0. */
// @ts-ignore: decorator
@inline function sortable(x: f64): u64 {
  const bits = reinterpret<u64>(x + 0.0)
  return bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000)
}

/** Sorts n spans by `column` alone: least digits first, only the bits in which they differ. */
function sortByRadix(spans: usize, n: i32, scratch: usize, column: usize, spare: usize): void {
  let keys = spare
  let keysThere = spare + (<usize>n << 3)
  let there = scratch
  let differ: u64 = 0
  const first = sortable(numberAt(column, wordAt(spans, 0)))
  for (let i = 0; i < n; i++) {
    const key = sortable(numberAt(column, wordAt(spans, i)))
    store<u64>(keys + (<usize>i << 3), key)
    differ |= key ^ first
  }
  if (differ == 0) return
  let here = spans
  for (let shift = <i32>ctz(differ); shift < 64 - <i32>clz(differ); shift += DIGIT) {
    passDigit(keys, here, n, keysThere, there, <u64>shift)
    let swap = keys
    keys = keysThere
    keysThere = swap
    swap = here
    here = there
    there = swap
  }
  if (here != spans) memory.copy(spans, here, <usize>n << 2)
}

function passDigit(keys: usize, spans: usize, n: i32, keysThere: usize, there: usize, shift: u64): void {
  memory.fill(counters, 0, 8192)
  for (let i: usize = 0; i < <usize>n << 3; i += 8) {
    const counter = counters + (<usize>((load<u64>(keys + i) >> shift) & 2047) << 2)
    store<i32>(counter, load<i32>(counter) + 1)
  }
  let sum = 0
  for (let digit = 0; digit < 2048; digit++) {
    const count = wordAt(counters, digit)
    putWord(counters, digit, sum)
    sum += count
  }
  for (let i = 0; i < n; i++) {
    const key = load<u64>(keys + (<usize>i << 3))
    const counter = counters + (<usize>((key >> shift) & 2047) << 2)
    const at = load<i32>(counter)
    store<i32>(counter, at + 1)
    store<u64>(keysThere + (<usize>at << 3), key)
    putWord(there, at, wordAt(spans, i))
  }
}

/** Sorts by `minor` where `major` is the same. */
function sortEqual(children: usize, from: i32, to: i32, scratch: usize, major: usize, minor: usize): void {
  for (let at = from; at < to; ) {
    const value = numberAt(major, wordAt(children, at))
    let end = at + 1
    while (end < to && numberAt(major, wordAt(children, end)) == value) end++
    if (end - at > 1) sortByMerging(children, at, end, scratch, major, minor)
    at = end
  }
}
