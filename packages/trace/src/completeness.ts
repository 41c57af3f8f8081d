import type { CriticalPath } from './path/types.js'
import type { RepairCode } from './repairs.js'

/** Repairs of what was not recorded, or by clocks that disagree. */
const GAPS: readonly RepairCode[] = ['missing_parent', 'clamped', 'dropped', 'skew_corrected', 'skew_unresolved']

/**
 * Whether a request hangs together as it was recorded: no parent is missing, and no clock had to be mended, so every call
 * lies within its caller. The part of such requests says how complete a set of traces is.
 */
export const isComplete = ({ trace, repairs }: CriticalPath): boolean =>
  GAPS.every((code) => trace.repairs.count(code) === 0 && repairs.count(code) === 0)
