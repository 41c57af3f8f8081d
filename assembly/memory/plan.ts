// Laying out a block: parts one after another, each 16-byte aligned. A plan is made twice: once to learn its length, once for good.

let cursor: usize = 0

export function beginPlan(at: usize): void {
  cursor = at
}

/** Where the next part starts. */
export function place(bytes: usize): usize {
  const at = cursor
  cursor += (bytes + 15) & ~15
  return at
}

/** Where the plan ends so far. */
export function planned(): usize {
  return cursor
}
