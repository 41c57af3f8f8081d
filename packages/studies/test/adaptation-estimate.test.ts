import { describe, expect, it } from 'vitest'
import { formatEstimate } from '../src/adaptation/estimate.js'

const exactly = (expected: number, low = expected, high = expected) => ({ expected, low, high })

describe('the cost to adapt, in words', () => {
  it('is in episodes where there is something to make good, and says so where there is not', () => {
    expect(formatEstimate({ drop: exactly(0.1), episodes: exactly(3, 1, 5) })).toContain(
      '10.0 % less reward (80 %: 10.0 % to 10.0 %), made good in 3.0 episodes (1.0 to 5.0)',
    )
    expect(formatEstimate({ drop: exactly(0), episodes: exactly(0, -1, 0.02) })).toMatch(/, nothing to make good$/)
    expect(formatEstimate(undefined)).toContain('unknown')
  })
})
