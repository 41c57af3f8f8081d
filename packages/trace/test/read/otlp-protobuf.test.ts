import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KINDS, parseTraces, Repairs, readTraces, type Trace, TraceBuilder, toSpans } from '../../src/index.js'
import { expectedSpans, modelTraces, toOtlp } from './formats.js'
import { encodeTraces, TracesData } from './otlp-schema.js'

const FORMAT = { format: 'otlp-protobuf' } as const
const LARGEST = '18446744073709551615' // 2^64 − 1

const id = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const text = fc.oneof(fc.constantFrom('frontend', 'GET /cart', 'größe 🚀'), fc.string({ unit: 'grapheme' }))
const smallIds = fc.nat(5).map((value) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, value))
const times = fc.oneof(
  fc.bigInt(0n, 10_000n),
  fc.bigInt(1_661_140_399_378_397_000n, 1_661_140_399_378_399_999n),
  fc.bigInt(0n, BigInt(LARGEST)),
)

const anyValue: fc.Arbitrary<object> = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.nat().map((intValue) => ({ intValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc.double().map((doubleValue) => ({ doubleValue })),
  fc.array(text).map((list) => ({ arrayValue: { values: list.map((stringValue) => ({ stringValue })) } })),
)
const keys = fc.constantFrom('service.name', 'k8s.pod.name', 'service.instance.id', 'host.name', 'service', '')
const attributes = fc.array(fc.record({ key: keys, value: anyValue }, { requiredKeys: [] }), { maxLength: 4 })

const spans = fc.record(
  {
    traceId: fc.oneof(
      smallIds.map((last) => Uint8Array.of(...last, ...last)),
      id(16),
    ),
    spanId: fc.oneof(smallIds, id(8)),
    traceState: text,
    parentSpanId: fc.oneof(smallIds, id(0)),
    name: text,
    kind: fc.nat(7),
    startTimeUnixNano: times.map(String),
    endTimeUnixNano: times.map(String),
    attributes,
    droppedAttributesCount: fc.nat(),
    events: fc.array(fc.record({ timeUnixNano: times.map(String), name: text, attributes }), { maxLength: 2 }),
    status: fc.record({ code: fc.nat(3), message: text }, { requiredKeys: [] }),
    flags: fc.nat(),
  },
  { requiredKeys: [] },
)

const messages = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes }),
        scopeSpans: fc.array(fc.record({ scope: fc.record({ name: text }), spans: fc.array(spans, { maxLength: 6 }) })),
        instrumentationLibrarySpans: fc.array(fc.record({ spans: fc.array(spans, { maxLength: 2 }) }), {
          maxLength: 1,
        }),
        schemaUrl: text,
      },
      { requiredKeys: ['scopeSpans'] },
    ),
    { maxLength: 3 },
  ),
})

const hex = (bytes: unknown): string => Buffer.from((bytes as Uint8Array | undefined) ?? []).toString('hex')

/** What protobufjs finds in the bytes, span by span, through the builder's slow door. */
function decodedByLibrary(bytes: Uint8Array): Trace[] {
  const builder = new TraceBuilder()
  // biome-ignore lint/suspicious/noExplicitAny: a decoded message has no static type
  const message: any = TracesData.toObject(TracesData.decode(bytes), { longs: String, defaults: true })
  for (const { resource, scopeSpans, instrumentationLibrarySpans } of message.resourceSpans) {
    const find = (key: string): string => {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const found = (resource?.attributes ?? []).filter((attribute: any) => attribute.key === key).map(textOf)
      return found.filter((value: string) => value !== '').at(-1) ?? ''
    }
    for (const scope of [...scopeSpans, ...instrumentationLibrarySpans]) {
      for (const span of scope.spans) {
        if (span.spanId.length === 0) continue
        const start = BigInt(span.startTimeUnixNano)
        const end = BigInt(span.endTimeUnixNano)
        builder.add({
          traceId: hex(span.traceId),
          id: hex(span.spanId),
          parentId: hex(span.parentSpanId),
          service: find('service.name') || 'unknown',
          operation: span.name,
          startUs: Number(start / 1000n),
          startNs: Number(start % 1000n),
          endUs: end === 0n ? undefined : Number(end / 1000n),
          endNs: Number(end % 1000n),
          kind: KINDS[span.kind - 1],
          isError: span.status?.code === 2,
          instance: find('k8s.pod.name') || find('service.instance.id') || find('host.name'),
          host: find('host.name'),
        })
      }
    }
  }
  return builder.finish()
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function textOf({ value }: any): string {
  return value?.intValue !== undefined ? `${value.intValue}` : (value?.stringValue ?? '')
}

/** In one order: the library lists scopes and old-style libraries one after the other, the wire may mix them. */
const sorted = (traces: readonly Trace[]): object[] =>
  traces
    .map((trace) => ({
      traceId: trace.traceId,
      origin: trace.originUnixNs,
      spans: toSpans(trace).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    }))
    .sort((a, b) => (a.traceId < b.traceId ? -1 : 1))

/** Resource attributes that repeat a key: which one counts is not the wire's business. */
const hasRepeatedKeys = ({ resourceSpans }: { resourceSpans: readonly { resource?: { attributes: object[] } }[] }) =>
  resourceSpans.some(({ resource }) => {
    const all = (resource?.attributes ?? []).map((attribute) => (attribute as { key?: string }).key ?? '')
    return new Set(all).size < all.length
  })

const spansOf = (bytes: Uint8Array): object[] => sorted(parseTraces(bytes, FORMAT))

async function readInPieces(bytes: Uint8Array, size: number): Promise<Trace[]> {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  const traces: Trace[] = []
  for await (const trace of readTraces(pieces, FORMAT)) traces.push(trace)
  return traces
}

const join = (...parts: (Uint8Array | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

const field = (number: number, content: Uint8Array | readonly number[]): Uint8Array =>
  join(varint(number * 8 + 2), varint(content.length), content)

const bytesOfText = (value: string): Uint8Array => new TextEncoder().encode(value)

const span = (number: number, ...further: (Uint8Array | readonly number[])[]): Uint8Array =>
  join(
    field(1, [...new Array(15).fill(7), 1]),
    field(2, [0, 0, 0, 0, 0, 0, 1, number]),
    field(5, bytesOfText(`operation ${number}`)),
    [7 * 8 + 1, 64, 66, 15, 0, 0, 0, 0, 0],
    [8 * 8 + 1, 128, 132, 30, 0, 0, 0, 0, 0],
    ...further,
  )
const resource = field(
  1,
  field(1, join(field(1, bytesOfText('service.name')), field(2, field(1, bytesOfText('cart'))))),
)
const scope = (...all: Uint8Array[]): Uint8Array => field(2, join(...all.map((content) => field(2, content))))
const ids = (traces: readonly Trace[]): string[] =>
  traces.flatMap((trace) => toSpans(trace).map(({ id: spanId }) => spanId.slice(-2)))

function parse(bytes: Uint8Array): { found: string[]; traces: Trace[]; repairs: [string, number][] } {
  const repairs = new Repairs()
  const traces = parseTraces(bytes, { ...FORMAT, repairs })
  return { found: ids(traces), traces, repairs: repairs.list().map(({ code, count }) => [code, count]) }
}

describe('OTLP protobuf', () => {
  it('says what protobufjs says of the same bytes', () => {
    fc.assert(
      fc.property(messages, (message) => {
        fc.pre(!hasRepeatedKeys(message as never))
        const bytes = encodeTraces(message)
        expect(spansOf(bytes)).toEqual(sorted(decodedByLibrary(bytes)))
      }),
      { numRuns: 200 },
    )
  })

  it('says what the same spans say as JSON', () => {
    fc.assert(
      fc.property(modelTraces, (model) => {
        const spelling = { isSnake: false, isBase64: true, hasNumbers: false, hasEnumNames: false }
        const json = toOtlp(model, { ...spelling, isBatches: false, isOldScope: false })
        const traces = parseTraces(encodeTraces(JSON.parse(json)))
        expect(sorted(traces)).toEqual(sorted(parseTraces(json)))
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
        expect(toSpans(traces[0]!).sort(byId)).toEqual(expectedSpans(model).sort(byId))
      }),
    )
  })

  it('may be cut into chunks anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(messages, fc.integer({ min: 1, max: 40 }), async (message, size) => {
        const bytes = encodeTraces(message)
        expect(sorted(await readInPieces(bytes, size))).toEqual(spansOf(bytes))
      }),
    )
  })

  it('may end anywhere: spans before the end are found, and the break is told', async () => {
    const whole = field(1, join(resource, scope(span(1), span(2)), scope(span(3))))
    for (let length = 1; length < whole.length; length++) {
      const repairs = new Repairs()
      const traces = parseTraces(whole.slice(0, length), { ...FORMAT, repairs })
      expect(['01', '02', '03']).toEqual(expect.arrayContaining(ids(traces)))
      expect(repairs.list().map(({ code }) => code)).toEqual(['truncated_input'])
      expect(ids(await readInPieces(whole.slice(0, length), 7))).toEqual(ids(traces))
    }
    expect(parse(whole.slice(0, -1)).found).toEqual(['01', '02'])
    expect(parse(whole)).toMatchObject({ found: ['01', '02', '03'], repairs: [] })
  })

  it('may come as a delimited stream, with varints or four bytes for the lengths', async () => {
    const parts = [1, 2, 3].map((number) =>
      field(1, join(resource, scope(span(number, field(9, new Uint8Array(200)))))),
    )
    const streams = {
      varint: join(...parts.map((part) => join(varint(part.length), part))),
      fixed32: join(...parts.map((part) => join([0, 0, part.length >> 8, part.length & 255], part))),
      'empty messages between': join(...parts.map((part) => join(varint(part.length), part, [0]))),
    }
    for (const stream of Object.values(streams)) {
      expect(ids(parseTraces(stream))).toEqual(['01', '02', '03'])
      for (let size = 1; size < 40; size++) expect(ids(await readInPieces(stream, size))).toEqual(['01', '02', '03'])
      expect(parse(stream).repairs).toEqual([])
    }
  })

  it('reads resources and attributes in any order of fields, merged where they repeat', () => {
    const value = field(2, field(1, bytesOfText('cart')))
    const pod = field(
      1,
      field(1, join(field(1, bytesOfText('k8s.pod.name')), field(2, field(1, bytesOfText('cart-0'))))),
    )
    const late = field(1, field(1, join(value, field(1, bytesOfText('service.name')))))
    const { traces } = parse(field(1, join(pod, scope(span(1)), late)))
    expect(toSpans(traces[0]!)[0]).toMatchObject({ service: 'cart', instance: 'cart-0' })
  })

  it('takes the last of repeated fields, as protobuf says', () => {
    const twice = join(span(1), field(2, [0, 0, 0, 0, 0, 0, 1, 9]), [48, 2, 48, 3], field(5, bytesOfText('last')))
    const { traces } = parse(field(1, join(resource, scope(twice))))
    expect(toSpans(traces[0]!)[0]).toMatchObject({ id: '0000000000000109', operation: 'last', kind: 'client' })
  })

  it('lets a span without a parent follow from the first other span of its own trace that it links to', () => {
    const own = [...new Array(15).fill(7), 1]
    const link = (trace: readonly number[], number: number) =>
      field(13, join(field(1, trace), field(2, [0, 0, 0, 0, 0, 0, 1, number])))
    const follower = span(3, link(new Array(16).fill(9), 5), link(own, 3), link(own, 2), link(own, 1))
    const child = span(4, link(own, 2), field(4, [0, 0, 0, 0, 0, 0, 1, 1]))
    const { traces } = parse(field(1, join(resource, scope(span(1), span(2), follower, child))))
    const [, , third, fourth] = toSpans(traces[0]!)
    expect(third).toMatchObject({ parentId: '0000000000000102', reference: 'follows-from' })
    expect(fourth).toMatchObject({ parentId: '0000000000000101' })
    expect(fourth).not.toHaveProperty('reference')
    expect(traces[0]!.repairs.list()).toMatchObject([
      { code: 'self_parent', count: 1 },
      { code: 'several_parents', count: 1 },
      { code: 'several_roots', count: 1 },
    ])
  })

  it('keeps nanoseconds of 64 bits', () => {
    const nanoseconds = { startTimeUnixNano: '1661140399378397123', endTimeUnixNano: '1661140399378397456' }
    const message = { scopeSpans: [{ spans: [{ spanId: new Uint8Array(8).fill(1), ...nanoseconds }] }] }
    const [trace] = parseTraces(encodeTraces({ resourceSpans: [message] }))
    expect(trace!.originUnixNs).toBe(1_661_140_399_378_397_123n)
    expect(trace!.endNs[0]).toBe(333)
  })
})

describe('hostile OTLP protobuf', () => {
  const TEN_GIGABYTES = varint(10 * 2 ** 30)
  const rest = field(1, join(resource, scope(span(8))))
  const inScope = (...fields: (Uint8Array | readonly number[])[]): Uint8Array =>
    join(field(1, join(resource, field(2, join(field(2, span(1)), ...fields)))), rest)
  const inSpan = (...fields: (Uint8Array | readonly number[])[]): Uint8Array =>
    inScope(field(2, span(2, ...fields)), field(2, span(3)))
  const OVERRUN = new Array(11).fill(0xff)

  it.each<[string, Uint8Array, string[], [string, number][]]>([
    [
      'unknown fields of every type',
      inSpan(varint(80 * 8), [1], field(99, [1, 2]), [0xf1, 6], new Array(8).fill(3), [0xf5, 6, 0, 0, 0, 0]),
      ['01', '02', '03', '08'],
      [],
    ],
    ['groups, nested', inSpan([0xa3, 1, 0xab, 1, 8, 1, 0xac, 1, 0xa4, 1]), ['01', '02', '03', '08'], []],
    ['a million groups opened', inSpan(new Array(1_000_000).fill(0x0b)), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['a group closed that was not opened', inSpan([0xa4, 1]), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['10 GB claimed by a field of a span', inSpan([0x4a], TEN_GIGABYTES), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['a varint that does not end in a span', inSpan([48], OVERRUN), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['a varint cut by the end of its span', inSpan([48, 0x80]), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['a time cut by the end of its span', inSpan([57, 1, 2]), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['field number 0', inSpan([0, 0]), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['wire type 7', inSpan([0x0f]), ['01', '03', '08'], [['unreadable_span', 1]]],
    ['an id as a number', inSpan([16, 5]), ['01', '02', '03', '08'], []],
    ['a span without an id', inScope(field(2, field(5, [65]))), ['01', '08'], [['unreadable_span', 1]]],
    ['10 GB claimed by a span', inScope([0x12], TEN_GIGABYTES), ['01', '08'], [['unreadable_input', 1]]],
    [
      '10 GB claimed by an unknown field of a scope',
      inScope([0x2a], TEN_GIGABYTES),
      ['01', '08'],
      [['unreadable_input', 1]],
    ],
    ['a varint that does not end in a scope', inScope([48], OVERRUN), ['01', '08'], [['unreadable_input', 1]]],
    [
      '10 GB claimed by a resource',
      join(field(1, join(scope(span(1)), [0x0a], TEN_GIGABYTES)), rest),
      ['01', '08'],
      [['unreadable_input', 1]],
    ],
    [
      'a resource of nonsense',
      join(field(1, join(scope(span(1)), field(1, OVERRUN))), rest),
      ['01', '08'],
      [['unreadable_input', 1]],
    ],
    [
      '10 GB claimed by the first message',
      join([0x0a], TEN_GIGABYTES, resource, scope(span(1))),
      ['01'],
      [['truncated_input', 1]],
    ],
    [
      '10 GB claimed by the last message',
      join(rest, [0x0a], TEN_GIGABYTES, resource, scope(span(1))),
      ['08', '01'],
      [['truncated_input', 1]],
    ],
    ['10 GB claimed by an unknown field', join(rest, [0x2a], TEN_GIGABYTES, rest), ['08'], [['truncated_input', 1]]],
    [
      '2^64 − 1 bytes claimed',
      join(rest, [0x0a], new Array(9).fill(0xff), [1], resource, scope(span(1))),
      ['08', '01'],
      [['truncated_input', 1]],
    ],
    ['nonsense behind the last message', join(rest, OVERRUN), ['08'], [['unreadable_input', 1]]],
    ['nonsense alone', join(OVERRUN, rest), [], [['unreadable_input', 1]]],
    ['nothing', new Uint8Array(0), [], []],
  ])('%s', async (_, bytes, found, repairs) => {
    const whole = parse(bytes)
    expect([whole.found, whole.repairs]).toEqual([found, repairs])
    if (bytes.length < 10_000) expect(ids(await readInPieces(bytes, 3))).toEqual(found)
  })

  it('a frame whose length does not end is the last', async () => {
    const framed = join(varint(rest.length), rest, OVERRUN, varint(rest.length), rest)
    expect(parse(framed)).toMatchObject({ found: ['08'], repairs: [['unreadable_input', 1]] })
    expect(ids(await readInPieces(framed, 3))).toEqual(['08'])
  })

  it('a frame that claims 10 GB gives what it holds', () => {
    const framed = join(varint(rest.length), rest, TEN_GIGABYTES, field(1, join(resource, scope(span(1)))))
    expect(parse(framed)).toMatchObject({ found: ['08', '01'], repairs: [['truncated_input', 1]] })
  })

  it('never throws for bytes changed at random', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), (message, changes) => {
        const bytes = encodeTraces(message)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        for (const trace of parseTraces(bytes, FORMAT)) expect(trace.size).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
