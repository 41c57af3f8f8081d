import { ConfigError } from '@trimtab/core'

/**
 * What simulators ask of every action before anything moves.
 * @throws {ConfigError} `size_mismatch`, `not_finite`
 */
export function checkAction(action: Float32Array, size: number): void {
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
}
