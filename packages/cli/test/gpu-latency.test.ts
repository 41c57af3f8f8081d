import { describe, expect, it } from 'vitest'
import { fileSource, lineSource } from '../src/gpu/latency-source.js'
import { prometheusSource } from '../src/gpu/prometheus.js'

const { signal } = new AbortController()

const endlessBody = () => new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(2 ** 20)) })

describe('a file of latencies', () => {
  it('is its last line, as long as somebody touches it', async () => {
    let file = { text: '900\n120.5\n', modifiedMs: 1, ageMs: 0 }
    const source = fileSource(async () => file, 1)
    expect(await source.read(0, signal)).toEqual({ latencyMs: 120.5 })
    expect(await source.read(9_999, signal)).toEqual({ latencyMs: 120.5 })
    expect(await source.read(10_000, signal)).toEqual({ latencyMs: undefined, problem: 'nothing new for 10 s' })
    file = { text: '120.5\n', modifiedMs: 2, ageMs: 60_000 } // by a clock that is wrong
    expect(await source.read(11_000, signal)).toEqual({ latencyMs: 120.5 })
  })

  it('is not known when it was left behind an hour ago', async () => {
    const source = fileSource(async () => ({ text: '1\n', modifiedMs: 1, ageMs: 3_600_000 }), 1)
    expect(await source.read(0, signal)).toEqual({ latencyMs: undefined, problem: 'nothing new for 3600 s' })
  })

  it.each([[''], ['fast'], ['-1'], ['Infinity']])('is not known when the line is %j', async (text) => {
    const source = fileSource(async () => ({ text, modifiedMs: 0, ageMs: 0 }), 1)
    expect(await source.read(0, signal)).toMatchObject({
      latencyMs: undefined,
      problem: expect.stringMatching(/is no latency/),
    })
  })

  it('is not known while it is not there', async () => {
    const source = fileSource(() => Promise.reject(new Error('ENOENT: latency.txt')), 1)
    expect(await source.read(0, signal)).toEqual({ latencyMs: undefined, problem: 'ENOENT: latency.txt' })
  })
})

describe('lines of latencies', () => {
  it('are the 99th percentile of the last ten seconds, then unknown, then the end', async () => {
    let now = 0
    const feed = new TransformStream<Uint8Array, Uint8Array>()
    const writer = feed.writable.getWriter()
    const source = lineSource(feed.readable as unknown as AsyncIterable<Uint8Array>, 1000, () => now)
    const say = async (text: string) => {
      await writer.write(new TextEncoder().encode(text))
      await new Promise(setImmediate)
    }
    await say('0.1\n0.')
    await say('3\n0.2\n')
    expect(await source.read(now, signal)).toEqual({ latencyMs: 300, isEnd: false })
    now = 6000
    await say('0.2\n')
    now = 10_000
    expect(await source.read(now, signal)).toEqual({ latencyMs: 200, isEnd: false })
    now = 16_000
    expect(await source.read(now, signal)).toMatchObject({ latencyMs: undefined, problem: 'nothing new for 10 s' })
    await say('oops\n')
    expect(await source.read(now, signal)).toMatchObject({ problem: expect.stringMatching(/"oops" is no latency/) })
    await say('0.4')
    await writer.close()
    await new Promise(setImmediate)
    expect(await source.read(now, signal)).toEqual({ latencyMs: 400, isEnd: true })
  })
})

describe('lines that are no good', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('are unknown before the first one, not a latency of 0', async () => {
    const source = lineSource(new TransformStream().readable as unknown as AsyncIterable<Uint8Array>, 1, () => 0)
    expect(await source.read(0, signal)).toEqual({ latencyMs: undefined, problem: 'no latency yet', isEnd: false })
    expect(await source.read(10_000, signal)).toMatchObject({ problem: 'nothing new for 10 s' })
  })

  it('without an end are given up on, and said', async () => {
    let isDone = false
    const endless = async function* () {
      for (let i = 0; i < 5; i++) yield bytes('1'.repeat(2 ** 20))
      await new Promise((resolve) => setTimeout(resolve, 20))
      isDone = true
      yield bytes('\n5\n')
    }
    const source = lineSource(endless(), 1, () => 0)
    const problems = new Set<string | undefined>()
    let reading = await source.read(0, signal)
    while (!reading.isEnd) {
      if (!isDone) problems.add(reading.problem)
      await new Promise(setImmediate)
      reading = await source.read(0, signal)
    }
    expect([...problems].at(-1)).toMatch(/a line that begins with "1+" has more than 1000 characters/)
    expect(reading).toEqual({ latencyMs: 5, isEnd: true })
  })

  it('count up to ten thousand a second', async () => {
    let now = 0
    const flood = async function* () {
      for (let i = 0; i < 100; i++) yield bytes('7\n'.repeat(5000))
      now = 1000
      yield bytes('9\n'.repeat(200))
    }
    const source = lineSource(flood(), 1, () => now)
    while (!(await source.read(now, signal)).isEnd) await new Promise(setImmediate)
    // 200 of 500,200 are no 99th percentile; of 10,200 they are.
    expect(await source.read(now, signal)).toMatchObject({ latencyMs: 9 })
  })
})

describe('Prometheus', () => {
  const histogram = (fast: number, slow: number) =>
    `d_bucket{path="a",le="0.1"} ${fast}\nd_bucket{path="a",le="1"} ${fast + slow}\nd_bucket{path="a",le="+Inf"} ${fast + slow}\n`

  it('is asked for what a histogram has added since', async () => {
    let text = histogram(0, 1000) // a slow past
    const source = prometheusSource({ url: 'http://h', metric: 'd', toMs: 1000, fetch: async () => new Response(text) })
    expect((await source.read(0, signal)).latencyMs).toBeGreaterThan(900)
    text = histogram(100, 1000)
    expect((await source.read(1000, signal)).latencyMs).toBeCloseTo(99)
    expect((await source.read(2000, signal)).latencyMs).toBeCloseTo(99) // nothing finished
    expect(await source.read(11_000, signal)).toMatchObject({ problem: 'http://h: nothing new for 10 s' })
    text = histogram(10, 0) // the server began anew
    expect((await source.read(12_000, signal)).latencyMs).toBeCloseTo(99)
  })

  it('takes the largest of very many series', async () => {
    const text = Array.from({ length: 200_000 }, (_, i) => `d{i="${i}"} ${i}`).join('\n')
    const source = prometheusSource({ url: 'http://h', metric: 'd', toMs: 1, fetch: async () => new Response(text) })
    expect(await source.read(0, signal)).toEqual({ latencyMs: 199_999 })
  })

  it('reads counts and not the exemplars that OpenMetrics sets behind them', async () => {
    const text = histogram(100, 0).replaceAll('\n', ' # {trace_id="a}b"} 0.67 1520879607.789\n')
    const source = prometheusSource({ url: 'http://h', metric: 'd', toMs: 1000, fetch: async () => new Response(text) })
    expect((await source.read(0, signal)).latencyMs).toBeCloseTo(99)
    const gauge = 'd{path="a } 7",quote="\\"}"} 0.25 # {trace_id="x"} 0.67\n'
    const other = prometheusSource({ url: 'http://h', metric: 'd', toMs: 1000, fetch: async () => new Response(gauge) })
    expect(await other.read(0, signal)).toEqual({ latencyMs: 250 })
  })

  it.each([
    ['an error', () => Promise.reject(new Error('ECONNREFUSED')), undefined, /http:\/\/h: ECONNREFUSED/],
    ['an endless answer', async () => new Response(endlessBody()), 'd', /more than 64 MiB is not read/],
    ['HTTP 503', async () => new Response('', { status: 503 }), undefined, /HTTP 503/],
    [
      'an empty answer',
      async () => new Response('{"data":{"resultType":"vector","result":[]}}'),
      undefined,
      /no value of the query/,
    ],
    [
      'no number',
      async () => new Response('{"data":{"resultType":"vector","result":[{"value":[1,"NaN"]}]}}'),
      undefined,
      /no value of the query/,
    ],
    ['another format', async () => new Response('d 1'), undefined, /name a metric of it with --metric/],
    ['no such metric', async () => new Response('d 1'), 'e', /no value of e/],
  ] as const)('is not known after %s', async (_, fetch, metric, problem) => {
    const source = prometheusSource({ url: 'http://h', metric, toMs: 1000, fetch })
    expect(await source.read(0, signal)).toMatchObject({
      latencyMs: undefined,
      problem: expect.stringMatching(problem),
    })
  })
})
