import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { parseTraces, toSpans } from '@trimtab/trace'
import protobuf from 'protobufjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Collector, type CollectorOptions } from '../../src/collect.js'
import { batchOf, JSON_TYPE, PROTOBUF_TYPE, send } from './send.js'

let folder: string
let collector: Collector
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-collect-'))
})
afterEach(async () => {
  await collector.close()
  rmSync(folder, { recursive: true })
})

async function start(options: Partial<CollectorOptions> = {}): Promise<number> {
  collector = await Collector.start({ port: 0, folder, sweepSeconds: 0.05, ...options })
  return collector.port
}

/** All spans in the folder's files, once they are finished, and whether they were read without a repair. */
async function filed(): Promise<{ names: string[]; repairs: number }> {
  await collector.close()
  const traces = readdirSync(folder).flatMap((file) => parseTraces(readFileSync(join(folder, file))))
  return {
    names: traces.flatMap((trace) => toSpans(trace).map(({ operation }) => operation)).sort(),
    repairs: traces.reduce((sum, { repairs }) => sum + repairs.total, 0),
  }
}

const EXPORTERS: readonly [string, (url: string) => SpanExporter][] = [
  ['JSON, gzip', (url) => new JsonExporter({ url, compression: 'gzip' as never })],
  ['JSON', (url) => new JsonExporter({ url })],
  ['protobuf, gzip', (url) => new ProtobufExporter({ url, compression: 'gzip' as never })],
  ['protobuf', (url) => new ProtobufExporter({ url })],
]

describe.each(EXPORTERS)('the official exporter of %s', (_, createExporter) => {
  const names = Array.from({ length: 30 }, (_, i) => `op${i + 10}`)

  async function exportSpans(port: number): Promise<void> {
    const exporter = createExporter(`http://127.0.0.1:${port}/v1/traces`)
    const resource = resourceFromAttributes({ 'service.name': 'cart' })
    const provider = new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(exporter, { maxExportBatchSize: 15 })],
    })
    for (const name of names) provider.getTracer('test').startSpan(name).end()
    await provider.forceFlush()
    await provider.shutdown()
  }

  it('is heard: its spans are in the files and in the window', async () => {
    await exportSpans(await start())
    await expect.poll(() => collector.window.recent().length).toBe(names.length)
    const [trace] = collector.window.recent()
    expect(toSpans(trace!)).toMatchObject([{ service: 'cart' }])
    expect(await filed()).toEqual({ names, repairs: 0 })
  })

  it('comes again when it is told to, and nothing is lost', async () => {
    await exportSpans(await start({ mostSpansPerSecond: 3 }))
    expect(collector.statistics().refused['429']).toBeGreaterThan(0)
    expect(await filed()).toEqual({ names, repairs: 0 })
  })
})

const Status = protobuf
  .parse('syntax = "proto3"; message Status { int32 code = 1; string message = 2; }')
  .root.lookupType('Status')
const Response = protobuf
  .parse(
    `syntax = "proto3"; message Response { Partial partial_success = 1; }
     message Partial { int64 rejected_spans = 1; string error_message = 2; }`,
  )
  .root.lookupType('Response')

describe('a collector', () => {
  const batch = batchOf(0, 3)
  const bomb = gzipSync(Buffer.alloc(100_000))
  const gzip = { 'content-encoding': 'gzip' }

  it.each([
    [400, 'JSON that breaks off', batch.slice(0, -5), {}],
    [400, 'JSON of something else', '{"hello": 1}', {}],
    [400, 'what is not JSON', 'hello', {}],
    [400, 'what is no protobuf', 'hello', { headers: PROTOBUF_TYPE }],
    [400, 'JSON as protobuf', batch, { headers: PROTOBUF_TYPE }],
    [400, 'what is no gzip', batch, { headers: { ...JSON_TYPE, ...gzip } }],
    [404, 'another path', batch, { path: '/v1/metrics' }],
    [405, 'another method', batch, { method: 'PUT' }],
    [413, 'a batch that is too large', batchOf(0, 100), {}],
    [413, 'one that says no length', batchOf(0, 100), { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } }],
    [413, 'one that unpacks to too much', bomb, { headers: { ...JSON_TYPE, ...gzip } }],
    [415, 'another type', batch, { headers: { 'content-type': 'text/plain' } }],
    [415, 'no type', batch, { headers: {} }],
    [415, 'another packing', batch, { headers: { ...JSON_TYPE, 'content-encoding': 'br' } }],
  ])('answers %i to %s, in the encoding of the request, and keeps nothing', async (status, _, body, sending) => {
    const port = await start({ mostBatchBytes: 10_000 })
    const answer = await send(port, body, sending)
    expect(answer.status).toBe(status)
    expect(answer.retryAfter).toBeUndefined() // nothing that sending again would mend
    const isProtobuf = 'headers' in sending && sending.headers === PROTOBUF_TYPE
    expect(answer.type).toBe(isProtobuf ? 'application/x-protobuf' : 'application/json')
    const { message } = (isProtobuf ? Status.decode(answer.body) : JSON.parse(answer.body.toString())) as {
      message?: string
    }
    expect(message).toMatch(/\w/)
    expect(collector.statistics()).toMatchObject({ spans: 0, refused: { [status]: 1 }, waitingBytes: 0 })
    expect((await filed()).names).toEqual([])
  })

  it('says how many spans it could not read, in either encoding', async () => {
    const port = await start()
    const json = await send(port, batch.replace('"spanId"', '"span"'))
    expect(json.status).toBe(200)
    expect(JSON.parse(json.body.toString())).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
    // ResourceSpans { ScopeSpans { Span {} } }
    const binary = await send(port, Uint8Array.of(0x0a, 4, 0x12, 2, 0x12, 0), { headers: PROTOBUF_TYPE })
    expect(binary.status).toBe(200)
    expect(Response.toObject(Response.decode(binary.body), { longs: Number })).toMatchObject({
      partialSuccess: { rejectedSpans: 1, errorMessage: expect.stringMatching(/without an id/) },
    })
    expect((await filed()).names).toEqual(['op', 'op'])
  })

  it('answers what holds nothing with nothing', async () => {
    const port = await start()
    expect((await send(port, '{}')).body.toString()).toBe('{}')
    expect((await send(port, '', { headers: PROTOBUF_TYPE })).body.length).toBe(0)
    expect(await filed()).toEqual({ names: [], repairs: 0 })
  })

  it('tells to come again those for whom there is no room on the way to the disk', async () => {
    const port = await start({ mostBatchBytes: 200_000, mostWaitingBytes: 200_000 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send(port, batchOf(i, 1, 'x'.repeat(150_000)))),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ retryAfter }) => retryAfter === '1')).toBe(true)
    expect(answers.filter(({ status }) => status === 200).length).toBe(20 - refused.length)
    expect(collector.statistics().waitingBytes).toBe(0)
    expect((await filed()).names.length).toBe(20 - refused.length)
  })

  it('tells to come again while the window is full of unfinished requests', async () => {
    const port = await start({ window: { maxSpans: 10 }, sweepSeconds: 1000 })
    expect((await send(port, batchOf(0, 10))).status).toBe(200)
    expect(await send(port, batchOf(10, 1))).toMatchObject({ status: 503, retryAfter: '1' })
  })

  it('tells to come again while the disk takes nothing, and goes on when it does', async () => {
    const errors: Error[] = []
    const port = await start({ onError: (error) => errors.push(error) })
    rmSync(folder, { recursive: true })
    expect(await send(port, batch)).toMatchObject({ status: 503, retryAfter: '1' })
    expect(errors[0]!.message).toMatch(/ENOENT/)
    mkdirSync(folder)
    expect((await send(port, batch)).status).toBe(200)
    expect(await filed()).toEqual({ names: ['op', 'op', 'op'], repairs: 0 })
  })

  it('begins a new file when one is full or old, and keeps no more than it is told', async () => {
    const port = await start({ mostFileBytes: 1, mostFileSeconds: 1000, keepFiles: 3 })
    const files = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
    for (let i = 0; i < 5; i++) {
      const before = files()
      await send(port, batchOf(i, 1, String(i)))
      await expect.poll(() => files().some((name) => !before.includes(name))).toBe(true)
    }
    expect(await filed()).toEqual({ names: ['op2', 'op3', 'op4'], repairs: 0 })
  })

  it('writes a document that has line breaks as one line', async () => {
    const port = await start()
    await send(port, JSON.stringify(JSON.parse(batch), undefined, 2).replaceAll('\n', '\r\n'))
    await send(port, batchOf(3, 3))
    expect((await filed()).names.length).toBe(6)
    const [file] = readdirSync(folder)
    expect(readFileSync(join(folder, file!), 'utf8').trimEnd().split('\n').length).toBe(2)
  })

  it('forgets the requests of a window that is over', async () => {
    const port = await start({ window: { seconds: 0.2 } })
    await send(port, batch)
    await expect.poll(() => collector.window.traces).toBe(3)
    await expect.poll(() => collector.window.recent()).toEqual([])
    expect(collector.window.spans).toBe(0)
  })

  it('says every option that is wrong', async () => {
    const wrong = { mostFileBytes: 0, keepFiles: -1, mostBatchBytes: 10, mostWaitingBytes: 5, mostSpans: 3 } as object
    await expect(Collector.start(wrong)).rejects.toThrow(
      /mostSpans is no option.*mostFileBytes must be > 0, got 0.*keepFiles.*mostWaitingBytes must be mostBatchBytes \(10\)/,
    )
    await start()
  })
})
