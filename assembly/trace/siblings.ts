// Sorting the children of one span by two columns of f64, ascending. Ties keep any order; whoever needs one asks.
// Few by insertion and merging; many by counting what their times begin with, and merging only where that is the same.
import { numberAt, putWord, wordAt } from './layout'

// @ts-ignore: decorator
@inline const RUN: i32 = 16
// @ts-ignore: decorator
@inline const MANY: i32 = 512 // from here on counting digits costs less than comparing
// @ts-ignore: decorator
@inline const DIGIT: u32 = 11 // bits of a counting pass: 2048 counters stay in the first-level cache
// @ts-ignore: decorator
@inline const DIGITS: u32 = 2048
const counters: usize = memory.data(8192)

/**
 * Sorts the spans children[from … to − 1] by `major`, then by `minor`.
 * scratch: room for as many i32; spare: room for twice as many u32.
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
  if (to - from < MANY) {
    sortByMerging(children, from, to, scratch, major, minor)
    return
  }
  if (isSorted(children, from, to, major, minor)) return
  sortRoughly(children + (<usize>from << 2), to - from, scratch, major, spare)
  for (let at = from; at < to; ) {
    const key = wordAt(spare, at - from)
    let end = at + 1
    while (end < to && wordAt(spare, end - from) == key) end++
    if (end - at > 1) sortByMerging(children, at, end, scratch, major, minor)
    at = end
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

/**
 * Sorts n spans by the first 22 bits of where `column` lies between its least and its greatest value, and leaves these
 * keys in `spare`. Rounding cannot exchange two values, only give them the same key.
 */
function sortRoughly(spans: usize, n: i32, scratch: usize, column: usize, spare: usize): void {
  let least = Infinity
  let greatest = -Infinity
  for (let i = 0; i < n; i++) {
    const value = numberAt(column, wordAt(spans, i))
    least = min(least, value)
    greatest = max(greatest, value)
  }
  const scale = least < greatest ? <f64>(DIGITS * DIGITS - 1) / (greatest - least) : 0.0
  for (let i = 0; i < n; i++) putWord(spare, i, <i32>((numberAt(column, wordAt(spans, i)) - least) * scale))
  const there = spare + (<usize>n << 2)
  passDigit(spare, spans, n, there, scratch, 0)
  passDigit(there, scratch, n, spare, spans, DIGIT)
}

/** Brings spans and their keys in the order of one digit, equal ones as they were. */
function passDigit(keys: usize, spans: usize, n: i32, keysThere: usize, there: usize, shift: u32): void {
  memory.fill(counters, 0, <usize>DIGITS << 2)
  for (let i = 0; i < n; i++) {
    const digit = digitOf(wordAt(keys, i), shift)
    putWord(counters, digit, wordAt(counters, digit) + 1)
  }
  let sum = 0
  for (let digit = 0; digit < <i32>DIGITS; digit++) {
    const count = wordAt(counters, digit)
    putWord(counters, digit, sum)
    sum += count
  }
  for (let i = 0; i < n; i++) {
    const key = wordAt(keys, i)
    const digit = digitOf(key, shift)
    const at = wordAt(counters, digit)
    putWord(counters, digit, at + 1)
    putWord(keysThere, at, key)
    putWord(there, at, wordAt(spans, i))
  }
}

// @ts-ignore: decorator
@inline function digitOf(key: i32, shift: u32): i32 {
  return <i32>((<u32>key >> shift) & (DIGITS - 1))
}
