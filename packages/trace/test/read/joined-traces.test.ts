import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JoinedTraces, Repairs, type Span, type Trace, type TraceInput, toSpans } from '../../src/index.js'
import {
  expectedSpans,
  type ModelTrace,
  modelTraces,
  otlpSpellings,
  toCsv,
  toJaeger,
  toOtlp,
  toZipkin,
} from './formats.js'

const byId = (spans: readonly Span[]): Span[] => [...spans].sort((a, b) => (a.id < b.id ? -1 : 1))

const input = (name: string, text: string): TraceInput => ({ name, open: () => text })

async function readAll(joined: JoinedTraces): Promise<{ traces: Trace[]; repairs: Repairs }> {
  const repairs = new Repairs()
  const traces: Trace[] = []
  for await (const trace of joined.read({ repairs })) {
    traces.push(trace)
    repairs.merge(trace.repairs)
  }
  return { traces, repairs }
}

const model = (traceId: string, ...ids: string[]): ModelTrace => ({
  traceId,
  spans: ids.map((id, i) => ({
    id,
    parentId: i === 0 ? '' : ids[0]!,
    service: `service ${id}`,
    operation: 'get',
    startUs: 1_700_000_000_000_000 + i,
    durationUs: 100 - i,
    kind: 'server',
    isError: false,
  })),
})
const jaegerOf = (...models: ModelTrace[]): string => models.map((one) => JSON.stringify(toJaeger(one))).join('\n')

describe('inputs read as one', () => {
  it('give a trace of which each holds a part as if it had come whole, whatever formats they have', async () => {
    const files = fc.array(fc.constantFrom('jaeger', 'otlp', 'zipkin'), { minLength: 1, maxLength: 3 })
    const table = fc.boolean()
    await fc.assert(
      fc.asyncProperty(modelTraces, files, table, otlpSpellings, async (whole, formats, isTable, spelling) => {
        const write = {
          jaeger: (part: ModelTrace) => JSON.stringify({ data: [toJaeger(part)] }),
          otlp: (part: ModelTrace) => toOtlp(part, spelling),
          zipkin: (part: ModelTrace) => JSON.stringify(toZipkin(part)),
        }
        const parts = [...formats, 'first'].map((_, at, all) => ({
          traceId: whole.traceId,
          spans: whole.spans.filter((_, i) => (i === 0 ? all.length - 1 : i % all.length) === at),
        }))
        const root = parts.pop()!
        const texts = [
          isTable ? toCsv([root]) : write.jaeger(root),
          ...formats.map((name, i) => write[name as 'otlp'](parts[i]!)),
        ]
        const { traces, repairs } = await readAll(new JoinedTraces(texts.map((text, i) => input(`${i}`, text))))
        const spans = isTable ? [] : expectedSpans(whole)
        if (!isTable) expect(traces.map((trace) => byId(toSpans(trace)))).toEqual([byId(spans)])
        else expect(traces.map(({ size }) => size)).toEqual([whole.spans.length])
        const allowed = ['several_roots', 'empty_input']
        expect(repairs.list().filter(({ code }) => !allowed.includes(code))).toEqual([])
      }),
    )
  })

  it('join what lies in several places of one of them', async () => {
    const text = `${jaegerOf(model('a', 'r', 'x'))}\n${jaegerOf(model('a', 'r', 'y'))}`
    const { traces } = await readAll(new JoinedTraces([input('1', text), input('2', jaegerOf(model('b', 'r')))]))
    expect(traces.map(({ traceId, size }) => [traceId, size])).toEqual([
      ['b', 1],
      ['a', 3],
    ])
  })

  it('count spans that come twice once, and say so', async () => {
    const file = jaegerOf(model('a', 'r', 'x'), model('b', 'r'))
    const { traces, repairs } = await readAll(new JoinedTraces([input('1', file), input('2', file)]))
    expect(traces.map(({ traceId, size }) => [traceId, size])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(repairs.list()).toMatchObject([{ code: 'duplicate_span', count: 3 }])
  })

  it('separate the halves of a Zipkin call that lie in different files', async () => {
    const half = (kind: string, serviceName: string, timestamp: number, further = {}) =>
      JSON.stringify([
        {
          traceId: 't',
          id: 'c',
          parentId: 'r',
          kind,
          timestamp,
          duration: 10,
          localEndpoint: { serviceName },
          ...further,
        },
      ])
    const client = half('CLIENT', 'front', 100)
    const server = half('SERVER', 'back', 102, { shared: true, duration: 5 })
    const { traces, repairs } = await readAll(new JoinedTraces([input('front', client), input('back', server)]))
    expect(traces.map((trace) => toSpans(trace).map(({ id, parentId }) => [id, parentId]))).toEqual([
      [
        ['c', undefined],
        ['c_server', 'c'],
      ],
    ])
    expect(repairs.count('shared_span')).toBe(1)
  })

  it('keep what the readers mended in each part', async () => {
    const parts = ['1', '2'].map((name) =>
      input(name, JSON.stringify({ ...toJaeger(model('a', 'r', name)), processes: {} })),
    )
    const { traces } = await readAll(new JoinedTraces(parts))
    expect(traces[0]!.repairs.count('unknown_process')).toBe(4)
  })

  it('hold back only traces that lie in several places', async () => {
    const seen: string[] = []
    const noting = (name: string, text: string): TraceInput => ({
      name,
      async *open() {
        seen.push(`open ${name}`)
        yield new TextEncoder().encode(text)
      },
    })
    const joined = new JoinedTraces([
      noting('1', jaegerOf(model('a', 'r'), model('b', 'r'))),
      noting('2', jaegerOf(model('b', 'r', 'x'), model('c', 'r'))),
    ])
    for await (const { traceId } of joined.read()) seen.push(traceId)
    expect(seen).toEqual(['open 1', 'open 2', 'open 1', 'a', 'open 2', 'c', 'b'])
    seen.length = 0
    for await (const { traceId } of joined.read()) seen.push(traceId)
    expect(seen).toEqual(['open 1', 'a', 'open 2', 'c', 'b'])
  })

  it('are read once if there is only one', async () => {
    let opened = 0
    const one = {
      name: 'one',
      open: () => {
        opened++
        return jaegerOf(model('a', 'r'), model('b', 'r'))
      },
    }
    expect((await readAll(new JoinedTraces([one]))).traces).toHaveLength(2)
    expect(opened).toBe(1)
  })

  it('say which of them holds nothing', async () => {
    const inputs = [input('full', jaegerOf(model('a', 'r'))), input('empty.json', '{"data":[]}')]
    const { repairs } = await readAll(new JoinedTraces(inputs))
    expect(repairs.list()).toMatchObject([{ code: 'empty_input', count: 1, examples: ['empty.json'] }])
  })

  it('say which of them is wrong', async () => {
    const inputs = [input('full', jaegerOf(model('a', 'r'))), input('odd', 'once upon a time')]
    await expect(readAll(new JoinedTraces(inputs))).rejects.toMatchObject({
      code: 'trace_format_unknown',
      message: expect.stringMatching(/^odd: the input cannot be read as traces/),
    })
  })

  it('hold no more than the limits', async () => {
    const many = Array.from({ length: 50 }, (_, i) => model(`trace ${i}`, 'r', 'x'))
    const twice = [input('1', jaegerOf(...many)), input('2', jaegerOf(...many))]
    const read = (limits: object) => readAll(new JoinedTraces(twice, { limits }))
    await expect(read({ maxSpans: 199 })).rejects.toThrow(
      /2: .*more than 199 spans must be held at once; raise maxSpans/,
    )
    expect((await read({ maxSpans: 200 })).traces).toHaveLength(50)
    const ids = many.reduce((sum, { traceId }) => sum + 2 * traceId.length + 64, 0)
    await expect(read({ maxTextBytes: ids - 1 })).rejects.toThrow(/raise maxTextBytes/)
  })

  it('end with the reason of a signal, and can be read again', async () => {
    const joined = new JoinedTraces([input('1', jaegerOf(model('a', 'r'))), input('2', jaegerOf(model('b', 'r')))])
    const reason = new Error('enough')
    const aborted = async () => {
      for await (const _ of joined.read({ signal: AbortSignal.abort(reason) })) expect.unreachable()
    }
    await expect(aborted()).rejects.toBe(reason)
    expect((await readAll(joined)).traces).toHaveLength(2)
  })
})
