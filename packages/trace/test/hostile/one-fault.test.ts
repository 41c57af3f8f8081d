import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { criticalPath, parseTraces, type RepairCode, readTraces, type Span } from '../../src/index.js'
import { encodeTraces } from '../read/otlp-schema.js'
import { wholeWay } from './whole-way.js'

const EPOCH_US = 1_661_140_399_378_397
const ZEROS = '0000000000000000'

type JaegerSpan = Record<string, unknown>

/** µs after the epoch. */
function span(
  id: string,
  parent: string | undefined,
  startUs: number,
  durationUs: number,
  further: object = {},
): JaegerSpan {
  return {
    traceID: 'f00d',
    spanID: id,
    operationName: `operation ${id}`,
    references: parent === undefined ? [] : [{ refType: 'CHILD_OF', traceID: 'f00d', spanID: parent }],
    startTime: EPOCH_US + startUs,
    duration: durationUs,
    processID: 'p1',
    ...further,
  }
}

const ref = (spanID: string, refType = 'CHILD_OF') => ({ refType, traceID: 'f00d', spanID })
const following = (id: string) => ({ references: [ref(id, 'FOLLOWS_FROM')] })

const jaeger = (...spans: JaegerSpan[]): string =>
  JSON.stringify({ data: [{ traceID: 'f00d', spans, processes: { p1: { serviceName: 'cart' } } }] })

const root = span('aa', undefined, 0, 100)
const child = span('bb', 'aa', 10, 50)
const grandchild = span('cc', 'bb', 20, 30)
const NO_DURATION = { duration: undefined }

/** The default path as text: `id:length` of each section, µs. */
async function read(text: string | Uint8Array): Promise<{ path: string; counts: object }> {
  const { traces, counts } = await wholeWay(text)
  expect(traces.length).toBeLessThanOrEqual(1)
  const sections = traces[0] ? criticalPath(traces[0]) : []
  return { path: sections.map(({ span: owner, startUs, endUs }) => `${owner.id}:${endUs - startUs}`).join(' '), counts }
}

describe('one fault in a trace costs no more than that', () => {
  const PATH = 'aa:10 bb:10 cc:30 bb:10 aa:40'

  it.each<[string, JaegerSpan[], string, Partial<Record<RepairCode, number>>]>([
    ['none at all', [root, child, grandchild], PATH, {}],
    ['its own parent', [root, child, grandchild, span('dd', 'dd', 200, 5)], PATH, { self_parent: 1, several_roots: 1 }],
    ['the only span is its own parent', [span('aa', 'aa', 0, 7)], 'aa:7', { self_parent: 1 }],
    [
      'a cycle beside the trace',
      [root, child, grandchild, span('dd', 'ee', 200, 5), span('ee', 'dd', 201, 2)],
      PATH,
      { cycle: 1, several_roots: 1 },
    ],
    ['a cycle of all spans: no root', [span('aa', 'cc', 0, 100), child, grandchild], PATH, { cycle: 1 }],
    [
      'no root: its span was never collected',
      [span('bb', 'aa', 10, 50), grandchild],
      'bb:10 cc:30 bb:10',
      { missing_parent: 1 },
    ],
    [
      'two roots: the path follows the first',
      [root, child, grandchild, span('dd', undefined, 5, 500)],
      PATH,
      { several_roots: 1 },
    ],
    ['all-zero parent ids', [span('aa', ZEROS, 0, 100), child, grandchild], PATH, {}],
    [
      'a root that starts after an orphan: the path follows the root',
      [root, child, grandchild, span('dd', 'x1', -10, 500)],
      PATH,
      { missing_parent: 1, several_roots: 1 },
    ],
    [
      'an orphan that starts after a ring',
      [root, child, grandchild, span('dd', 'ee', -20, 500), span('ee', 'dd', -19, 2)].map((one) =>
        one === root ? span('aa', 'x1', 0, 100) : one,
      ),
      PATH,
      { missing_parent: 1, cycle: 1, several_roots: 1 },
    ],
    [
      'a ring with a weak edge is cut there: aa calls bb, which aa follows from',
      [span('aa', undefined, 5, 100, following('bb')), span('bb', 'aa', 0, 50)],
      'bb:45 aa:55',
      { cycle: 1, clamped: 1 },
    ],
    [
      'two parents: the first counts',
      [root, child, span('cc', 'bb', 20, 30, { references: [ref('bb'), ref('aa')] })],
      PATH,
      { several_parents: 1 },
    ],
    [
      'itself among its parents',
      [root, child, span('cc', 'bb', 20, 30, { references: [ref('cc'), ref('bb')] })],
      PATH,
      { self_parent: 1 },
    ],
    [
      'all parents unknown',
      [span('aa', 'x1', 0, 100), span('bb', 'x2', 10, 50)],
      'aa:100',
      { missing_parent: 2, several_roots: 1 },
    ],
    [
      'an end before the start',
      [root, child, span('cc', 'bb', 20, -30)],
      'aa:10 bb:50 aa:40',
      { negative_duration: 1 },
    ],
    [
      'the root ends before it starts',
      [span('aa', undefined, 0, -100), child],
      '',
      { negative_duration: 1, dropped: 1 },
    ],
    ['a missing end', [root, child, grandchild, span('dd', 'aa', 70, 0, NO_DURATION)], PATH, { missing_end: 1 }],
    [
      'a missing end of the root',
      [span('aa', undefined, 0, 0, NO_DURATION), child, grandchild],
      'aa:10 bb:10 cc:30 bb:10',
      { missing_end: 1 },
    ],
    [
      'no span has an end',
      [root, child, grandchild].map((one) => ({ ...one, ...NO_DURATION })),
      'aa:10 bb:10',
      { missing_end: 3 },
    ],
    ['time 0 in one span', [root, child, grandchild, span('dd', 'aa', -EPOCH_US, 5)], PATH, { dropped: 1 }],
    ['time 0 in the root', [span('aa', undefined, -EPOCH_US, 100), child], 'aa:100', { dropped: 1 }],
    [
      'time 0 in all spans',
      [root, child, grandchild].map((one) => ({ ...one, startTime: 0 })),
      'cc:30 bb:20 aa:50',
      {},
    ],
    [
      'times from 0 on',
      [root, child, grandchild].map((one) => ({ ...one, startTime: (one.startTime as number) - EPOCH_US })),
      PATH,
      {},
    ],
    [
      'times before 1970',
      [root, child, grandchild].map((one) => ({ ...one, startTime: (one.startTime as number) - 2 * EPOCH_US })),
      PATH,
      {},
    ],
    ['a span twice', [root, child, grandchild, child], PATH, { duplicate_span: 1 }],
    [
      'two spans with one id',
      [root, child, grandchild, span('bb', 'aa', 70, 10)],
      'aa:10 bb:10 cc:30 bb:10 aa:10 bb_1:10 aa:20',
      { duplicate_id: 1 },
    ],
    [
      'a time that is a word',
      [root, child, grandchild, span('dd', 'aa', 0, 5, { startTime: 'soon' })],
      PATH,
      { time_invalid: 1 },
    ],
    [
      'a time beyond all measure',
      [root, child, grandchild, span('dd', 'aa', 0, 5, { startTime: 1e300 })],
      PATH,
      { time_invalid: 1 },
    ],
    ['a length beyond all measure', [root, child, grandchild, span('dd', 'aa', 0, 1e15)], PATH, { time_invalid: 1 }],
    ['a span without an id', [root, child, grandchild, { ...child, spanID: undefined }], PATH, { unreadable_span: 1 }],
    ['a span that is a number', [root, child, grandchild, 5 as never], PATH, { unreadable_span: 1 }],
    ['a process nobody described', [root, { ...child, processID: 'p9' }, grandchild], PATH, { unknown_process: 1 }],
    [
      'a child longer than its parent',
      [root, child, span('cc', 'bb', 20, 900)],
      'aa:10 bb:10 cc:40 aa:40',
      { clamped: 1 },
    ],
    ['no span at all', [], '', {}],
  ])('%s', async (_, spans, path, counts) => {
    expect(await read(jaeger(...spans))).toEqual({ path, counts })
    expect(await read(jaeger(...[...spans].reverse()))).toEqual({ path, counts })
  })
})

describe('input that breaks off or is no input', () => {
  const text = jaeger(root, child, grandchild)
  const code = (wanted: string) => expect.objectContaining({ code: wanted })

  it('half-written JSON gives the spans before the break, wherever it is', async () => {
    const first = text.indexOf('"spanID"')
    for (let end = first; end < text.length; end++) {
      const { traces, counts } = await wholeWay(text.slice(0, end))
      expect(counts.truncated_input).toBe(1)
      const complete = [...text.slice(0, end).matchAll(/"processID":"p1"}/g)].length
      expect(traces.map(({ size }) => size)).toEqual(complete > 0 ? [complete] : [])
    }
  })

  it('half a gzip gives what could be unpacked', async () => {
    const many = Array.from({ length: 3000 }, (_, i) =>
      span(`b${i.toString(16).padStart(7, '0')}`, 'aa', (i * 7919) % 1000, i),
    )
    const packed = gzipSync(jaeger(root, ...many))
    const { traces, counts } = await wholeWay(packed.subarray(0, packed.length >> 1))
    expect(traces[0]!.size).toBeGreaterThan(100)
    expect(counts).toMatchObject({ unreadable_input: 1, truncated_input: 1 })
  })

  it('gzip of something else, or with another checksum, ends well', async () => {
    const packed = gzipSync(text)
    const wrong = packed.slice()
    wrong[wrong.length - 5]! ^= 1
    await expect(wholeWay(wrong)).rejects.toEqual(code('trace_format_unknown'))
    await expect(wholeWay(gzipSync('hello'))).rejects.toEqual(code('trace_format_unknown'))
    expect(() => parseTraces(packed)).toThrow(code('trace_packed'))
  })

  it('a length of 10 GB in protobuf is not believed: what has arrived is used', async () => {
    const ids = { traceId: Buffer.alloc(16, 7), spanId: Buffer.alloc(8, 1) }
    const timed = { ...ids, startTimeUnixNano: '1000', endTimeUnixNano: '3000' }
    const message = encodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [timed] }] }] })
    const claim = Uint8Array.of(0x0a, 0x80, 0x80, 0x80, 0x80, 0x28)
    const own = message.slice(message[1]! < 0x80 ? 2 : 3) // without the length it had
    for (const bytes of [
      [...claim, ...own],
      [...message, ...claim],
      [...message, 0x12, ...claim.slice(1)],
    ]) {
      const { traces, counts } = await wholeWay(Uint8Array.from(bytes))
      expect(traces).toMatchObject([{ size: 1 }])
      expect(counts).toEqual({ truncated_input: 1, unknown_process: 1 })
    }
  })

  it.each<[string, string | Uint8Array]>([
    ['a word', 'hello'],
    ['other JSON', '{"kind":"List","items":[{"a":1}]}'],
    ['JSON that breaks off before it says what it is', '{"data":[{"tra'],
    ['half a bracket', '{'],
    ['gzip in name only', Uint8Array.of(0x1f, 0x8b)],
    ['gzip of nonsense', Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)],
    ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)],
    ['zeros', new Uint8Array(100)],
    ['a million brackets', '['.repeat(1_000_000)],
    ['a million objects in one another', '{"a":'.repeat(1_000_000)],
  ])('%s is refused in words', async (_, input) => {
    const read = async () => {
      for await (const trace of readTraces(input)) expect(trace).toBe('no trace')
    }
    await expect(read()).rejects.toEqual(code('trace_format_unknown'))
    await expect(read()).rejects.toThrow(/accepted are/)
  })

  it.each<[string, string]>([
    ['nothing', ''],
    ['white space', ' \n\n'],
    ['an empty list', '[]'],
    ['an empty answer', '{"data":[]}'],
    ['no resource', '{"resourceSpans":[]}'],
  ])('%s holds no traces', async (_, input) => {
    expect(await wholeWay(input)).toEqual({ traces: [], counts: {} })
  })
})

describe('criticalPath() of bare spans', () => {
  it('mends what a reader would, and throws for nothing but an empty trace', () => {
    const one = (id: string, parentId: string | null, startUs: number, durationUs: number): Span => ({
      id,
      parentId,
      service: 's',
      operation: 'o',
      startUs,
      durationUs,
    })
    const path = criticalPath([
      one('a', 'b', 0, 10),
      one('b', 'a', 1, 5),
      one('c', 'a', 2, -3),
      one('a', 'b', 50, Number.NaN),
    ])
    expect(path.map(({ span: { id }, startUs, endUs }) => [id, startUs, endUs])).toEqual([
      ['a', 0, 1],
      ['b', 1, 6],
      ['a', 6, 10],
    ])
    expect(() => criticalPath([])).toThrow(code('trace_empty'))
    expect(() => criticalPath([one('', null, 0, 1)])).toThrow(code('trace_empty'))
  })

  const code = (wanted: string) => expect.objectContaining({ code: wanted })
})
