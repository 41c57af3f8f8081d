import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseTraces, Repairs, readTraces, type TraceSource, toSpans } from '../../src/index.js'
import { toJaeger } from './formats.js'

const model = (i: number) => ({
  traceId: `${i}`,
  spans: [
    {
      id: 'a',
      parentId: '',
      service: 's',
      operation: 'größe',
      startUs: i,
      durationUs: 5,
      kind: 'server' as const,
      isError: false,
    },
  ],
})
const text = JSON.stringify({ data: Array.from({ length: 2000 }, (_, i) => toJaeger(model(i))) })
const bytes = new TextEncoder().encode(text)
const packed = new Uint8Array(gzipSync(bytes))

function* cut(whole: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

function streamOf(whole: Uint8Array, size: number): ReadableStream<Uint8Array> {
  const chunks = cut(whole, size)
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function* slowly(whole: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  yield* cut(whole, size)
}

async function count(source: TraceSource, repairs?: Repairs): Promise<number> {
  let traces = 0
  for await (const _ of readTraces(source, { repairs })) traces++
  return traces
}

describe('sources', () => {
  const sources: Record<string, () => TraceSource> = {
    'a string': () => text,
    bytes: () => bytes,
    'a Buffer': () => Buffer.from(bytes),
    'packed bytes': () => packed,
    'a stream': () => streamOf(bytes, 1000),
    'a packed stream': () => streamOf(packed, 1000),
    'an async iterable': () => slowly(bytes, 999),
    'an iterable that starts with single packed bytes': () => [
      ...cut(packed.subarray(0, 100), 1),
      packed.subarray(100),
    ],
    'an iterable with empty chunks': () => [new Uint8Array(0), packed, new Uint8Array(0)],
    'members of gzip one after the other': () =>
      Buffer.concat([gzipSync(bytes.subarray(0, 500)), gzipSync(bytes.subarray(500))]),
  }
  for (const [name, source] of Object.entries(sources)) {
    it(name, async () => {
      const repairs = new Repairs()
      expect(await count(source(), repairs)).toBe(2000)
      expect(repairs.list()).toEqual([])
    })
  }

  it('no bytes are no traces', async () => {
    expect(await count([])).toBe(0)
    expect(await count(new Uint8Array(0))).toBe(0)
    expect(await count(new Uint8Array(gzipSync('')))).toBe(0)
  })

  it('a gzip that breaks off or is damaged gives what came before, and says so', async () => {
    const halves = packed.subarray(0, packed.length >> 1)
    const damaged = packed.slice()
    damaged.fill(0x55, packed.length >> 1, (packed.length >> 1) + 20)
    for (const bad of [halves, damaged]) {
      const repairs = new Repairs()
      const traces = await count(bad, repairs)
      expect(traces).toBeGreaterThan(100)
      expect(traces).toBeLessThan(2000)
      expect(repairs.count('unreadable_input')).toBeGreaterThan(0)
    }
  })

  it('what only starts like gzip is no traces', async () => {
    const bad = new Uint8Array([0x1f, 0x8b, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7])
    await expect(count(bad)).rejects.toMatchObject({ code: 'trace_format_unknown' })
  })

  it('gzip is not for parseTraces, which says where to go', () => {
    expect(() => parseTraces(packed)).toThrow(expect.objectContaining({ code: 'trace_packed' }))
    expect(() => parseTraces(packed)).toThrow(/readTraces/)
  })
})

describe('zstd', () => {
  const small = JSON.stringify({ data: [toJaeger(model(1))] })
  /** A frame of one block that is not compressed: magic number, one segment, its size, then the block. */
  const frame = (content: Uint8Array): Uint8Array<ArrayBuffer> => {
    const header = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0])
    new DataView(header.buffer).setUint32(5, content.length, true)
    new DataView(header.buffer).setUint16(9, content.length * 8 + 1, true)
    return new Uint8Array([...header, ...content])
  }
  const zipped = frame(new TextEncoder().encode(small))
  /** As a runtime that can would do it. */
  const zstd = () => {
    let left = zipped.length - new TextEncoder().encode(small).length
    return new TransformStream<BufferSource, Uint8Array>({
      transform(piece, controller) {
        const packedBytes = piece as Uint8Array
        controller.enqueue(packedBytes.subarray(Math.min(left, packedBytes.length)))
        left = Math.max(0, left - packedBytes.length)
      },
    })
  }

  it('is unpacked by what the caller gives, whole or in pieces', async () => {
    for (const source of [zipped, cut(zipped, 3)]) {
      const traces = []
      for await (const trace of readTraces(source, { zstd })) traces.push(trace.traceId)
      expect(traces).toEqual(['1'])
    }
  })

  it('is unpacked by the runtime, or refused with the way out', async () => {
    const canUnpack = (() => {
      try {
        return new DecompressionStream('zstd' as CompressionFormat) !== undefined
      } catch {
        return false
      }
    })()
    if (canUnpack) expect(await count(zipped)).toBe(1)
    else {
      await expect(count(zipped)).rejects.toMatchObject({
        code: 'trace_packed',
        message: expect.stringMatching(
          /is zstd, which this runtime does not unpack: unpack it first \(zstd -d FILE\).*Node/,
        ),
      })
    }
    expect(() => parseTraces(zipped)).toThrow(expect.objectContaining({ code: 'trace_packed' }))
  })

  it('that is damaged is no traces, and says why', async () => {
    const broken = () =>
      new TransformStream<BufferSource, Uint8Array>({
        transform() {
          throw new Error('bad block')
        },
      })
    const read = async () => {
      for await (const _ of readTraces(zipped, { zstd: broken })) expect.unreachable()
    }
    await expect(read()).rejects.toThrow(/zstd that cannot be unpacked \(bad block\)/)
  })
})

describe('a reading', () => {
  /** Notes whether it was ended before its end. */
  class Watched {
    isEnded = false
    pulls = 0
    readonly #whole: Uint8Array

    constructor(whole: Uint8Array) {
      this.#whole = whole
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      try {
        for (const chunk of cut(this.#whole, 1000)) {
          this.pulls++
          yield chunk
        }
      } finally {
        this.isEnded = true
      }
    }
  }

  for (const [name, whole] of [
    ['plain', bytes],
    ['packed', packed],
  ] as const) {
    it(`that is left early lets go of its source (${name})`, async () => {
      const source = new Watched(whole)
      for await (const trace of readTraces(source)) {
        expect(toSpans(trace)[0]!.operation).toBe('größe')
        break
      }
      await new Promise((resolve) => setImmediate(resolve))
      expect(source.isEnded).toBe(true)
    })

    it(`ends with the reason of its signal, also while it waits (${name})`, async () => {
      const hanging = async function* () {
        yield whole.subarray(0, 5000)
        await new Promise(() => {})
      }
      const controller = new AbortController()
      const reason = new Error('enough')
      const reading = (async () => {
        for await (const _ of readTraces(hanging(), { signal: controller.signal })) controller.abort(reason)
        return 'ended'
      })()
      if (name === 'packed') setImmediate(() => controller.abort(reason))
      await expect(reading).rejects.toBe(reason)
      await expect(count2(bytes, AbortSignal.abort(reason))).rejects.toBe(reason)
    })

    it(`passes on what its source throws (${name})`, async () => {
      const failing = async function* () {
        yield whole.subarray(0, 3000)
        throw new Error('disk gone')
      }
      await expect(count(failing())).rejects.toThrow('disk gone')
    })
  }

  async function count2(source: TraceSource, signal: AbortSignal): Promise<void> {
    for await (const _ of readTraces(source, { signal })) {
      // nothing comes
    }
  }

  it('asks for no more bytes than the next trace needs', async () => {
    const source = new Watched(bytes)
    const pulls: number[] = []
    for await (const _ of readTraces(source)) {
      pulls.push(source.pulls)
      if (pulls.length === 10) break
    }
    expect(pulls.at(-1)).toBeLessThan(20)
  })

  it('shares names and repairs with the caller', () => {
    const repairs = new Repairs()
    const [first] = parseTraces(text)
    const traces = parseTraces(`${JSON.stringify(toJaeger(model(1)))}\n{"traceID":`, { names: first!.names, repairs })
    expect(traces[0]!.names).toBe(first!.names)
    expect(repairs.count('truncated_input')).toBe(1)
  })
})
