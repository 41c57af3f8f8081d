import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  FOLLOWS_FROM,
  KINDS,
  type SpanRow,
  type Trace,
  TraceBuilder,
  toSpans,
  traceFromSpans,
  tracesFromSpans,
} from '../../src/index.js'
import { assembleSlowly, type TwinTrace } from './twin.js'

const EPOCH_US = 1_661_140_399_378_397

const ids = fc.constantFrom(
  'a',
  'b',
  'c',
  'A',
  'a_1',
  'b_2',
  '0',
  '00',
  '1a',
  '01a',
  '000000000000001a',
  'ü',
  'a name longer than any number',
)
const starts = fc.oneof(
  fc.nat(20),
  fc.integer({ min: -5, max: 5 }).map((us) => EPOCH_US + us),
  fc.constantFrom(Number.NaN, 2 ** 60, 0),
)

const rows: fc.Arbitrary<SpanRow> = fc
  .record(
    {
      id: fc.oneof({ weight: 20, arbitrary: ids }, { weight: 1, arbitrary: fc.constant('') }),
      parentId: fc.oneof(ids, fc.constantFrom('', '0000', 'absent')),
      service: fc.constantFrom('x', 'y'),
      operation: fc.constantFrom('p', 'q'),
      startUs: starts,
      startNs: fc.nat(999),
      length: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: -2, max: 20 }) },
        { weight: 2, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 2 ** 50) },
      ),
      endNs: fc.nat(999),
      kind: fc.constantFrom(...KINDS),
      isFollowsFrom: fc.boolean(),
      isError: fc.boolean(),
      instance: fc.constantFrom('pod-1', 'pod-2'),
      host: fc.constantFrom('node-1'),
    },
    { requiredKeys: ['id', 'service', 'operation', 'startUs', 'length'] },
  )
  .map(({ length, ...row }) => ({ ...row, endUs: row.startUs + length }))

/** Mostly alike, so that copies and near copies meet. */
const traces = fc
  .array(rows, { maxLength: 14 })
  .chain((list) => fc.tuple(fc.constant(list), fc.subarray(list)).map(([all, again]) => [...all, ...again]))

function assemble(list: readonly SpanRow[]): { trace: Trace | undefined; repairs: object } {
  const builder = new TraceBuilder()
  for (const row of list) builder.add(row)
  const [trace] = builder.finish()
  const counts = (trace?.repairs ?? builder.repairs).list().map(({ code, count }) => [code, count])
  return { trace, repairs: Object.fromEntries(counts) }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

/** Times since the root's start; too far from it doubles are not exact. */
const timesOf = (start: bigint, end: bigint): object => (start ** 2n < 2n ** 106n ? { start, end } : { start: 'far' })

/** A trace without the order of its rows. */
function contentOf(trace: Trace | undefined): object {
  if (!trace) return { root: undefined, origin: undefined, spans: [] }
  const { names } = trace
  const spans = Array.from(trace.startNs, (startNs, row) => ({
    id: trace.spanId(row),
    parent: trace.parent[row]! < 0 ? undefined : trace.spanId(trace.parent[row]!),
    ...timesOf(BigInt(startNs), BigInt(trace.endNs[row]!)),
    service: names.text(trace.service[row]!),
    operation: names.text(trace.operation[row]!),
    instance: names.text(trace.instance[row]!),
    host: names.text(trace.host[row]!),
    kind: KINDS[trace.kind[row]!],
    flags: trace.flags[row],
  }))
  return { root: trace.spanId(trace.root), origin: trace.originUnixNs, spans: spans.sort(byId) }
}

function contentOfTwin({ root, spans }: TwinTrace): object {
  const plain = spans.map(({ id, row, parent, start, end }) => ({
    id,
    parent: parent?.id,
    ...timesOf(start - root!.start, end! - root!.start),
    service: row.service,
    operation: row.operation,
    instance: row.instance ?? '',
    host: row.host ?? '',
    kind: row.kind ?? 'internal',
    flags: (row.isFollowsFrom ? FOLLOWS_FROM : 0) + (row.isError ? 2 : 0),
  }))
  return { root: root?.id, origin: root?.start, spans: plain.sort(byId) }
}

describe('TraceBuilder', () => {
  it('assembles as a slow twin does, and counts the same repairs', () => {
    fc.assert(
      fc.property(traces, (list) => {
        const twin = assembleSlowly(list)
        const { trace, repairs } = assemble(list)
        expect(contentOf(trace)).toEqual(contentOfTwin(twin))
        expect(repairs).toEqual(twin.counts)
      }),
      { numRuns: 3000 },
    )
  })

  it('answers the same in whatever order spans come', () => {
    fc.assert(
      fc.property(
        traces.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const one = assemble(list)
          const other = assemble(shuffled)
          expect(contentOf(other.trace)).toEqual(contentOf(one.trace))
          expect(other.repairs).toEqual(one.repairs)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('keeps traces apart that come mixed, first met first', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), rows), { maxLength: 40 }), (mixed) => {
        const builder = new TraceBuilder()
        for (const [trace, row] of mixed) builder.add({ ...row, traceId: `trace ${trace}` })
        const found = builder.finish()
        const order = [...new Set(mixed.map(([trace]) => trace))]
        const apart = order.map((number) => assemble(mixed.filter(([trace]) => trace === number).map(([, row]) => row)))
        const usable = order.filter((_, i) => apart[i]!.trace)
        expect(found.map(({ traceId }) => traceId)).toEqual(usable.map((number) => `trace ${number}`))
        expect(found.map(contentOf)).toEqual(apart.filter(({ trace }) => trace).map(({ trace }) => contentOf(trace)))
      }),
      { numRuns: 300 },
    )
  })

  it('can be filled again after it has given out its traces', () => {
    const builder = new TraceBuilder()
    const row = { service: 's', operation: 'o', startUs: 1, endUs: 2 }
    for (const id of ['a', 'not a number', 'b']) {
      builder.add({ ...row, traceId: 't', id, parentId: 'a' })
      const [trace, ...others] = builder.finish()
      expect([trace!.spanId(0), trace!.traceId, others]).toEqual([id, 't', []])
    }
    expect(builder.finish()).toEqual([])
  })

  it('gives ids back as they were written', () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 20 })
    const anyId = fc.oneof(
      hex,
      hex.map((id) => id.toUpperCase()),
      fc.string({ minLength: 1 }),
      fc.string({ unit: 'binary', minLength: 1 }),
    )
    fc.assert(
      fc.property(fc.uniqueArray(anyId, { minLength: 1 }), (list) => {
        const builder = new TraceBuilder()
        for (const id of list) builder.add({ id, service: 's', operation: 'o', startUs: 0, endUs: 1 })
        const [trace] = builder.finish()
        expect(list.map((_, row) => trace!.spanId(row))).toEqual(list)
        expect(trace!.repairs.count('duplicate_id')).toBe(0)
      }),
    )
  })

  it('reads an id from text, bytes and binary alike', () => {
    const wellFormed = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        fc.oneof(
          wellFormed,
          fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex')),
        ),
        (id) => {
          const { columns, traceIds } = new TraceBuilder()
          const row = columns.push()
          const bytes = new TextEncoder().encode(` ${id} `)
          columns.id.setText(row, id)
          columns.parent.setBytes(row, bytes, 1, bytes.length - 1)
          expect(columns.parent.text(row)).toBe(id)
          expect(columns.id.text(row)).toBe(id)
          expect([columns.parent.high[row], columns.parent.low[row], columns.parent.form[row]]).toEqual([
            columns.id.high[row],
            columns.id.low[row],
            columns.id.form[row],
          ])
          expect(traceIds.ofBytes(bytes, 1, bytes.length - 1)).toBe(traceIds.ofText(id))
          if (!/^([0-9a-f]{2})*$/.test(id)) return
          const binary = Buffer.from(id, 'hex')
          columns.id.setBinary(row, binary, 0, binary.length)
          expect(columns.id.text(row)).toBe(id)
          expect(traceIds.ofBinary(binary, 0, binary.length)).toBe(traceIds.ofText(id))
        },
      ),
    )
  })

  it('keeps 64 bits of nanoseconds', () => {
    const words = (value: bigint): [number, number] => [Number(value >> 32n), Number(value & 0xffffffffn)]
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 2n ** 54n), fc.bigInt(0n, 2n ** 52n), (start, length) => {
        fc.pre(start + length < 9_007_199_254_740_991_000n)
        const { columns } = new TraceBuilder()
        const row = columns.push()
        columns.setStartWords(row, ...words(start))
        columns.setEndWords(row, ...words(start + length))
        expect([columns.startUs[row], columns.startNs[row]]).toEqual([Number(start / 1000n), Number(start % 1000n)])
        expect([columns.endUs[row], columns.endNs[row]]).toEqual([
          Number((start + length) / 1000n),
          Number((start + length) % 1000n),
        ])
      }),
    )
  })

  it('needs no more than linear time for ids chosen to collide', () => {
    // The hash is public: `high` undoes what it makes of `low`, so all ids fall on one place of the first table.
    const builder = new TraceBuilder()
    const { columns, traceIds, names } = builder
    const size = 200_000
    for (let number = 0; number < size; number++) {
      const row = columns.push()
      const mixed = Math.imul(number, 0x9e3779b1)
      columns.trace[row] = traceIds.ofText('')
      columns.id.low[row] = number
      columns.id.high[row] = -(mixed ^ (mixed >>> 15))
      columns.id.form[row] = 16
      columns.service[row] = names.number('s')
      columns.operation[row] = names.number('o')
      columns.setStartUs(row, number)
      columns.setDurationUs(row, 1)
    }
    const [trace] = builder.finish()
    expect(trace!.size).toBe(size)
  })
})

describe('traceFromSpans', () => {
  const span = (id: string, further: object = {}) => ({
    id,
    service: 's',
    operation: 'o',
    startUs: 10,
    durationUs: 5,
    ...further,
  })

  it('gives spans back as they were', () => {
    const spans = [
      { ...span('root'), traceId: 't', kind: 'server' as const },
      {
        ...span('child'),
        traceId: 't',
        parentId: 'root',
        startUs: 10.125,
        durationUs: 0.001,
        kind: 'client' as const,
        instance: 'pod',
        host: 'node',
        isError: true,
        reference: 'follows-from' as const,
      },
    ]
    expect(toSpans(traceFromSpans(spans))).toEqual(spans)
  })

  it('adds lengths as people do: 0.1 + 0.2 µs end where 0.3 µs start', () => {
    const trace = traceFromSpans([
      span('a', { startUs: 0, durationUs: 1 }),
      span('b', { parentId: 'a', startUs: 0.1, durationUs: 0.2 }),
      span('c', { parentId: 'a', startUs: 0.3, durationUs: 0.7 }),
    ])
    expect(trace.endNs[1]).toBe(trace.startNs[2])
    expect(trace.endNs[2]).toBe(trace.endNs[0])
  })

  it('takes zero for a time', () => {
    const trace = traceFromSpans([span('a', { startUs: 0 }), span('b', { parentId: 'a', startUs: 0, durationUs: 0 })])
    expect([trace.originUnixNs, ...trace.startNs, ...trace.endNs, trace.repairs.total]).toEqual([0n, 0, 0, 5000, 0, 0])
  })

  it('takes ids that are numbers, and spans that lack what they need, from callers without types', () => {
    const loose = [
      { id: 0, service: 's', operation: 'o', startUs: 0, durationUs: 9 },
      { id: 1, parentId: 0, service: 's', operation: 'o', startUs: 1, durationUs: 2 },
      { parentId: 1, startUs: 1 },
      {},
    ]
    const trace = traceFromSpans(loose as never)
    expect(toSpans(trace).map(({ id, parentId }) => [id, parentId])).toEqual([
      ['0', undefined],
      ['1', '0'],
    ])
    expect(trace.repairs.list()).toMatchObject([{ code: 'unreadable_span', count: 2 }])
  })

  it('counts a span without trace id to the trace of the others', () => {
    expect(traceFromSpans([span('a', { traceId: 't' }), span('b', { parentId: 'a' })])).toMatchObject({
      traceId: 't',
      size: 2,
    })
  })

  it('refuses spans of several traces, which tracesFromSpans() takes', () => {
    const spans = [span('a', { traceId: 't' }), span('b', { traceId: 'u' })]
    expect(() => traceFromSpans(spans)).toThrow(expect.objectContaining({ code: 'trace_several' }))
    expect(tracesFromSpans(spans).map(({ traceId }) => traceId)).toEqual(['t', 'u'])
  })

  it('refuses what holds no span, and says why', () => {
    expect(() => traceFromSpans([])).toThrow(expect.objectContaining({ code: 'trace_empty' }))
    expect(() => traceFromSpans([span('a', { startUs: Number.NaN })])).toThrow(
      /none of 1 spans can be used \(time_invalid: 1\)/,
    )
  })
})
