import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTraces, readTraces, type Span, type Trace, toSpans } from '../../src/index.js'
import { expectedSpans, modelTraces, otlpSpellings, toCsv, toJaeger, toOtlp, toZipkin } from './formats.js'

const byId = (spans: readonly Span[]): Span[] => [...spans].sort((a, b) => (a.id < b.id ? -1 : 1))

function expectOnly(traces: readonly Trace[], expected: readonly Span[]): void {
  expect(traces.map((trace) => byId(toSpans(trace)))).toEqual([byId(expected)])
  expect(traces[0]!.repairs.list().filter(({ code }) => code !== 'several_roots')).toEqual([])
}

describe('a trace is the same whoever exported it', () => {
  it('as Jaeger JSON', () => {
    fc.assert(
      fc.property(modelTraces, (model) => {
        expectOnly(parseTraces(JSON.stringify({ data: [toJaeger(model)] })), expectedSpans(model))
      }),
    )
  })

  it('as OTLP JSON in every spelling', () => {
    fc.assert(
      fc.property(modelTraces, otlpSpellings, (model, spelling) => {
        expectOnly(parseTraces(toOtlp(model, spelling)), expectedSpans(model))
      }),
    )
  })

  it('as Zipkin JSON', () => {
    fc.assert(
      fc.property(modelTraces, (model) => {
        expectOnly(parseTraces(JSON.stringify(toZipkin(model))), expectedSpans(model))
      }),
    )
  })

  it('as a span table', () => {
    fc.assert(
      fc.property(modelTraces, (model) => {
        expectOnly(parseTraces(toCsv([model])), expectedSpans(model))
      }),
    )
  })
})

describe('chunks may be cut anywhere', () => {
  const inputs = fc
    .tuple(fc.array(modelTraces, { minLength: 1, maxLength: 3 }), otlpSpellings, fc.constantFrom(0, 1, 2, 3, 4, 5))
    .map(([models, spelling, format]) => {
      const own = models.map((model, i) => ({ ...model, traceId: `${i}${model.traceId.slice(1)}` }))
      if (format === 0) return JSON.stringify({ data: own.map(toJaeger) }, null, 1)
      if (format === 1) return own.map((model) => JSON.stringify(toJaeger(model))).join('\n')
      if (format === 2) return own.map((model) => toOtlp(model, spelling)).join('\n')
      if (format === 3) return JSON.stringify(own.map(toZipkin))
      if (format === 4)
        return own
          .flatMap(toZipkin)
          .map((span) => JSON.stringify(span))
          .join('\r\n')
      return toCsv(own)
    })

  async function* cut(bytes: Uint8Array, at: readonly number[]): AsyncGenerator<Uint8Array> {
    const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
    const chunk = new Uint8Array(bytes.length) // reused, as some sources do
    for (let i = 1; i < places.length; i++) {
      const piece = bytes.subarray(places[i - 1], places[i])
      chunk.set(piece)
      yield chunk.subarray(0, piece.length)
    }
  }

  it('and the traces are those of the whole input', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, fc.array(fc.nat(), { maxLength: 200 }), async (text, places) => {
        const whole = parseTraces(text)
        const streamed: Trace[] = []
        for await (const trace of readTraces(cut(new TextEncoder().encode(text), places))) streamed.push(trace)
        expect(streamed.map(toSpans)).toEqual(whole.map(toSpans))
        expect(streamed.map(({ repairs }) => repairs.list())).toEqual(whole.map(({ repairs }) => repairs.list()))
      }),
      { numRuns: 200 },
    )
  })

  it('even between all bytes, where the input breaks off', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, fc.nat(), async (text, end) => {
        const bytes = new TextEncoder().encode(text)
        const part = bytes.subarray(0, Math.floor(bytes.length / 2) + (end % Math.ceil(bytes.length / 2)))
        const whole = parseTraces(part)
        const streamed: Trace[] = []
        const places = Array.from(part.keys())
        for await (const trace of readTraces(cut(part, places))) streamed.push(trace)
        expect(streamed.map(toSpans)).toEqual(whole.map(toSpans))
      }),
      { numRuns: 30 },
    )
  })
})
