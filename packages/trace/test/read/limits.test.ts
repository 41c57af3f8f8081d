import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ReadLimits, readTraces, type Trace } from '../../src/index.js'

/** A text without end, in pieces of about 1 kB. */
async function* endless(start: string, next: (n: number) => string): AsyncGenerator<Uint8Array> {
  let text = start
  for (let n = 0; ; n++) {
    text += next(n)
    if (text.length < 1000) continue
    yield new TextEncoder().encode(text)
    text = ''
  }
}

const jaeger = (n: number, operation = 'get') =>
  `{"data":[{"traceID":"${n}","spans":[{"traceID":"${n}","spanID":"1","operationName":"${operation}","references":[],"startTime":1,"duration":1,"processID":"p"}],"processes":{"p":{"serviceName":"shop"}}}]}\n`
const HEAD = 'trace,span,parent,service,operation,start_us,duration_us\n'
const LIMITS: ReadLimits = {
  maxBytes: 1e6,
  maxTokenBytes: 10_000,
  maxSpans: 2000,
  maxNames: 500,
  maxTextBytes: 400_000,
}

async function readAll(source: AsyncIterable<Uint8Array>, limits: Partial<ReadLimits>): Promise<Trace[]> {
  const traces: Trace[] = []
  for await (const trace of readTraces(source, { limits })) traces.push(trace)
  return traces
}

describe('reading an endless input', () => {
  it.each<[string, keyof ReadLimits, AsyncIterable<Uint8Array>]>([
    ['good traces', 'maxBytes', endless('', (n) => jaeger(n))],
    ['a string that never ends', 'maxTokenBytes', endless('{"data":[{"traceID":"', () => 'abc')],
    ['white space', 'maxTokenBytes', endless('', () => ' \n')],
    ['a field that never ends', 'maxTokenBytes', endless(`${HEAD}1,1,,"`, () => 'abc')],
    ['a row that never ends', 'maxTokenBytes', endless(`${HEAD}1,1,,`, () => 'abc,')],
    ['a trace that never ends', 'maxSpans', endless(HEAD, (n) => `1,${n},,shop,get,1,1\n`)],
    ['ever new names', 'maxNames', endless('', (n) => jaeger(n, `get ${n}`))],
    [
      'ever new ids that are text',
      'maxTextBytes',
      endless(HEAD, (n) => `1,the ${n}th span ${'x'.repeat(200)},,shop,get,1,1\n`),
    ],
  ])('of %s ends by %s, which the error names with the option of the command', async (_, limit, source) => {
    const option = limit.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    await expect(readAll(source, LIMITS)).rejects.toThrow(
      expect.objectContaining({
        code: 'trace_too_large',
        message: expect.stringContaining(`raise ${limit} (--${option})`),
      }),
    )
  })

  it('counts bytes as they unpack', async () => {
    const text = Array.from({ length: 10_000 }, (_, n) => jaeger(n)).join('')
    const packed = gzipSync(text)
    expect(packed.length).toBeLessThan(LIMITS.maxBytes)
    await expect(readAll([packed] as unknown as AsyncIterable<Uint8Array>, LIMITS)).rejects.toThrow(/maxBytes/)
  })
})

describe('reading within the limits', () => {
  it('gives everything, however the chunks are cut', async () => {
    async function* some() {
      for (let n = 0; n < 400; n++) yield new TextEncoder().encode(jaeger(n))
    }
    expect(await readAll(some(), LIMITS)).toHaveLength(400)
    async function* once() {
      yield new TextEncoder().encode(Array.from({ length: 400 }, (_, n) => jaeger(n)).join(''))
    }
    expect(await readAll(once(), { ...LIMITS, maxTokenBytes: 1000 })).toHaveLength(400) // the chunk is longer than any token in it
  })
})
