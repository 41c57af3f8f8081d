import type { RandomSource, Space } from '@trimtab/core'

/** Fills `action` [A] with a uniformly random one of a box, or with one random choice. */
export function drawAction(space: Space, random: RandomSource, action: Float32Array): void {
  if (space.kind === 'discrete') {
    action[0] = random.integer(space.high[0]! + 1)
    return
  }
  for (let i = 0; i < action.length; i++) {
    action[i] = space.low[i]! + (space.high[i]! - space.low[i]!) * random.uniform()
  }
}
