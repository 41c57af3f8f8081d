import { createCore } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { requestTraces, WRITERS } from '../../../../test/traces/index.mjs'
import { LiveTraces, parseTraces, type Trace, toSpans } from '../../src/index.js'

const core = await createCore()
const FORMATS = ['otlp-json', 'otlp-protobuf'] as const
interface Generated {
  readonly service: string
}

const generated = (traces: number, seed = 1): Generated[][] => [
  ...requestTraces(core, { traces, spans: 30, seed, slow: undefined }),
]
const encode = (format: (typeof FORMATS)[number], traces: unknown): Uint8Array => {
  const write = WRITERS[format] as (traces: unknown) => Iterable<string | Uint8Array>
  return Buffer.concat(Array.from(write(traces), (part) => Buffer.from(part as string)))
}
/** Traces as a set of spans, whatever order they came in. */
const contentOf = (traces: readonly Trace[]): unknown =>
  traces
    .map((trace) => toSpans(trace).sort((a, b) => (a.id < b.id ? -1 : 1)))
    .sort((a, b) => (a[0]!.traceId! < b[0]!.traceId! ? -1 : 1))

describe.each(FORMATS)('live traces out of %s', (format) => {
  /** Every service exports its own spans: a trace comes in as many batches. */
  const batchesOf = (traces: readonly (readonly Generated[])[]): Uint8Array[] => {
    const services = new Set<string>(traces.flatMap((spans) => spans.map((span) => span.service)))
    return [...services].map((service) =>
      encode(
        format,
        traces.map((spans) => spans.filter((span) => span.service === service)).filter((spans) => spans.length > 0),
      ),
    )
  }

  it('joins what comes in many batches, over sweeps, into the traces that a file of all spans holds', () => {
    const traces = generated(20)
    const live = new LiveTraces()
    const batches = batchesOf(traces)
    const half = Math.ceil(batches.length / 2)
    for (const batch of batches.slice(0, half)) live.add(batch, format)
    const given = live.sweep()
    expect(given).toEqual([])
    for (const batch of batches.slice(half)) live.add(batch, format)
    given.push(...live.sweep(), ...live.sweep())
    expect(given.length).toBe(20)
    expect(contentOf(given)).toEqual(contentOf(parseTraces(encode(format, traces), { format })))
    expect(live.size).toBe(0)
  })

  it('gives a trace out once nothing of it came between two sweeps, not before', () => {
    const [one, two] = generated(2)
    const live = new LiveTraces()
    live.add(encode(format, [one]), format)
    expect(live.sweep()).toEqual([])
    live.add(encode(format, [two]), format)
    expect(live.sweep().length).toBe(1)
    expect(live.sweep().length).toBe(1)
  })

  it('takes nothing of a batch that breaks off, wherever it does', () => {
    const live = new LiveTraces()
    const whole = encode(format, generated(1))
    for (let cut = 1; cut < whole.length; cut += Math.ceil(whole.length / 97)) {
      expect(() => live.add(whole.subarray(0, cut), format), `cut at ${cut}`).toThrow(/no ExportTraceServiceRequest/)
    }
    expect(live.size).toBe(0)
    expect(live.finish()).toEqual([])
  })

  it('is full when as many spans grow as it may hold, until a sweep, though no trace was quiet', () => {
    const live = new LiveTraces({ maxSpans: 10 })
    const batch = encode(format, generated(1))
    for (let again = 0; again < 3; again++) {
      live.add(batch, format)
      expect(live.isFull).toBe(true)
      expect(live.sweep().length).toBe(1)
      expect(live.isFull).toBe(false)
    }
  })
})

describe('live traces', () => {
  it('counts a span that cannot be read and takes the others', () => {
    const good = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'x',
      startTimeUnixNano: '1',
      endTimeUnixNano: '2',
    }
    const batch = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'no id' }, good] }] }] }
    const tally = new LiveTraces().add(Buffer.from(JSON.stringify(batch)), 'otlp-json')
    expect(tally).toMatchObject({ spans: 1, rejected: 1 })
  })

  it('does not take a stream of messages for one', () => {
    const message = encode('otlp-protobuf', generated(1))
    const prefix = Buffer.alloc(4)
    prefix.writeUInt32BE(message.length)
    expect(() => new LiveTraces().add(Buffer.concat([prefix, message]), 'otlp-protobuf')).toThrow(
      /ExportTraceServiceRequest/,
    )
  })

  it('refuses a room of no spans', () => {
    expect(() => new LiveTraces({ maxSpans: 0 })).toThrow(/maxSpans must be a whole number above 0, got 0/)
  })
})
