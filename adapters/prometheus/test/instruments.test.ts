import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CounterMetric, HistogramMetric, ObservableMetric, renderMetrics } from '../src/metrics.js'
import { readExposition } from './exposition.js'

describe('a page of metrics', () => {
  it('is of the format, whatever labels hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.double({ min: 0, noNaN: true }))), (entries) => {
        const counter = new CounterMetric('a_total', 'of\nlines \\ and "quotes"')
        for (const [label, amount] of entries) counter.add(amount, { label })
        const { samples } = readExposition(renderMetrics([counter])).get('a_total')!
        expect(samples.size).toBe(new Set(entries.map(([label]) => label)).size)
      }),
    )
  })

  it('tells of a histogram how many values are at most each bound', () => {
    const bounds = [0.1, 1, 10]
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const histogram = new HistogramMetric('h_seconds', 'Times.', bounds)
        for (const value of values) histogram.observe(value)
        const { samples } = readExposition(renderMetrics([histogram])).get('h_seconds')!
        for (const bound of bounds)
          expect(samples.get(`h_seconds_bucket{le="${bound}"}`)).toBe(values.filter((value) => value <= bound).length)
        const sum = values.reduce((a, b) => a + b, 0)
        expect(samples.get('h_seconds_sum')).toBeCloseTo(sum, 9)
        expect(histogram.mean).toBeCloseTo(values.length > 0 ? sum / values.length : 0, 9)
      }),
    )
  })

  it('has a series that somebody keeps, until it is forgotten', () => {
    const counter = new CounterMetric('c_total', 'C.')
    const kept = counter.series({ model: 'a' })
    kept.add(2)
    counter.add(3, { model: 'a' })
    expect([...counter.samples()].map(({ value }) => value)).toEqual([5])
    counter.forget('model', 'a')
    kept.add(1)
    expect([...counter.samples()]).toEqual([])
  })

  it('has zeros before the first event, and can say NaN and infinity', () => {
    const counter = new CounterMetric('c_total', 'C.', [{ source: 'usage' }])
    const reading = new ObservableMetric('gauge', 'g', 'G.', () => [
      { labels: { of: 'a' }, value: Number.NaN },
      { labels: { of: 'b' }, value: Number.NEGATIVE_INFINITY },
    ])
    const families = readExposition(renderMetrics([counter, reading, new HistogramMetric('h', 'H.', [1])]))
    expect(families.get('c_total')!.samples.get('c_total{source="usage"}')).toBe(0)
    expect([...families.get('g')!.samples.values()]).toEqual([Number.NaN, Number.NEGATIVE_INFINITY])
    expect(families.get('h')!.samples.get('h_count')).toBe(0)
  })
})
