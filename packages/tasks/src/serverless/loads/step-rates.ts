import { ConfigError } from '@trimtab/core'

/**
 * Requests a second in each step, from counts in each minute that are taken as even within it: as many whole steps as the minutes
 * hold, whatever the length of a step.
 * @throws {ConfigError} `config_invalid` (a step that is not above 0, or longer than all the minutes)
 */
export function stepRates(perMinute: ArrayLike<number>, stepSeconds: number): Float64Array {
  const steps = Math.floor((60 * perMinute.length) / stepSeconds)
  if (!(stepSeconds > 0 && steps >= 1)) {
    throw new ConfigError(
      'config_invalid',
      `stepSeconds must be above 0 and at most ${60 * perMinute.length}, got ${stepSeconds}`,
    )
  }
  const before = new Float64Array(perMinute.length + 1) // requests before each minute begins
  for (let i = 0; i < perMinute.length; i++) before[i + 1] = before[i]! + perMinute[i]!
  const requestsUntil = (second: number): number => {
    const minute = Math.min(Math.floor(second / 60), perMinute.length - 1)
    return before[minute]! + perMinute[minute]! * (second / 60 - minute)
  }
  return Float64Array.from(
    { length: steps },
    (_, step) => (requestsUntil((step + 1) * stepSeconds) - requestsUntil(step * stepSeconds)) / stepSeconds,
  )
}
