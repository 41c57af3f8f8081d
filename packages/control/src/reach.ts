import type { Space } from '@trimtab/core'

/** How a distance that is whole in levels is made: to the nearest level, or up to the next one. */
type Rounding = (levels: number) => number

/**
 * How far a width in units of [−1, 1] reaches on each coordinate of a space: 2 is the whole range. Of a discrete action it is a
 * number of whole levels: its choices must be in order, each a little more of the same than the one before.
 */
export function reachOf(action: Space, width: number, out: Float64Array, round: Rounding = Math.round): void {
  for (let i = 0; i < out.length; i++) {
    const reach = width * ((action.high[i]! - action.low[i]!) / 2)
    out[i] = action.kind === 'discrete' ? round(reach) : reach
  }
}
