import type { CoreMath } from '@trimtab/core'

/** A positive quantity on a scale of [−1, 1] that is even in the logarithm, −1 at `low` and 1 at `high`. */
export const logScale = (math: CoreMath, value: number, [low, high]: readonly [number, number]): number =>
  (2 * math.log(value / low)) / math.log(high / low) - 1
