// What kernels say and save of the guard that gives up updates that are not finite (assembly/rl/last-good.ts).
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { floatTensor, type Tensor, type TensorReader, wordTensor } from '../files/tensor.js'

const COUNTERS = [abi.LAST_GOOD_AGE, abi.LAST_GOOD_FAILURES, abi.LAST_GOOD_SKIPPED, abi.LAST_GOOD_RESTORED]
const WEIGHTS = 'lastGood'
const COUNTS = 'lastGood.counters'

/** What the guard of the last good weights did. */
export interface GuardReport {
  /** Updates given up because a loss or gradient was not finite. */
  readonly skipped: number
  /** How often, after three of them in a row, the last good weights came back. */
  readonly restored: number
}

/** @param guard  where the kernel keeps its guard */
export const guardReport = (core: Core, guard: number): GuardReport => ({
  skipped: core.exports.last_good_get(guard, abi.LAST_GOOD_SKIPPED),
  restored: core.exports.last_good_get(guard, abi.LAST_GOOD_RESTORED),
})

/** The guard's tensors: its copy of weights and moments as it lies in the core, and its counters. */
export function saveGuard(core: Core, guard: number): Tensor[] {
  const copy = copyOf(core, guard)
  return [
    floatTensor(WEIGHTS, [copy.length], copy),
    wordTensor(
      COUNTS,
      COUNTERS.map((which) => core.exports.last_good_get(guard, which)),
    ),
  ]
}

/**
 * Continues where `saveGuard` was called; the returned function applies the state and cannot fail. Call it after the weights
 * are written.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`
 */
export function loadGuard(core: Core, guard: number, reader: TensorReader): () => void {
  const copy = reader.floats(WEIGHTS, [core.exports.last_good_length(guard)])
  const counters = reader.words(COUNTS, COUNTERS.length)
  return () => {
    copyOf(core, guard).set(copy)
    for (const [i, which] of COUNTERS.entries()) core.exports.last_good_set(guard, which, counters[i]!)
  }
}

const copyOf = (core: Core, guard: number): Float32Array =>
  new Float32Array(core.memory.buffer, core.exports.last_good_copy(guard), core.exports.last_good_length(guard))
