import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { parseTraces, Repairs, type Span, type Trace, toSpans } from '../../src/index.js'
import { expectedSpans, modelTraces, otlpSpellings, toOtlp } from './formats.js'

const TRACE = '5b8efff798038103d269b633813fc60c'

function document(span: object, resource: object | null = { attributes: [attribute('service.name', 'cart')] }): object {
  const spans = [
    {
      traceId: TRACE,
      spanId: 'eee19b7ec3c1b174',
      name: 'get',
      startTimeUnixNano: '1000',
      endTimeUnixNano: '2000',
      ...span,
    },
  ]
  return { resourceSpans: [{ ...(resource && { resource }), scopeSpans: [{ scope: {}, spans }] }] }
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const parse = (value: unknown, repairs?: Repairs): Trace[] =>
  parseTraces(typeof value === 'string' ? value : JSON.stringify(value), { repairs })
const spanOf = (value: unknown): Span => toSpans(parse(value)[0]!)[0]!

describe('ids', () => {
  it('in hex, small or capital letters, or base64 of either alphabet, padded or not, are the same ids', () => {
    const bytes = Buffer.from(`${TRACE}eee19b7ec3c1b174`, 'hex')
    const [trace, span] = [bytes.subarray(0, 16), bytes.subarray(16)]
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      for (const unpadded of [false, true]) {
        const id = (from: Buffer) => from.toString(encoding).replace(unpadded ? /=/g : /$^/, '')
        expect(spanOf(document({ traceId: id(trace), spanId: id(span) }))).toMatchObject({
          traceId: TRACE,
          id: 'eee19b7ec3c1b174',
        })
      }
    }
    expect(spanOf(document({ traceId: TRACE.toUpperCase(), spanId: 'EEE19B7EC3C1B174' })).id).toBe('eee19b7ec3c1b174')
  })

  it('of other shapes are kept as they are', () => {
    for (const spanId of ['1', 'span-1', 'AAAAAAAAAAA?', 'ÿ'])
      expect(spanOf(document({ spanId })).id).toBe(spanId.toLowerCase())
  })

  it('of zeros are no parent', () => {
    const [trace] = parse(document({ parentSpanId: '0000000000000000' }))
    expect(trace!.repairs.list()).toEqual([])
  })
})

describe('times', () => {
  const times = (start: string, end: string) => {
    const text = JSON.stringify(document({})).replace('"1000"', start).replace('"2000"', end)
    const [trace] = parse(text)
    return trace && [trace.originUnixNs, trace.endNs[0]]
  }

  it('are exact whether numbers or text, though a double holds no nanosecond of our days', () => {
    expect(times('"1706678909209712345"', '"1706678909209712346"')).toEqual([1706678909209712345n, 1])
    expect(times('1706678909209712345', '1706678909209712346')).toEqual([1706678909209712345n, 1])
    expect(times('1.706678909209712345e18', '1706678909209712346.0')).toEqual([1706678909209712345n, 1])
  })

  it('an end of zero or none is missing', () => {
    for (const end of ['0', '"0"', 'null']) {
      const [trace] = parse(JSON.stringify(document({})).replace('"2000"', end))
      expect(trace!.repairs.list().map(({ code }) => code)).toEqual(['missing_end'])
    }
  })
})

describe('fields', () => {
  it('kinds by number, by text of it or by name', () => {
    const kinds = [0, 2, '3', 'SPAN_KIND_PRODUCER', 5, 6, 'SPAN_KIND_UNSPECIFIED', null].map(
      (kind) => spanOf(document({ kind })).kind,
    )
    expect(kinds).toEqual(['internal', 'server', 'client', 'producer', 'consumer', 'internal', 'internal', 'internal'])
  })

  it('an error by the status alone', () => {
    const statuses = [{ code: 2 }, { code: 'STATUS_CODE_ERROR', message: 'x' }, { code: 1 }, {}, null]
    expect(statuses.map((status) => spanOf(document({ status })).isError ?? false)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('a span without a parent follows from the first other span of its trace that it links to', () => {
    const link = (spanId: string, traceId = TRACE) => ({ traceId, spanId, attributes: [] })
    const root = { traceId: TRACE, spanId: 'aaaaaaaaaaaaaaaa', name: 'r', startTimeUnixNano: '1', endTimeUnixNano: '9' }
    const linked = (links: object[], fields: object = {}) => {
      const value = document({ links, ...fields }) as { resourceSpans: { scopeSpans: { spans: object[] }[] }[] }
      value.resourceSpans[0]!.scopeSpans[0]!.spans.push(root)
      return spanOf(value)
    }
    expect(
      linked([
        link('cccccccccccccccc', 'other'),
        link('eee19b7ec3c1b174'),
        link('aaaaaaaaaaaaaaaa'),
        link('bbbbbbbbbbbbbbbb'),
      ]),
    ).toMatchObject({
      parentId: 'aaaaaaaaaaaaaaaa',
      reference: 'follows-from',
    })
    const own = linked([link('bbbbbbbbbbbbbbbb')], { parentSpanId: 'aaaaaaaaaaaaaaaa' })
    expect(own).toMatchObject({ parentId: 'aaaaaaaaaaaaaaaa' })
    expect(own).not.toHaveProperty('reference')
  })
})

describe('resources', () => {
  it('say service, instance and host, before or after their spans', () => {
    const attributes = [
      attribute('telemetry.sdk.name', 'opentelemetry'),
      attribute('host.name', 'node-7'),
      attribute('service.instance.id', 'cart-1'),
      attribute('service.name', 'cart'),
      { key: 'host.id', value: { arrayValue: { values: [{ stringValue: 'x' }] } } },
    ]
    const [{ resource, scopeSpans }] = (document({}, { attributes }) as { resourceSpans: [Record<string, unknown>] })
      .resourceSpans
    for (const entry of [
      { resource, scopeSpans },
      { scopeSpans, resource },
    ]) {
      expect(spanOf({ resourceSpans: [entry] })).toMatchObject({ service: 'cart', instance: 'cart-1', host: 'node-7' })
    }
  })

  it('that say no service leave it unknown, counted', () => {
    for (const resource of [null, {}, { attributes: [attribute('host.name', 'x')] }]) {
      const [trace] = parse(document({}, resource))
      expect(toSpans(trace!)[0]!.service).toBe('unknown')
      expect(trace!.repairs.count('unknown_process')).toBe(1)
    }
  })

  it('do not reach over to the next one', () => {
    const first = document({}).valueOf() as { resourceSpans: object[] }
    const second = document({ spanId: 'bbbbbbbbbbbbbbbb' }, { attributes: [attribute('service.name', 'other')] }) as {
      resourceSpans: object[]
    }
    const [trace] = parse({ resourceSpans: [...first.resourceSpans, ...second.resourceSpans] })
    expect(toSpans(trace!).map(({ service }) => service)).toEqual(['cart', 'other'])
  })
})

describe('documents', () => {
  it("of the collector's file exporter, one a line, share their traces", () => {
    fc.assert(
      fc.property(modelTraces, otlpSpellings, (model, spelling) => {
        const lines = model.spans.map((span) => toOtlp({ ...model, spans: [span] }, spelling))
        const traces = parse(lines.join('\n'))
        const byId = (spans: readonly Span[]) => [...spans].sort((a, b) => (a.id < b.id ? -1 : 1))
        expect(traces.map((trace) => byId(toSpans(trace)))).toEqual([byId(expectedSpans(model))])
      }),
    )
  })

  it('may be wrapped as the query APIs of Jaeger and Tempo do, or stand in an array', () => {
    const inner = document({}) as { resourceSpans: unknown }
    for (const value of [{ result: inner }, { trace: { batches: inner.resourceSpans } }, [inner], { data: [inner] }]) {
      expect(spanOf(value).service).toBe('cart')
    }
    expect(parse({ resourceSpans: [] })).toEqual([])
    expect(parse({ resourceSpans: null })).toEqual([])
  })

  it('that break off keep the spans of the open resource, with its service', () => {
    const text = JSON.stringify(document({}))
    const repairs = new Repairs()
    const [trace] = parse(text.slice(0, -6), repairs)
    expect(toSpans(trace!)[0]!.service).toBe('cart')
    expect(repairs.list().map(({ code }) => code)).toEqual(['truncated_input'])
  })

  it('with bad spans lose no others', () => {
    const value = document({}) as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }
    value.resourceSpans[0]!.scopeSpans[0]!.spans.unshift(null, 7, {}, { spanId: '' }, [[]])
    const repairs = new Repairs()
    expect(parse(value, repairs).map(({ size }) => size)).toEqual([1])
    expect(repairs.count('unreadable_span')).toBe(5)
  })
})

const pair = new URL('../../../../../shared/data/traces/jaeger_ui/', import.meta.url)

describe("Jaeger's own conversion of OTLP", () => {
  if (!existsSync(pair)) {
    notChecked('the pair of otlp2jaeger', '../shared/data')
    return
  }
  it('gives the same trace as reading the OTLP', () => {
    const [ours, theirs] = ['in', 'out'].map(
      (side) => parseTraces(readFileSync(new URL(`otlp2jaeger-${side}.json`, pair)))[0]!,
    )
    expect(toSpans(ours!)).toEqual(toSpans(theirs!))
    expect(ours!.repairs.list()).toEqual(theirs!.repairs.list())
  })
})
