import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SpanAttributes, spanAttributes } from '../../src/index.js'
import { anySpans, pathOf, SHOP } from './traces.js'

const timesOf = (all: Iterable<SpanAttributes>): Record<string, [exclusive: number, inclusive: number]> =>
  Object.fromEntries(
    Array.from(all, ({ spanId, attributes }) => [
      spanId,
      [attributes['trimtab.critical_path.exclusive_ns'], attributes['trimtab.critical_path.inclusive_ns']],
    ]),
  )

describe('spanAttributes', () => {
  it('gives each span on the path what it owns alone and with all below it', () => {
    expect(timesOf(spanAttributes(pathOf(SHOP)))).toEqual({
      a: [15_000, 100_000],
      b: [10_000, 30_000],
      c: [20_000, 20_000],
      d: [10_000, 10_000],
      e: [45_000, 45_000],
    })
  })

  it('gives spans off the path nothing', () => {
    expect(Object.keys(timesOf(spanAttributes(pathOf(SHOP))))).not.toContain('f')
  })

  it('adds up: exclusive times to the latency, and the root holds all of it', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const path = pathOf(spans)
        const times = timesOf(spanAttributes(path))
        const exclusive = Object.values(times).reduce((sum, [ns]) => sum + ns, 0)
        expect(exclusive).toBe(path.latencyNs)
        if (path.latencyNs > 0) expect(times[path.trace.spanId(path.root)]![1]).toBe(path.latencyNs)
      }),
    )
  })
})
