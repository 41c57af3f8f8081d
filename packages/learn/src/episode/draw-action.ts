import type { RandomSource, Space } from '@trimtab/core'

/** Fills `action` [A] with a uniformly random one of a box, or with a random choice for each head. */
export function drawAction(space: Space, random: RandomSource, action: Float32Array): void {
  if (space.kind === 'discrete') {
    for (let i = 0; i < action.length; i++) action[i] = random.integer(space.high[i]! + 1)
    return
  }
  for (let i = 0; i < action.length; i++) {
    action[i] = space.low[i]! + (space.high[i]! - space.low[i]!) * random.uniform()
  }
}
