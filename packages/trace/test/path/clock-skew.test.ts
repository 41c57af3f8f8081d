import { describe, expect, it } from 'vitest'
import { correctClockSkew, type Trace } from '../../src/index.js'
import { type TestSpan, traceOf } from './traces.js'

const MS = 1_000_000

/** Times in ms. */
const span = (id: string, parent: string | undefined, start: number, length: number, host = ''): TestSpan => ({
  id,
  parent,
  start: start * MS,
  end: (start + length) * MS,
  host,
})

const startsMs = (trace: Trace): number[] => Array.from(trace.startNs, (ns) => ns / MS)
const correct = (spans: readonly TestSpan[], maxDeltaUs = 1e6): Trace =>
  correctClockSkew(traceOf(spans), { maxDeltaUs })
const root = span('1', undefined, 10, 100, 'a')

describe('clock skew, by the rule of Jaeger', () => {
  const cases: [string, TestSpan[], number[]][] = [
    ['leaves what fits', [root, span('2', '1', 20, 50, 'b')], [10, 20]],
    ['leaves what runs on the same host', [root, span('2', '1', 0, 50, 'a')], [10, 0]],
    ['centres an early child in its parent', [root, span('2', '1', 0, 50, 'b')], [10, 35]],
    ['centres a late child in its parent', [root, span('2', '1', 50, 70, 'b')], [10, 25]],
    ['moves a longer child to the start of its parent', [root, span('2', '1', 0, 150, 'b')], [10, 10]],
    ['leaves a longer child that starts in time', [root, span('2', '1', 20, 150, 'b')], [10, 20]],
    [
      'moves what is below along, on the same host',
      [root, span('2', '1', 50, 70, 'b'), span('3', '2', 60, 20, 'b')],
      [10, 25, 35],
    ],
    [
      'judges a third host by where its parent has moved, siblings apart',
      [
        root,
        span('2', '1', 0, 50, 'b'),
        span('3', '2', 0, 10, 'c'),
        span('4', '2', 5, 10, 'b'),
        span('5', '2', 10, 10, 'b'),
      ],
      [10, 35, 55, 40, 45],
    ],
    [
      'keeps a span of an unknown host in its place in its parent',
      [root, span('2', '1', 0, 50, 'b'), span('3', '2', -5, 10), span('4', '3', 200, 10, 'c')],
      [10, 35, 30, 235],
    ],
  ]
  it.each(cases)('%s', (_, spans, expected) => {
    const trace = traceOf(spans)
    const corrected = correctClockSkew(trace, { maxDeltaUs: 1e6 })
    expect(startsMs(corrected)).toEqual(expected)
    for (let row = 0; row < spans.length; row++) {
      expect(corrected.endNs[row]! - corrected.startNs[row]!).toBe(trace.endNs[row]! - trace.startNs[row]!)
    }
  })

  it('does not move further than it may, in either direction, and reports what stays', () => {
    for (const start of [0, 80]) {
      const corrected = correct([root, span('2', '1', start, 50, 'b')], 10_000)
      expect(startsMs(corrected)).toEqual([10, start])
      expect(corrected.repairs.list()).toEqual([{ code: 'skew_unresolved', count: 1, examples: ['trace/2'] }])
    }
  })

  it('moves nothing when it may not move, and reports what does not fit', () => {
    const corrected = correct([root, span('2', '1', 0, 50, 'b')], 0)
    expect(startsMs(corrected)).toEqual([10, 0])
    expect(corrected.repairs.count('skew_unresolved')).toBe(1)
  })

  it('counts every span it moved against its parent, once for a branch', () => {
    const corrected = correct([root, span('2', '1', 50, 70, 'b'), span('3', '2', 60, 20, 'b')])
    expect(corrected.repairs.list()).toEqual([{ code: 'skew_corrected', count: 1, examples: ['trace/2'] }])
  })

  it('leaves the trace it was given as it was', () => {
    const trace = traceOf([root, span('2', '1', 0, 50, 'b')])
    correctClockSkew(trace, { maxDeltaUs: 1e6 })
    expect(startsMs(trace)).toEqual([10, 0])
    expect(trace.repairs.total).toBe(0)
  })

  it('follows a chain of a hundred thousand spans down', () => {
    const spans = Array.from({ length: 100_000 }, (_, i) => span(`${i}`, i > 0 ? `${i - 1}` : undefined, 10, 100, 'a'))
    spans.push(span('leaf', '99999', 0, 50, 'b'))
    expect(startsMs(correct(spans)).at(-1)).toBe(35)
  })

  it('refuses a limit that is none', () => {
    expect(() => correct([root], -1)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(() => correct([root], Number.NaN)).toThrow(/maxDeltaUs must be >= 0, got NaN/)
  })
})
