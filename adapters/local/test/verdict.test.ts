import { describe, expect, it } from 'vitest'
import type { BlockResult } from '../src/trial/block.js'
import { doubtsOf, verdictsOf } from '../src/trial/verdict.js'

const block = (arm: string, round: number, p99Ms: number, more: Partial<BlockResult> = {}): BlockResult => ({
  ...{ arm, round, requests: 100, failures: 0, p50Ms: 10, p99Ms, coldRequests: 0, started: 3 },
  ...{ containerSeconds: 9, cpuSeconds: 2, fallbacks01: 0, lagP99Ms: 1 },
  ...more,
})
const rounds = (first: readonly number[], second: readonly number[]) => [
  ...first.map((p99Ms, round) => block('stock', round, p99Ms)),
  ...second.map((p99Ms, round) => block('rule', round, p99Ms)),
]

describe('the verdict on an arm', () => {
  it.each([
    ['lower, where all rounds agree and it is a fifth at least', [100, 200, 150], [70, 100, 90], 'lower'],
    ['higher likewise', [70, 100, 90], [100, 200, 150], 'higher'],
    ['none, where it is less than a fifth', [100, 100, 100], [90, 90, 90], 'no difference'],
    ['none, where one round says otherwise', [100, 100, 100], [50, 50, 101], 'no difference'],
  ])('is %s', (_, first, second, says) => {
    expect(verdictsOf(rounds(first, second))).toMatchObject([{ arm: 'rule', beside: 'stock', says }])
  })

  it('pairs the rounds, in whatever order they ran', () => {
    const [verdict] = verdictsOf(
      rounds([100, 200], [50, 50])
        .toReversed()
        .toSorted((a) => (a.arm === 'stock' ? -1 : 1)),
    )
    expect(verdict!.p99Ratios).toEqual([0.5, 0.25])
    expect(verdict!.p99Ratio).toBeCloseTo(Math.sqrt(0.5 * 0.25), 12)
  })
})

it('what failed, and what went out late, forbids a verdict', () => {
  const results = [block('stock', 0, 10), block('rule', 0, 10, { failures: 2 }), block('rule', 1, 10, { lagP99Ms: 40 })]
  expect(doubtsOf(results)).toEqual(['rule, round 1: 2 requests failed', 'rule, round 2: requests went out 40 ms late'])
})
