import { describe, expect, it } from 'vitest'
import { parseTraces, Repairs, type Span, toSpans } from '../../src/index.js'

const T = '5b8efff798038103'

const at = (serviceName: string) => ({ serviceName, ipv4: `10.0.0.${serviceName.length}`, port: 80 })
const span = (fields: object) => ({
  traceId: T,
  id: 'a',
  name: 'get',
  timestamp: 1000,
  duration: 100,
  localEndpoint: at('front'),
  ...fields,
})

function read(value: unknown, repairs?: Repairs): Record<string, Span> {
  const traces = parseTraces(typeof value === 'string' ? value : JSON.stringify(value), { repairs })
  return Object.fromEntries(traces.flatMap(toSpans).map((found) => [found.id, found]))
}

describe('Zipkin v2', () => {
  it('fields', () => {
    const spans = read([
      span({ kind: 'SERVER' }),
      span({
        id: 'b',
        parentId: 'a',
        kind: 'PRODUCER',
        timestamp: '1010.5',
        duration: 1.25,
        tags: { error: '' },
        annotations: [{ timestamp: 1, value: 'x' }],
      }),
    ])
    expect(spans).toEqual({
      a: {
        id: 'a',
        traceId: T,
        service: 'front',
        operation: 'get',
        startUs: 1000,
        durationUs: 100,
        kind: 'server',
        instance: '10.0.0.5',
        host: '10.0.0.5',
      },
      b: {
        id: 'b',
        traceId: T,
        parentId: 'a',
        service: 'front',
        operation: 'get',
        startUs: 1010.5,
        durationUs: 1.25,
        kind: 'producer',
        instance: '10.0.0.5',
        host: '10.0.0.5',
        isError: true,
      },
    })
  })

  it('an error tag means an error whatever it says, unless that is "false"', () => {
    const errors = [{ error: 'boom' }, { error: true }, { error: 'false' }, {}, null].map(
      (tags) => read([span({ tags })]).a!.isError ?? false,
    )
    expect(errors).toEqual([true, true, false, false, false])
  })

  it('no service is an unknown one, counted', () => {
    const [trace] = parseTraces(JSON.stringify([span({ localEndpoint: { ipv4: '1.2.3.4' } })]))
    expect(toSpans(trace!)[0]).toMatchObject({ service: 'unknown' })
    expect(trace!.repairs.count('unknown_process')).toBe(1)
  })
})

describe('an id that both halves of a call share', () => {
  const client = span({ id: 'b', parentId: 'a', kind: 'CLIENT', timestamp: 1010, duration: 80 })
  const server = span({
    id: 'b',
    parentId: 'a',
    kind: 'SERVER',
    timestamp: 1020,
    duration: 50,
    localEndpoint: at('cart'),
    shared: true,
  })
  const below = span({ id: 'c', parentId: 'b', timestamp: 1030, duration: 10, localEndpoint: at('cart') })

  it("is the client's; the server's half becomes its child and keeps the children of its service", () => {
    const unmarked = { ...server, shared: undefined }
    for (const spans of [
      [span({}), client, server, below],
      [below, server, client, span({})],
      [span({}), client, unmarked, below],
    ]) {
      const [trace] = parseTraces(JSON.stringify(spans))
      const found = read(spans)
      expect(found.b).toMatchObject({ parentId: 'a', kind: 'client', service: 'front', durationUs: 80 })
      expect(found.b_server).toMatchObject({ parentId: 'b', kind: 'server', service: 'cart', durationUs: 50 })
      expect(found.c).toMatchObject({ parentId: 'b_server' })
      expect(trace!.repairs.list()).toEqual([{ code: 'shared_span', count: 1, examples: [`${T}/b`] }])
    }
  })

  it("children of other services stay with the client's half", () => {
    const other = span({ id: 'd', parentId: 'b', localEndpoint: at('proxy') })
    expect(read([span({}), client, server, other]).d).toMatchObject({ parentId: 'b' })
  })

  it('two servers that answered the same call are told apart, and so are their children', () => {
    const second = { ...server, localEndpoint: at('cart-two'), timestamp: 1025 }
    const belowSecond = { ...below, id: 'd', localEndpoint: at('cart-two') }
    const found = read([client, server, second, below, belowSecond, span({})])
    expect(found.b_server).toMatchObject({ parentId: 'b', service: 'cart' })
    expect(found.b_server2).toMatchObject({ parentId: 'b', service: 'cart-two' })
    expect([found.c!.parentId, found.d!.parentId]).toEqual(['b_server', 'b_server2'])
  })

  it("is the server's own where the client was never collected", () => {
    const [trace] = parseTraces(JSON.stringify([span({}), server]))
    expect(toSpans(trace!).map(({ id, parentId }) => [id, parentId])).toEqual([
      ['a', undefined],
      ['b', 'a'],
    ])
    expect(trace!.repairs.list()).toEqual([])
  })

  it('of one trace says nothing about another', () => {
    const traces = parseTraces(JSON.stringify([client, { ...server, traceId: 'f' }]))
    expect(traces.map(({ repairs }) => repairs.count('shared_span'))).toEqual([0, 0])
  })
})

describe('spans reported in pieces', () => {
  it('are joined: a piece without a start, and one that lacks the end', () => {
    const spans = [
      span({ kind: 'CLIENT' }),
      { traceId: T, id: 'a', localEndpoint: at('front'), tags: { error: 'x' } },
      span({ kind: 'CLIENT', duration: undefined }),
    ]
    const [trace] = parseTraces(JSON.stringify(spans))
    expect(toSpans(trace!)).toMatchObject([{ id: 'a', durationUs: 100, isError: true, kind: 'client' }])
    expect(trace!.repairs.list().map(({ code, count }) => [code, count])).toEqual([['duplicate_span', 2]])
  })
})

describe('Zipkin v1', () => {
  const annotation = (value: string, timestamp: number, serviceName: string) => ({
    value,
    timestamp,
    endpoint: at(serviceName),
  })
  const binary = (key: string, value: unknown, serviceName: string) => ({ key, value, endpoint: at(serviceName) })
  const v1 = (fields: object) => ({ traceId: T, id: 'a', name: 'get', ...fields })

  it('a span of the client alone or of the server alone', () => {
    const client = v1({
      annotations: [annotation('cs', 1000, 'front'), annotation('cr', 1100, 'front')],
      binaryAnnotations: [binary('sa', true, 'cart')],
    })
    expect(read([client]).a).toMatchObject({
      kind: 'client',
      service: 'front',
      startUs: 1000,
      durationUs: 100,
      instance: '10.0.0.5',
    })
    const server = v1({
      annotations: [annotation('sr', 1010, 'cart'), annotation('ss', 1090, 'cart')],
      binaryAnnotations: [binary('ca', true, 'front')],
    })
    expect(read([server]).a).toMatchObject({ kind: 'server', service: 'cart', startUs: 1010, durationUs: 80 })
  })

  it('both halves in one span, or in two of one id, are client and server', () => {
    const sent = [annotation('cs', 1000, 'front'), annotation('cr', 1100, 'front')]
    const served = [annotation('sr', 1010, 'cart'), annotation('ss', 1090, 'cart')]
    const together = [v1({ timestamp: 1000, duration: 100, annotations: [...served, ...sent] })]
    const apart = [v1({ timestamp: 1000, duration: 100, annotations: sent }), v1({ annotations: served })]
    for (const spans of [together, apart, [...apart].reverse()]) {
      const found = read(spans)
      expect(found.a).toMatchObject({ kind: 'client', service: 'front', startUs: 1000, durationUs: 100 })
      expect(found.a_server).toMatchObject({
        kind: 'server',
        parentId: 'a',
        service: 'cart',
        startUs: 1010,
        durationUs: 80,
      })
    }
  })

  it("the span's own time is the first half's, annotations that are missing leave the end missing", () => {
    const early = v1({
      timestamp: 995,
      duration: 110,
      annotations: [annotation('cs', 1000, 'front'), annotation('cr', 1100, 'front')],
    })
    expect(read([early]).a).toMatchObject({ startUs: 995, durationUs: 110 })
    const [trace] = parseTraces(JSON.stringify([v1({ annotations: [annotation('sr', 1000, 'cart')] })]))
    expect(trace!.repairs.list().map(({ code }) => code)).toEqual(['missing_end'])
  })

  it('local spans, messages and errors', () => {
    const local = v1({
      timestamp: 5,
      duration: 7,
      annotations: [],
      binaryAnnotations: [binary('lc', 'worker', 'front')],
    })
    expect(read([local]).a).toMatchObject({ kind: 'internal', service: 'front', startUs: 5, durationUs: 7 })
    const produced = v1({
      timestamp: 5,
      duration: 7,
      annotations: [annotation('ms', 5, 'front')],
      binaryAnnotations: [binary('error', 'boom', 'front')],
    })
    expect(read([produced]).a).toMatchObject({ kind: 'producer', isError: true })
    const consumed = v1({ timestamp: 5, duration: 7, annotations: [annotation('mr', 5, 'back')] })
    expect(read([consumed]).a).toMatchObject({ kind: 'consumer', service: 'back' })
  })
})

describe('shapes of a Zipkin document', () => {
  const other = { ...span({}), traceId: 'f' }
  const cases: Record<string, string> = {
    'an array of spans': JSON.stringify([span({}), other, span({ id: 'b', parentId: 'a' })]),
    'an array of traces': JSON.stringify([[span({}), span({ id: 'b', parentId: 'a' })], [other]]),
    'an array of both': JSON.stringify([[other], span({}), span({ id: 'b', parentId: 'a' })]),
    'a span a line': [span({}), other, span({ id: 'b', parentId: 'a' })]
      .map((value) => JSON.stringify(value))
      .join('\n'),
    'an array a line': [[span({}), other], [span({ id: 'b', parentId: 'a' })]]
      .map((value) => JSON.stringify(value))
      .join('\n'),
  }
  for (const [name, text] of Object.entries(cases)) {
    it(name, () => {
      const traces = parseTraces(text).map(({ traceId, size }) => [traceId, size])
      expect(traces.sort()).toEqual([
        [T, 2],
        ['f', 1],
      ])
    })
  }

  it('bad spans lose no others, input that breaks off loses only its last', () => {
    const repairs = new Repairs()
    expect(Object.keys(read([null, 7, {}, { traceId: T }, span({}), { ...span({}), id: [] }], repairs))).toEqual(['a'])
    expect(repairs.count('unreadable_span')).toBe(5)
    const text = JSON.stringify([span({}), span({ id: 'b' })])
    expect(Object.keys(read(text.slice(0, -3), repairs))).toEqual(['a'])
    expect(repairs.count('truncated_input')).toBe(1)
  })
})
