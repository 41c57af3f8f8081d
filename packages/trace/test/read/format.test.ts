import { describe, expect, it } from 'vitest'
import { parseTraces, Repairs, readTraces } from '../../src/index.js'

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
    expect(unknown('{"pears":[],"apples":1}')).toMatch(
      /JSON with the keys "pears", "apples"; accepted are Jaeger JSON.*OTLP.*Zipkin.*CSV/,
    )
    expect(unknown('[1,2,3]')).toMatch(/JSON with no keys/)
    expect(unknown('<html>no</html>')).toMatch(/text that starts with "<html>no/)
    expect(unknown('time,value\n1,2')).toMatch(/text that starts with "time,value/)
    expect(unknown('true')).toMatch(/text that starts with "true"/)
    expect(unknown('{{{{')).toMatch(/cannot be read as traces/)
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

describe('what is known to be something else is named, with the way out', () => {
  it.each<[string, string, RegExp]>([
    [
      'SkyWalking',
      '{"data":{"trace":{"spans":[{"traceId":"1.2.3","spanId":0,"parentSpanId":-1,"segmentId":"1.2.3"}]}}}',
      /SkyWalking's JSON; let the OpenTelemetry collector take them \(receiver skywalking\)/,
    ],
    [
      'Datadog',
      '[[{"trace_id":1,"span_id":2,"parent_id":0,"service":"web","resource":"GET","start":1,"duration":2,"meta":{}}]]',
      /Datadog's JSON; .*receiver datadog/,
    ],
    [
      'AWS X-Ray',
      '{"Traces":[{"Id":"1-58-e3","Duration":1.2,"Segments":[{"Id":"a","Document":"{}"}]}]}',
      /AWS X-Ray's JSON; .*receiver awsxray/,
    ],
    [
      'segments of AWS X-Ray',
      '{"trace_id":"1-58-e3","id":"a","name":"web","start_time":1478293361.271,"end_time":1478293361.449}',
      /AWS X-Ray's JSON/,
    ],
    [
      'an answer of Elasticsearch',
      '{"took":1,"_shards":{},"hits":{"hits":[{"_index":"jaeger-span-1","_source":{"traceID":"a","spanID":"b"}}]}}',
      /a dump of an Elasticsearch index; ask Jaeger's or Zipkin's API/,
    ],
    [
      'lines of elasticdump',
      '{"_index":"jaeger-span-1","_id":"x","_source":{"traceID":"a","spanID":"b","startTime":1,"duration":1}}\n',
      /a dump of an Elasticsearch index/,
    ],
    [
      "OpenTelemetry's console output",
      '{"name":"a","context":{"trace_id":"0x1","span_id":"0x2"},"kind":"SpanKind.INTERNAL","parent_id":null}',
      /OpenTelemetry's console output; use an OTLP exporter/,
    ],
    ['metrics', '{"resourceMetrics":[]}', /OTLP metrics or logs; name a file of spans/],
    ["a browser's profile", '{"traceEvents":[]}', /Chrome's trace events/],
    ['an error', '{"error":{"code":404,"reason":"no such service"}}', /an error in place of traces \(\{"code":404,/],
    [
      'an error in words',
      '{"error":"unauthorised"}',
      /an error in place of traces \("unauthorised"\); ask the server again/,
    ],
    ['errors', '{"errors":[{"message":"no"}]}', /an error in place of traces/],
    [
      "Jaeger's answer for a trace that is not there",
      '{"data":null,"total":0,"errors":[{"code":404,"msg":"trace not found"}]}',
      /an error in place of traces .*trace not found/,
    ],
    ['a page', '<!doctype html><title>Log in</title>', /an HTML or XML page.*ask the API/],
    ['a zip archive', 'PK\u0003\u0004 and so on', /a zip archive, which must be unpacked first/],
  ])('%s', (_, input, message) => {
    expect(unknown(input)).toMatch(message)
    expect(unknown(input)).toMatch(/accepted are Jaeger JSON/)
  })

  it('errors that say nothing are none', () => {
    expect(parseTraces('{"data":[],"errors":null}')).toEqual([])
    expect(parseTraces('{"errors":[],"data":[{"spans":[{"spanID":"a","startTime":1,"duration":1}]}]}')).toHaveLength(1)
  })
})

it('binary data is told apart from text', () => {
  expect(unknown(new Uint8Array([0, 0, 7, 200, 9, 9, 9, 9]))).toMatch(
    /binary data that does not begin as OTLP protobuf/,
  )
})

it('traces that come again after they were handed on are said to count twice', () => {
  const line = '{"data":[{"traceID":"a","spans":[{"spanID":"b","startTime":1,"duration":1}]}]}'
  const repairs = new Repairs()
  expect(parseTraces(`${line}\n${line}`, { repairs })).toHaveLength(2)
  expect(repairs.list()).toMatchObject([{ code: 'repeated_trace', count: 1, examples: ['a'] }])
})

describe('nothing is passed over in silence', () => {
  const told = (input: string) => {
    const repairs = new Repairs()
    const traces = parseTraces(input, { repairs })
    return { traces: traces.length, told: repairs.list().map(({ code, examples }) => `${code}: ${examples[0]}`) }
  }

  it.each<[string, string, string]>([
    ['an object that holds no trace', '{"traceID":"a","spanID":"b"}', 'byte 0: an object without data or spans'],
    [
      'other signals among traces',
      '{"resourceSpans":[]}\n{"resourceLogs":[]}',
      'byte 21: an object without resourceSpans',
    ],
    ['a bare span', '{"traceId":"a","spanId":"b","name":"x"}', 'byte 0: an object without resourceSpans'],
    [
      'an error beside traces',
      '{"data":[],"errors":[{"code":500,"msg":"shard lost"}]}\n{"data":[{"traceID":"a","spans":[]}]}',
      'byte 20: the server tells an error: [{"code":500,"msg":"shard lost"}]',
    ],
  ])('%s', (_, input, example) => {
    expect(told(input)).toEqual({ traces: 0, told: [`unreadable_input: ${example}`] })
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
