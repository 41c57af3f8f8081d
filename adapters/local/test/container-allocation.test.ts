import { describe, expect, it } from 'vitest'
import { boundAllocation, nicenessOf } from '../src/container-allocation.js'

const IN_FORCE = { containers: 2, shares: 512, keepAliveSeconds: 60 }

describe('what comes into force', () => {
  it.each([
    [
      'what is asked',
      { containers: 3, shares: 256, keepAliveSeconds: 0 },
      { containers: 3, shares: 256, keepAliveSeconds: 0 },
    ],
    [
      'no more than there may be',
      { containers: 1e9, shares: 1e9, keepAliveSeconds: Infinity },
      { containers: 8, shares: 262_144, keepAliveSeconds: 1e9 },
    ],
    [
      'nothing below nothing',
      { containers: -1, shares: 0, keepAliveSeconds: -5 },
      { containers: 0, shares: 2, keepAliveSeconds: 0 },
    ],
    ['what was, where nothing is said', { containers: NaN, shares: NaN, keepAliveSeconds: NaN }, IN_FORCE],
    ['whole containers', { ...IN_FORCE, containers: 2.6 }, { ...IN_FORCE, containers: 3 }],
  ])('is %s', (_, asked, wanted) => {
    expect(boundAllocation(asked, IN_FORCE, 8)).toEqual(wanted)
  })
})

it('shares say how a process compares with others: a step of nice for a quarter of weight', () => {
  expect([1024, 2048].map((mostShares) => nicenessOf(1024, mostShares))).toEqual([0, 3])
  expect(nicenessOf(128, 128)).toBe(0)
  expect(nicenessOf(128, 1024)).toBe(9) // 1.25⁹ is 7.5, 1.25¹⁰ 9.3
})
