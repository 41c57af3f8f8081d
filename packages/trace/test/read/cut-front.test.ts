import { describe, expect, it } from 'vitest'
import { parseTraces, Repairs, readTraces } from '../../src/index.js'
import { type ModelTrace, toJaeger, toOtlp, toZipkin } from './formats.js'

const model = (number: number): ModelTrace => ({
  traceId: `${number}`.padStart(32, 'a'),
  spans: ['front', 'back'].map((service, i) => ({
    id: `${number}${i}`.padStart(16, 'b'),
    parentId: i === 0 ? '' : `${number}0`.padStart(16, 'b'),
    service,
    operation: 'load "it"',
    startUs: 1_700_000_000_000_000 + 10 * i,
    durationUs: 100 - 50 * i,
    kind: 'server',
    isError: i === 1,
  })),
})
const SPELLING = {
  isSnake: false,
  isBase64: false,
  hasNumbers: false,
  hasEnumNames: false,
  isBatches: false,
  isOldScope: false,
}

const WRITERS: Record<string, (trace: ModelTrace) => string> = {
  'Jaeger, a trace a line': (trace) => JSON.stringify(toJaeger(trace)),
  'Jaeger, an answer a line': (trace) => JSON.stringify({ data: [toJaeger(trace)] }),
  'OTLP, an export a line': (trace) => toOtlp(trace, SPELLING),
  'OTLP in snake case': (trace) => toOtlp(trace, { ...SPELLING, isSnake: true, hasNumbers: true }),
  'Zipkin, a trace a line': (trace) => JSON.stringify(toZipkin(trace)),
  'Zipkin, a span a line': (trace) =>
    toZipkin(trace)
      .map((span) => JSON.stringify(span))
      .join('\n'),
}

describe('a file cut at its front is read from the first whole line on, wherever it was cut', () => {
  it.each(Object.entries(WRITERS))('%s', (_, write) => {
    const [first, ...others] = [1, 2, 3].map(model)
    const head = new TextEncoder().encode(write(first!))
    const rest = `\n${others.map(write).join('\n')}\n`
    const cutLine = head.lastIndexOf(0x0a) + 1 // whole lines before it are read
    for (let from = cutLine + 1; from < head.length; from++) {
      const repairs = new Repairs()
      const text = new TextDecoder().decode(head.subarray(from)) + rest
      const traces = parseTraces(text, { repairs })
      const told = repairs.total + traces.reduce((sum, trace) => sum + trace.repairs.total, 0)
      const sizes = others.map(({ traceId }) => traces.find((trace) => trace.traceId === traceId)?.size)
      expect({ from, sizes, isTold: told > 0 }).toEqual({ from, sizes: [2, 2], isTold: true })
    }
  })
})

it('the cut line is reported with its place, once', () => {
  const repairs = new Repairs()
  parseTraces(`"name":"cut away"}]}]}]}\n${WRITERS['OTLP, an export a line']!(model(1))}`, { repairs })
  expect(repairs.list()).toMatchObject([
    { code: 'truncated_input', count: 1, examples: ['byte 0: the first line is cut at its front'] },
  ])
})

it('text without a line of JSON is refused, from streams before it is held whole', async () => {
  const endless = async function* () {
    for (;;) yield new TextEncoder().encode(`${'once upon a time '.repeat(1000)}\n`)
  }
  const read = async () => {
    for await (const _ of readTraces(endless())) break
  }
  await expect(read()).rejects.toMatchObject({ code: 'trace_format_unknown' })
})
