import type { Interval } from '../profile/histogram.js'

/**
 * Where a probability lies after `successes` of `trials`: Wilson's score interval, which is honest for few trials and for
 * none or all successes. 0 … 1 of no trials.
 * @param z  standard errors; 1.96 is 95 %
 */
export function wilsonInterval(successes: number, trials: number, z = 1.96): Interval {
  if (trials === 0) return { low: 0, high: 1 }
  const p = successes / trials
  const squared = z ** 2 / trials
  const middle = p + squared / 2
  const half = Math.sqrt(squared * (p * (1 - p) + squared / 4))
  return {
    low: successes === 0 ? 0 : (middle - half) / (1 + squared),
    high: successes === trials ? 1 : (middle + half) / (1 + squared),
  }
}
