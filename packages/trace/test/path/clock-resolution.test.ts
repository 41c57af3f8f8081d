import { describe, expect, it } from 'vitest'
import { clockResolution } from '../../src/index.js'
import { type TestSpan, traceOf } from './traces.js'

const MS = 1_000_000

/** n spans whose times are whole multiples of a step, at places without a coarser one in common. */
const spans = (n: number, startStep: number, endStep = startStep, place: Partial<TestSpan> = {}): TestSpan[] =>
  Array.from({ length: n }, (_, i) => ({
    id: `${place.host ?? ''}${place.service ?? ''}${i}`,
    start: (7 * i + 1) * startStep,
    end: (Math.ceil(((7 * i + 1) * startStep) / endStep) + 3) * endStep,
    ...place,
  }))

describe('clock resolution', () => {
  it.each([1, 100, 1000, MS, 1000 * MS])('finds a step of %i ns', (step) => {
    expect(clockResolution(traceOf(spans(20, step))).resolutionNs).toBe(step)
  })

  it('counts from the epoch, not from the start of the trace', () => {
    const trace = { ...traceOf(spans(20, MS)), originUnixNs: 1_700_000_000_000_000_123n }
    expect(clockResolution(trace).resolutionNs).toBe(1)
  })

  it('is that of the starts where only durations are measured finely', () => {
    expect(clockResolution(traceOf(spans(20, MS, 1000))).resolutionNs).toBe(MS)
  })

  it('forgives a time in a hundred', () => {
    const finer = (n: number) => [...spans(200, MS), ...spans(n, 1001, 1001, { id: undefined as never })]
    const numbered = (n: number) => finer(n).map((span, i) => ({ ...span, id: `${i}` }))
    expect(clockResolution(traceOf(numbered(1))).resolutionNs).toBe(MS)
    expect(clockResolution(traceOf(numbered(20))).resolutionNs).toBe(1)
  })

  it('believes no clock of fewer than four times', () => {
    expect(clockResolution(traceOf(spans(3, MS))).resolutionNs).toBe(1)
  })

  it('judges each host by itself, services where no host is known, and answers with the coarsest', () => {
    const trace = traceOf([
      ...spans(10, MS, MS, { host: 'a' }),
      ...spans(10, 1000, 1000, { host: 'b' }),
      ...spans(10, 100, 100, { service: 'c' }),
    ])
    expect(clockResolution(trace)).toEqual({
      resolutionNs: MS,
      clocks: [
        { name: 'a', resolutionNs: MS, times: 20 },
        { name: 'b', resolutionNs: 1000, times: 20 },
        { name: 'c', resolutionNs: 100, times: 20 },
      ],
    })
  })
})
