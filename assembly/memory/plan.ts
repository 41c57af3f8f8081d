// Laying out a block: parts one after another, each 16-byte aligned. A plan is made twice: once to learn its length, once for good.
//
// Lengths are f64, exact to 2^53 and never wrapped: the first plan tells of any sizes what they would take, and the caller refuses
// what no memory holds. Callers see to it that no count is above LARGEST_COUNT of abi.ts; then sums of a few counts and the bytes of
// one row fit 32 bits, and only products of two counts have to be taken in f64.

let cursor: f64 = 0

export function beginPlan(at: usize): void {
  cursor = <f64>at
}

/** Where the next part starts; 0 beyond all addresses, where no block will ever lie. */
export function place(bytes: f64): usize {
  const at = cursor
  cursor += Math.ceil(bytes / 16) * 16
  return at <= <f64>usize.MAX_VALUE ? <usize>at : 0
}

/** `place` for a number of equal rows. */
export function placeRows(rows: f64, rowBytes: f64): usize {
  return place(rows * rowBytes)
}

/** Where the plan ends so far. */
export function planned(): f64 {
  return cursor
}

// @ts-ignore: decorator
@inline const MOST: i32 = i32.MAX_VALUE & ~7 // `padded` leaves it as it is

/** A number of things in memory as an i32; cut off in a plan that is only made to be refused. */
export function countOf(things: f64): i32 {
  return things < <f64>MOST ? <i32>things : MOST
}
