import type { Space } from '@trimtab/core'

/**
 * A box of named real numbers with one range for all, `[−1, 1]` unless told otherwise.
 * @example
 * boxSpace(['load', 'replicas'], 0, 1)
 */
export function boxSpace(names: readonly string[], low = -1, high = 1): Space {
  return {
    names,
    low: new Float64Array(names.length).fill(low),
    high: new Float64Array(names.length).fill(high),
    kind: 'box',
  }
}

/**
 * One choice out of `count`, as an index from 0.
 * @example
 * discreteSpace('frequencyLevel', 11)
 */
export function discreteSpace(name: string, count: number): Space {
  return { names: [name], low: Float64Array.of(0), high: Float64Array.of(count - 1), kind: 'discrete' }
}

/** How many choices a discrete space has; 0 for a box. */
export function choicesOf({ kind, high }: Space): number {
  return kind === 'discrete' && high.length === 1 && Number.isInteger(high[0]) ? high[0]! + 1 : 0
}
