import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { parseTraces, Repairs, readSpanTable, readTraces, type Trace, toSpans } from '../../src/index.js'

const HEADER = 'trace,span,parent,service,operation,start_us,duration_us'

async function labelsOf(table: string): Promise<[string, Readonly<Record<string, string>>][]> {
  const found: [string, Readonly<Record<string, string>>][] = []
  for await (const { trace, labels } of readSpanTable(table)) found.push([trace.traceId, labels])
  return found
}

describe('a span table', () => {
  it('gives spans, with parents that are empty or −1 as none', () => {
    const [trace] = parseTraces(
      `${HEADER}\nt,0,-1,front,"get, ""all""",0,100\nt,1,0,cart,read,10,20.5\nt,2,,cart,late,50,`,
    )
    expect(toSpans(trace!)).toEqual([
      {
        id: '0',
        traceId: 't',
        service: 'front',
        operation: 'get, "all"',
        startUs: 0,
        durationUs: 100,
        kind: 'internal',
      },
      {
        id: '1',
        traceId: 't',
        parentId: '0',
        service: 'cart',
        operation: 'read',
        startUs: 10,
        durationUs: 20.5,
        kind: 'internal',
      },
      { id: '2', traceId: 't', service: 'cart', operation: 'late', startUs: 50, durationUs: 0, kind: 'internal' },
    ])
    expect(trace!.repairs.list().map(({ code }) => code)).toEqual(['missing_end', 'several_roots'])
  })

  it('counts starts from the start of the trace, whichever row has it', () => {
    const rows = ['a,0,-1,s,o,5,10,', 'a,1,0,s,o,7,1,1661140399378397', 'b,0,-1,s,o,5,10,']
    const traces = parseTraces(`${HEADER},trace_start_unix_us\n${rows.join('\n')}`)
    expect(traces.map(({ originUnixNs }) => originUnixNs)).toEqual([1661140399378402000n, 5000n])
    expect(Array.from(traces[0]!.endNs)).toEqual([10000, 3000])
  })

  it('may have kinds, references, instances, hosts and errors', () => {
    const [trace] = parseTraces(
      `kind,reference,instance,host,error,${HEADER}\nSERVER,follows-from,i,h,true,t,0,-1,s,o,0,1\n`,
    )
    expect(toSpans(trace!)).toMatchObject([
      { kind: 'server', reference: 'follows-from', instance: 'i', host: 'h', isError: true },
    ])
  })

  it('gives further columns as labels of the trace, in any order of columns, with any line ends', async () => {
    const table = `﻿window,${HEADER},"fault ""id"""\r\nfault,t,0,-1,s,o,0,1,00\r\n\r\nfault,t,1,0,s,o,0,1,00\r\nnormal,u,0,-1,s,"o\r\no",0,1,"N,23"`
    expect(await labelsOf(table)).toEqual([
      ['t', { window: 'fault', 'fault "id"': '00' }],
      ['u', { window: 'normal', 'fault "id"': 'N,23' }],
    ])
  })

  it('puts traces together whose rows are mixed, and gives out traces on the way when they are not', async () => {
    const rows = (order: (i: number) => number) =>
      Array.from({ length: 100_000 }, (_, i) => `t${order(i)},${i},-1,s,o,0,1`)
    const mixed = parseTraces([HEADER, ...rows((i) => i % 7)].join('\n'))
    expect(mixed.map(({ size }) => size)).toEqual([14286, 14286, 14286, 14286, 14286, 14285, 14285])
    let rowsLeft = 0
    const chunks = function* () {
      const encoder = new TextEncoder()
      yield encoder.encode(`${HEADER}\n`)
      for (const row of rows((i) => Math.floor(i / 1000))) {
        rowsLeft++
        yield encoder.encode(`${row}\n`)
      }
    }
    const seen: number[] = []
    for await (const { size } of readTraces(chunks())) seen.push(size === 1000 ? rowsLeft : Number.NaN)
    expect(seen.length).toBe(100)
    expect(seen[0]).toBeLessThan(40_000)
  })

  it('reports rows that are too short, and the one that breaks off', () => {
    const repairs = new Repairs()
    const traces = parseTraces(`${HEADER}\nt,0,-1,s,o,0,1\nt,1\nt,2,0,s,o,0,1\nt,3,0,"s`, { repairs })
    expect(traces.map(({ size }) => size)).toEqual([2])
    expect(repairs.list().map(({ code, count }) => [code, count])).toEqual([
      ['unreadable_span', 1],
      ['truncated_input', 1],
    ])
  })

  it('reports times that are none in their trace', () => {
    const [trace] = parseTraces(`${HEADER}\nt,0,-1,s,o,0,1\nt,1,0,s,o,soon,1\nt,2,0,s,o,1,long`)
    expect([trace!.size, trace!.repairs.count('time_invalid')]).toEqual([1, 2])
  })

  it('reads fractions of a µs in the start of a trace, rounded to ns, and refuses what is no time', () => {
    const head = 'trace,span,parent,service,operation,trace_start_unix_us,start_us,duration_us'
    const read = (start: string) => parseTraces(`${head}\nt,0,-1,a,b,${start},0.75,10`)
    expect(read('0.0005')[0]!.originUnixNs).toBe(751n) // half a ns, and it is rounded up
    expect(read('1700000000000000.25')[0]!.originUnixNs).toBe(1_700_000_000_000_001_000n)
    for (const start of ['1e300', 'soon', 'Infinity']) expect(read(start), start).toEqual([])
  })

  it('names the columns it lacks', () => {
    const table = 'trace,span,parent,operation,start\n1,2,3,4,5'
    expect(() => parseTraces(table)).toThrow(
      /lacks the columns service, start_us, duration_us; it has trace, span, parent, operation, start/,
    )
    expect(() => parseTraces(table, { format: 'csv' })).toThrow(
      expect.objectContaining({ code: 'trace_format_unknown' }),
    )
  })
})

const data = new URL('../../../../../shared/data/traces/', import.meta.url)

describe('the Nezha tables', () => {
  if (!existsSync(data)) {
    notChecked('the Nezha span tables', '../shared/data')
    return
  }

  /** README of the data: rows, and traces with a root and all parents present. */
  for (const [system, spans] of [
    ['ob', 49_029],
    ['tt', 69_436],
  ] as const) {
    it(`${system}: every row is used, groups by fault and window`, async () => {
      const repairs = new Repairs()
      const groups = new Set<string>()
      let size = 0
      for await (const { trace, labels } of readSpanTable(readFileSync(new URL(`nezha_${system}_spans.csv.gz`, data)), {
        repairs,
      })) {
        size += trace.size
        groups.add(`${labels.fault_id}/${labels.window}`)
        repairs.merge(trace.repairs)
        expect(trace.parent[trace.root]).toBe(-1)
      }
      expect(size).toBe(spans)
      expect(repairs.list()).toEqual([])
      expect(groups.has('00/fault')).toBe(true)
    })

    it(`${system}: the traces that are also in the Jaeger file are the same, to the µs that one of them was rounded`, async () => {
      const keyOf = ({ originUnixNs, size }: Trace) => `${originUnixNs}/${size}`
      const structureOf = ({ parent, operation, service, names }: Trace) =>
        Array.from(parent.keys(), (row) => [parent[row], names.text(operation[row]!), names.text(service[row]!)])
      const table = new Map<string, Trace>()
      const read = (file: string) => readTraces(readFileSync(new URL(`nezha_${system}_${file}`, data)))
      for await (const trace of read('spans.csv.gz')) table.set(keyOf(trace), trace)
      for await (const trace of read('jaeger.json.gz')) {
        const same = table.get(keyOf(trace))!
        expect(structureOf(trace)).toEqual(structureOf(same))
        for (const times of ['startNs', 'endNs'] as const) {
          const off = trace[times].map((ns, row) => Math.abs(ns - same[times][row]!))
          expect(Math.max(...off)).toBeLessThanOrEqual(1000)
        }
      }
    })
  }
})
