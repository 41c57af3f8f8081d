import type { Controller, Space } from '@trimtab/core'
import { reachOf } from './reach.js'

/** The policy, each coordinate of its action `margin()` further to its safe side, in units of [−1, 1], inside the action's bounds. */
export function leaning(
  policy: Controller,
  action: Space,
  safeDirection: readonly (-1 | 0 | 1)[],
  margin: () => number,
): Controller {
  const lean = new Float64Array(action.names.length) // [A], the margin in the action's own units
  return {
    name: policy.name,
    beginEpisode: () => policy.beginEpisode?.(),
    decide(observation, out) {
      policy.decide(observation, out)
      reachOf(action, margin(), lean, Math.ceil) // a margin that has not been given back is a level at least
      for (let i = 0; i < out.length; i++) {
        const leant = out[i]! + lean[i]! * safeDirection[i]!
        out[i] = Math.min(action.high[i]!, Math.max(action.low[i]!, leant))
      }
    },
  }
}
