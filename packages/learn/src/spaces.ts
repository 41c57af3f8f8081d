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

/**
 * Several choices at once, one a head: an index from 0 for each name, out of as many as it says.
 * @example
 * headsSpace({ containers: 8, shares: 5 })
 */
export function headsSpace(choices: Readonly<Record<string, number>>): Space {
  const counts = Float64Array.from(Object.values(choices))
  return {
    names: Object.keys(choices),
    low: new Float64Array(counts.length),
    high: counts.map((count) => count - 1),
    kind: 'discrete',
  }
}

/** How many choices each head of a discrete space has; none for a box, or where a head has no whole number of them. */
export function headsOf({ kind, high }: Space): readonly number[] {
  return kind === 'discrete' && high.every(Number.isInteger) ? Array.from(high, (index) => index + 1) : []
}

/** How many choices a discrete space of one head has; 0 for any other space. */
export function choicesOf(space: Space): number {
  const heads = headsOf(space)
  return heads.length === 1 ? heads[0]! : 0
}
