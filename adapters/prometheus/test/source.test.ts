import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ControlLoop, rulePilot } from '@trimtab/control'
import type { LiveEnvironment } from '@trimtab/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/free-port.js'
import { type InstantAnswer, PrometheusClient, PrometheusSource } from '../src/index.js'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from './real-prometheus.js'

if (!HAS_PROMETHEUS) sayUnchecked('telemetry')

const START = 1_700_000_000
const QUERIES = { queue: { value: 'queue', sampledAt: 'timestamp(queue)' }, rate: 'sum(rate(requests_total[1m]))' }

/** For ten minutes, every 15 s: a queue of 7, and 30 requests a second in sum; then nothing more. */
function samples(): string {
  const times = Array.from({ length: 41 }, (_, i) => START + 15 * i)
  const requests = ['a', 'b'].flatMap((pod) =>
    times.map((t) => `requests_total{pod="${pod}"} ${15 * (t - START)} ${t}`),
  )
  return [
    '# TYPE queue gauge',
    ...times.map((t) => `queue 7 ${t}`),
    '# TYPE requests counter',
    ...requests,
    '# TYPE broken gauge',
    ...times.map((t) => `broken NaN ${t}`),
  ].join('\n')
}

describe.runIf(HAS_PROMETHEUS)('telemetry from a real Prometheus', () => {
  let prometheus: RealPrometheus
  let client: PrometheusClient
  beforeAll(async () => {
    prometheus = await RealPrometheus.start({ samples: samples() })
    client = new PrometheusClient({ url: prometheus.url })
  })
  afterAll(async () => {
    client?.dispose()
    await prometheus?.stop()
  })

  it('is a number for each name, and when the oldest of them was sampled', async () => {
    const source = new PrometheusSource({ client, queries: QUERIES })
    const { values, missing, observedAtMs } = await source.read({ timeSeconds: START + 307 })
    expect(values.queue).toBe(7)
    expect(values.rate).toBeCloseTo(30, 9)
    expect([missing.size, observedAtMs]).toEqual([0, (START + 300) * 1000])
  })

  it('is missing, with a reason, what is absent, doubtful or not a number, and only that', async () => {
    const queries = {
      ...QUERIES,
      none: 'absent_metric',
      two: 'rate(requests_total[1m])',
      broken: 'broken',
      bad: 'sum(',
    }
    const { values, missing } = await new PrometheusSource({ client, queries }).read({ timeSeconds: START + 300 })
    expect(values).toEqual({
      queue: 7,
      rate: expect.closeTo(30),
      none: undefined,
      two: undefined,
      broken: undefined,
      bad: undefined,
    })
    expect(Object.fromEntries(missing)).toEqual({
      none: 'no series',
      two: '2 series, aggregate them: sum(…), max(…)',
      broken: 'not a finite number',
      bad: expect.stringMatching(/unclosed left parenthesis/),
    })
  })

  it('goes missing when samples stop: by the age that is allowed, not after five minutes', async () => {
    const source = new PrometheusSource({ client, queries: QUERIES, maxAgeSeconds: 30 })
    const last = START + 600
    const at = async (seconds: number) => (await source.read({ timeSeconds: last + seconds })).values
    expect((await at(30)).queue).toBe(7)
    expect(await at(50)).toEqual({ queue: undefined, rate: undefined })
    const { missing } = await source.read({ timeSeconds: last + 100 })
    expect(missing.get('queue')).toBe('stale: sampled 100 s ago, at most 30 s')
    // What Prometheus itself would still have said of a bare selector:
    expect((await client.query('queue', { timeSeconds: last + 100 })).samples[0]!.value).toBe(7)
  })

  it('drives a control loop, which falls back while it is missing and goes on when it is back', async () => {
    const source = new PrometheusSource({ client, queries: QUERIES, maxAgeSeconds: 30 })
    const minutes = [8, 9, 11, 10, 10] // 11 is a minute after the last sample
    const observe = async () => {
      const { values, observedAtMs } = await source.read({ timeSeconds: START + 60 * minutes.shift()! })
      return { observation: Float32Array.of(values.queue ?? Number.NaN, values.rate ?? Number.NaN), observedAtMs }
    }
    const space = (names: string[], high: number) =>
      ({
        names,
        low: new Float64Array(names.length),
        high: new Float64Array(names.length).fill(high),
        kind: 'box',
      }) as const
    const environment: LiveEnvironment = {
      observation: space(['queue', 'rate'], 1e6),
      action: space(['replicas'], 10),
      reset: async () => (await observe()).observation,
      step: async () => {
        const { observation, observedAtMs } = await observe()
        const info = observedAtMs === undefined ? {} : { observedAtMs }
        return { observation, reward: 1, terminated: false, truncated: minutes.length === 0, info }
      },
    }
    const decide = (observation: Float32Array, out: Float32Array) => out.set(observation.subarray(0, 1))
    const loop = new ControlLoop({ environment, pilot: rulePilot({ name: 'follow', decide }), episodes: 1 })
    const seen = []
    for await (const { observation, action, fallback } of loop) seen.push([observation[0], action[0], fallback])
    expect(seen).toEqual([
      [7, 7, undefined],
      [7, 7, undefined],
      [Number.NaN, 7, 'missing'],
      [7, 7, undefined],
    ])
  })
})

describe('telemetry', () => {
  const queries = { a: 'metric_a', b: 'metric_b' }
  const read = async (url: string, options = {}) => {
    using client = new PrometheusClient({ url, timeoutMs: 200 })
    return await new PrometheusSource({ client, queries }).read(options)
  }
  async function served(answer: http.RequestListener): Promise<Awaited<ReturnType<typeof read>>> {
    const server = http.createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      return await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
  const allMissing = ({ values, missing, observedAtMs }: Awaited<ReturnType<typeof read>>, reason: RegExp) => {
    expect([values, observedAtMs]).toEqual([{ a: undefined, b: undefined }, undefined])
    expect([...missing.keys()]).toEqual(['a', 'b'])
    for (const said of missing.values()) expect(said).toMatch(reason)
  }

  it('is missing while Prometheus is down', async () => {
    allMissing(await read(`http://127.0.0.1:${await freePort()}`), /ECONNREFUSED/)
  })

  it('is missing when Prometheus is slow', async () => {
    allMissing(await served(() => {}), /no whole answer in 200 ms/)
  })

  it.each<[string, number, string, RegExp]>([
    [
      'overloaded',
      503,
      '{"status":"error","errorType":"timeout","error":"query timed out"}',
      /HTTP 503, timeout: query timed out/,
    ],
    ['behind a broken proxy', 502, '<html>\u001b[31mBad gateway', /HTTP 502, <html>\\u001b\[31mBad gateway/],
    ['closed to us', 401, '', /HTTP 401, no reason given/],
    ['something else', 200, '{"status":"success","data":{"resultType":"vector","result":7}}', /is the URL right\?/],
    ['talking nonsense', 200, '<html>', /is the URL right\?/],
    ['empty', 200, '', /is the URL right\?/],
    [
      'silent about a value',
      200,
      '{"status":"success","data":{"resultType":"scalar","result":[1,null]}}',
      /not a finite number/,
    ],
    [
      'empty of a value',
      200,
      '{"status":"success","data":{"resultType":"scalar","result":[1,""]}}',
      /not a finite number/,
    ],
  ])('is missing when Prometheus is %s', async (_, status, body, reason) => {
    allMissing(await served((_, response) => response.writeHead(status).end(body)), reason)
  })

  it('ends with the signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(read('http://127.0.0.1:9', { signal })).rejects.toThrow('enough')
  })

  it('asks each query once a look, all at once', async () => {
    const asked: string[] = []
    const query = async (promql: string): Promise<InstantAnswer> => {
      asked.push(promql)
      await wait(1)
      return { samples: [{ labels: {}, timeSeconds: 10, value: 9 }], warnings: [] }
    }
    const sampledAt = 'max(timestamp(up))'
    const shared = { a: { value: 'a', sampledAt }, b: { value: 'b', sampledAt }, c: 'a' }
    const { values, observedAtMs } = await new PrometheusSource({ client: { query, url: '' }, queries: shared }).read()
    expect([values, observedAtMs]).toEqual([{ a: 9, b: 9, c: 9 }, 9000])
    expect(asked.toSorted()).toEqual(['a', 'b', sampledAt])
  })

  it('refuses options that it does not understand', () => {
    const make = () => new PrometheusSource({ client: null!, queries: { a: ' ' }, maxAgeSeconds: 0, max: 1 } as never)
    expect(make).toThrow(/max is no option.*maxAgeSeconds.*queries\.a must be PromQL/s)
  })
})
