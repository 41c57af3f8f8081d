// The last good weights. An update whose loss or gradient is not finite is given up; after three in a row the weights
// themselves are suspect, and older ones that are known to be good come back.
//
// The guarded block is everything that an update changes: weights, targets, moments. Good is what gave a finite loss and
// finite gradients; it is copied before the step that they lead to, the first time and then after every hundredth update.
import * as abi from '../abi'
import { REAL } from '../math/real'

// @ts-ignore: decorator
@unmanaged export class LastGood {
  block: usize = 0
  bytes: usize = 0
  /** As long as the block. */
  copy: usize = 0
  /** Updates done since the copy was made. */
  age: i32 = 0
  /** Updates given up in a row. */
  failures: i32 = 0
  /** Updates given up, all of them. */
  skipped: i32 = 0
  /** How often the copy came back. */
  restored: i32 = 0
}

const FAILURES_ALLOWED = 3
const COPY_EVERY = 100

/** Guards `bytes` at `block`; what is there now counts as good. */
export function guardBlock(guard: LastGood, block: usize, bytes: usize, copy: usize): void {
  guard.block = block
  guard.bytes = bytes
  guard.copy = copy
  keepGood(guard)
}

/** Makes what is there now the last good: after creation, and whenever weights are set from outside. */
export function keepGood(guard: LastGood): void {
  memory.copy(guard.copy, guard.block, guard.bytes)
  guard.age = 0
  guard.failures = 0
}

/** Loss and gradients are finite and the step comes next. */
export function passGuard(guard: LastGood): void {
  if (guard.age >= COPY_EVERY) keepGood(guard)
  guard.failures = 0
  guard.age++
}

/** A loss or gradient is not finite and the block is as it was before the update. */
export function failGuard(guard: LastGood): void {
  guard.skipped++
  guard.failures++
  if (guard.failures < FAILURES_ALLOWED) return
  memory.copy(guard.block, guard.copy, guard.bytes)
  guard.age = 0
  guard.failures = 0
  guard.restored++
}

/** One of the counters LAST_GOOD_AGE … LAST_GOOD_RESTORED. */
export function last_good_get(pointer: usize, which: i32): i32 {
  const guard = changetype<LastGood>(pointer)
  switch (which) {
    case abi.LAST_GOOD_AGE: return guard.age
    case abi.LAST_GOOD_FAILURES: return guard.failures
    case abi.LAST_GOOD_SKIPPED: return guard.skipped
    default: return guard.restored
  }
}

/** Sets one of the counters LAST_GOOD_AGE … LAST_GOOD_RESTORED. */
export function last_good_set(pointer: usize, which: i32, value: i32): void {
  const guard = changetype<LastGood>(pointer)
  switch (which) {
    case abi.LAST_GOOD_AGE: guard.age = value; break
    case abi.LAST_GOOD_FAILURES: guard.failures = value; break
    case abi.LAST_GOOD_SKIPPED: guard.skipped = value; break
    case abi.LAST_GOOD_RESTORED: guard.restored = value; break
  }
}

/** Where the copy lies. */
export function last_good_copy(pointer: usize): usize {
  return changetype<LastGood>(pointer).copy
}

/** How many numbers the copy has. */
export function last_good_length(pointer: usize): i32 {
  return <i32>(changetype<LastGood>(pointer).bytes / REAL)
}
