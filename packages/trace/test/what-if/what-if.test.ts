import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Span } from '../../src/types.js'
import { type SpanChange, WhatIf, whatIf } from '../../src/what-if/index.js'
import { anyTrace, pathOf, sharedCore, span } from '../some-traces.js'

beforeAll(sharedCore)

/** Latency of a trace after a change, µs: [optimistic, estimate, pessimistic]. */
function after(spans: readonly Span[], change: SpanChange | readonly SpanChange[]): [number, number, number] {
  const { optimisticNs, estimateNs, pessimisticNs } = new WhatIf(change).add(pathOf(spans))
  return [optimisticNs / 1000, estimateNs / 1000, pessimisticNs / 1000]
}

test('a later sibling moves with the one it waited for, and the parent ends with it', () => {
  const spans = [span('r', null, 'web /', 0, 100), span('a', 'r', 'cart get', 10, 40), span('b', 'r', 'pay do', 50, 90)]
  expect(after(spans, { service: 'cart', speedUp: 3 })).toEqual([80, 80, 80])
  expect(after(spans, { service: 'cart', speedUp: 0.5 })).toEqual([130, 130, 130])
  expect(after(spans, { service: 'web', speedUp: 2 })).toEqual([85, 85, 85]) // 10 + 10 + 10 of its own become 15
})

test('a parallel sibling takes over where it becomes the longer one', () => {
  const spans = [span('r', null, 'web /', 0, 100), span('a', 'r', 'cart get', 0, 90), span('b', 'r', 'pay do', 0, 60)]
  expect(after(spans, { service: 'cart', speedUp: 10 })).toEqual([70, 70, 70])
  expect(after(spans, { service: 'pay', speedUp: 10 })).toEqual([100, 100, 100])
  expect(after(spans, { service: 'pay', speedUp: 0.5 })).toEqual([130, 130, 130])
})

test('the gap to the last of several predecessors is kept, whichever is the last in the new time', () => {
  // Two chains meet in d: a then b, and c. Without most of a and b, c becomes the last.
  const spans = [
    span('r', null, 'web /', 0, 100),
    span('a', 'r', 'x a', 0, 20),
    span('b', 'r', 'x b', 20, 50),
    span('c', 'r', 'y c', 0, 30),
    span('d', 'r', 'z d', 60, 100),
  ]
  expect(after(spans, { service: 'x', speedUp: 10 })[1]).toBe(30 + 10 + 40)
})

test('bounds open where a sibling may have begun by its own clock', () => {
  // b began after a was over, while c was running: it may have waited for a, or not.
  const spans = [
    span('r', null, 'web /', 0, 100),
    span('a', 'r', 'a a', 0, 30),
    span('c', 'r', 'c c', 0, 80),
    span('b', 'r', 'b b', 40, 100),
  ]
  expect(after(spans, { service: 'a', speedUp: Number.POSITIVE_INFINITY })).toEqual([80, 80, 100])
  expect(after(spans, { service: 'a', speedUp: 0.5 })).toEqual([100, 130, 130])
})

test('what nobody waits for saves nothing', () => {
  const spans = [
    span('r', null, 'web /', 0, 50),
    span('a', 'r', 'log write', 10, 500, { reference: 'follows-from' }),
    span('b', 'a', 'disk write', 20, 400),
  ]
  expect(
    after(spans, [
      { service: 'log', speedUp: 100 },
      { service: 'disk', isRemoved: true },
    ]),
  ).toEqual([50, 50, 50])
})

test('a removed span takes what it called with it, and a time spent waiting is not its own', () => {
  const spans = [
    span('r', null, 'web /', 0, 100),
    span('a', 'r', 'cart get', 10, 90, { isError: true, instance: 'cart-1' }),
    span('b', 'a', 'db query', 20, 80),
  ]
  expect(after(spans, { service: 'cart', isRemoved: true })[1]).toBe(20)
  expect(after(spans, { service: 'cart', speedUp: Number.POSITIVE_INFINITY })[1]).toBe(80)
  expect(after(spans, { isError: true, operation: 'get', isRemoved: true })[1]).toBe(20)
  expect(after(spans, { isError: false, speedUp: Number.POSITIVE_INFINITY })[1]).toBe(20)
  expect(after(spans, { service: 'cart', instance: 'cart-2', isRemoved: true })[1]).toBe(100)
  expect(
    after(spans, [
      { service: 'db', speedUp: 2 },
      { operation: 'query', speedUp: 3 },
    ])[1],
  ).toBe(50)
})

test('an overlap within the tolerance of the path is one after the other, and only what shrinks beyond it is gained', () => {
  const spans = [span('r', null, 'web /', 0, 600), span('a', 'r', 'a a', 10, 210), span('b', 'r', 'b b', 205, 600)]
  const path = pathOf(spans, { overlapTolerance: 6 })
  expect(new WhatIf({ service: 'a', speedUp: Number.POSITIVE_INFINITY }).add(path).estimateNs / 1000).toBe(405)
  expect(new WhatIf({ service: 'a', speedUp: 0.5 }).add(path).estimateNs / 1000).toBe(800)
})

test('over a window: exact means, quantiles, and what was changed', () => {
  const request = (work: number): Span[] => [
    span('r', null, 'web /', 0, 20 + work),
    span('a', 'r', 'db query', 10, 10 + work),
  ]
  const paths = Array.from({ length: 100 }, (_, i) => pathOf(request(10 * (i + 1))))
  const answer = whatIf(paths, { service: 'db', speedUp: 2 })
  expect([answer.requests, answer.changedRequests, answer.changedSpans]).toEqual([100, 100, 100])
  expect(answer.before.meanNs).toBe(525_000)
  expect(answer.after.meanNs).toBe(272_500)
  expect(answer.savedNs).toBe(252_500)
  expect(answer.saved01).toBeCloseTo(252.5 / 525, 12)
  expect(answer.savedInterval01).toEqual({ low: answer.saved01, high: answer.saved01 })
  expect(Math.abs(answer.after.quantile(1) / 520_000 - 1)).toBeLessThan(0.008)
  expect(whatIf(paths, { service: 'no such service', speedUp: 2 }).changedSpans).toBe(0)
})

const anyChange = fc.record({
  service: fc.constantFrom('a', 'b', undefined),
  operation: fc.constantFrom('x', undefined),
})

test('pessimistic, estimate and optimistic come in this order, and faster spans make no request slower', () => {
  fc.assert(
    fc.property(anyTrace, anyChange, fc.constantFrom(1.5, 2, 7, Number.POSITIVE_INFINITY), (spans, which, speedUp) => {
      const path = pathOf(spans)
      const faster = new WhatIf({ ...which, speedUp }).add(path)
      const slower = new WhatIf({ ...which, speedUp: 1 / Math.min(speedUp, 100) }).add(path)
      for (const { optimisticNs, estimateNs, pessimisticNs } of [faster, slower]) {
        expect(optimisticNs).toBeGreaterThanOrEqual(0)
        expect(optimisticNs).toBeLessThanOrEqual(estimateNs)
        expect(estimateNs).toBeLessThanOrEqual(pessimisticNs)
      }
      expect(faster.pessimisticNs).toBeLessThanOrEqual(path.latencyNs + 1e-3) // ns, of rounding
      expect(slower.optimisticNs).toBeGreaterThanOrEqual(path.latencyNs - 1e-3)
    }),
    { numRuns: 3000 },
  )
})

test('nothing changed is nothing saved, to the last ns', () => {
  fc.assert(
    fc.property(anyTrace, anyChange, (spans, which) => {
      const path = pathOf(spans)
      const same = new WhatIf([
        { ...which, speedUp: 2 },
        { ...which, speedUp: 0.5 },
        { service: 'a', operation: 'no such', isRemoved: true },
      ]).add(path)
      expect(same).toEqual({
        estimateNs: path.latencyNs,
        optimisticNs: path.latencyNs,
        pessimisticNs: path.latencyNs,
      })
    }),
    { numRuns: 1000 },
  )
})

test('the answer does not depend on the order of the spans', () => {
  fc.assert(
    fc.property(
      anyTrace.chain((spans) => fc.tuple(fc.constant(spans), fc.shuffledSubarray(spans, { minLength: spans.length }))),
      anyChange,
      ([spans, shuffled], which) => {
        const change = { ...which, speedUp: 3 }
        expect(new WhatIf(change).add(pathOf(shuffled))).toEqual(new WhatIf(change).add(pathOf(spans)))
      },
    ),
    { numRuns: 2000 },
  )
})

test('a chain of 100,000 calls and 20,000 siblings are no trouble', () => {
  const chain = Array.from({ length: 100_000 }, (_, i) =>
    span(String(i), i === 0 ? null : String(i - 1), 'a x', i, 200_000 - i),
  )
  expect(after(chain, { speedUp: 2 })[1]).toBe(100_000)
  const wide = [
    span('r', null, 'r /', 0, 40_001),
    ...Array.from({ length: 20_000 }, (_, i) => span(`c${i}`, 'r', `a x${i % 200}`, 2 * i, 2 * i + 2)),
  ]
  expect(after(wide, { service: 'a', speedUp: 2 })[1]).toBe(20_001)
})

test('a change that cannot be meant is refused, all of it at once', () => {
  expect(() => new WhatIf([])).toThrow(/at least one change/)
  expect(() => new WhatIf([{ service: 'a' }, { speedUp: 0 }])).toThrow(
    /changes\[0\].*just one.*; changes\[1\].*> 0, got 0/,
  )
  expect(() => new WhatIf({ speedUp: 2, isRemoved: true })).toThrow(
    /just one of speedUp, isAsUsual and isRemoved, got 2/,
  )
  const path = pathOf([span('r', null, 'web /', 0, 10)], { mode: 'firm' })
  expect(() => new WhatIf({ speedUp: 2 }).add(path)).toThrow(expect.objectContaining({ code: 'mode_mismatch' }))
})
