import { ConfigError, type Space } from '@trimtab/core'

/**
 * What simulators ask of every action before anything moves.
 * @throws {ConfigError} `size_mismatch`; `not_finite`; `action_unknown` (no choice of a discrete space)
 */
export function checkAction(action: Float32Array, space: Space): void {
  const size = space.names.length
  if (action.length !== size) {
    throw new ConfigError('size_mismatch', `an action has ${size} numbers, got ${action.length}`)
  }
  for (let i = 0; i < size; i++) {
    if (!Number.isFinite(action[i])) {
      throw new ConfigError(
        'not_finite',
        `action[${i}] must be a finite number, got ${action[i]} (hold the last action)`,
      )
    }
  }
  if (space.kind !== 'discrete') return
  for (const [i, index] of action.entries()) {
    if (Number.isInteger(index) && index >= 0 && index <= space.high[i]!) continue
    throw new ConfigError(
      'action_unknown',
      `the action "${space.names[i]}" must be one of 0 … ${space.high[i]}, got ${index}`,
    )
  }
}
