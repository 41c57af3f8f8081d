import { describe, expect, it } from 'vitest'
import { parseTraces, readTraces } from '../../src/index.js'

const unknown = (input: string | Uint8Array): string => {
  try {
    parseTraces(input)
  } catch (error) {
    expect(error).toMatchObject({ name: 'TraceError', code: 'trace_format_unknown' })
    return (error as Error).message
  }
  throw new Error(`accepted ${input}`)
}

describe('input that is no traces', () => {
  it('is refused with what was seen and what is accepted', () => {
    expect(unknown('{"resourceMetrics":[],"apples":1}')).toMatch(
      /JSON with the keys "resourceMetrics", "apples"; accepted are Jaeger JSON.*OTLP.*Zipkin.*CSV/,
    )
    expect(unknown('[1,2,3]')).toMatch(/JSON with no keys/)
    expect(unknown('<html>no</html>')).toMatch(/text that starts with "<html>no/)
    expect(unknown('time,value\n1,2')).toMatch(/text that starts with "time,value/)
    expect(unknown('true')).toMatch(/text that starts with "true"/)
    expect(unknown('{{{{')).toMatch(/no traces/)
    expect(unknown(`{"${'k'.repeat(10_000)}":1}`).length).toBeLessThan(1000)
    expect(unknown('x'.repeat(1_000_000)).length).toBeLessThan(1000)
  })

  it('is refused from streams too, without waiting for their end', async () => {
    const endless = async function* () {
      for (;;) yield new TextEncoder().encode('<html>')
    }
    const read = async () => {
      for await (const _ of readTraces(endless())) break
    }
    await expect(read()).rejects.toMatchObject({ code: 'trace_format_unknown' })
  })
})

describe('the format is told', () => {
  it('by the first key that only one format has, past what says nothing', () => {
    const skipped = '{"a":[{"b":"spans"}],"_comment":"traceId"}\n{broken\n[]\n'
    expect(parseTraces(`${skipped}{"spans":[{"spanID":"a","startTime":1,"duration":1}]}`).length).toBe(1)
    expect(parseTraces(`${skipped}[{"timestamp":1,"duration":2,"id":"a","traceId":"t"}]`).length).toBe(1)
    expect(parseTraces('{"x":{"traceID":1},"resource_spans":[]}')).toEqual([])
  })

  it('or by the caller', () => {
    expect(parseTraces('{"x":1}', { format: 'jaeger' })).toEqual([])
    expect(parseTraces('[{"id":"a","timestamp":1,"duration":2}]', { format: 'zipkin' }).length).toBe(1)
  })
})
