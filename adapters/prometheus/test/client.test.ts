import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../test/free-port.js'
import { PrometheusClient, PrometheusSource } from '../src/index.js'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from './real-prometheus.js'

if (!HAS_PROMETHEUS) sayUnchecked('queries')

const START = 1_700_000_000

/** `queue` 0, 1, … 9 every 15 s from START on, of two pods with a gap in one; `ratio` NaN and `limit` +Inf at the end; many `part`s. */
function samples(): string {
  const lines = ['# TYPE queue gauge']
  for (let i = 0; i < 10; i++) lines.push(`queue{pod="a"} ${i} ${START + 15 * i}`)
  for (const i of [0, 1, 8, 9]) lines.push(`queue{pod="b \\"quoted\\" ☃"} ${10 * i} ${START + 15 * i}`)
  lines.push('# TYPE ratio gauge', `ratio NaN ${START + 135}`)
  lines.push('# TYPE limit gauge', `limit +Inf ${START + 135}`)
  lines.push('# TYPE part gauge')
  for (let i = 0; i < 2000; i++) lines.push(`part{of="${i}"} ${i} ${START}`)
  return lines.join('\n')
}

describe.runIf(HAS_PROMETHEUS)('a client of a real Prometheus', () => {
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

  it('asks what is at a time', async () => {
    const { samples, warnings } = await client.query('queue', { timeSeconds: START + 120.5 })
    expect(samples).toEqual([
      { labels: { __name__: 'queue', pod: 'a' }, timeSeconds: START + 120.5, value: 8 },
      { labels: { __name__: 'queue', pod: 'b "quoted" ☃' }, timeSeconds: START + 120.5, value: 80 },
    ])
    expect(warnings).toEqual([])
    expect((await client.query('scalar(queue{pod="a"})', { timeSeconds: START })).samples).toEqual([
      { labels: {}, timeSeconds: START, value: 0 },
    ])
  })

  it('asks the server for now when no time is said', async () => {
    const { samples } = await client.query('time()')
    expect(samples[0]!.value).toBeCloseTo(samples[0]!.timeSeconds, 2)
  })

  it.each([
    ['NaN', 'ratio'],
    ['infinity', 'limit'],
    ['a quotient of nothing', 'queue{pod="a"} * 0 / 0'],
  ])('reads %s as missing', async (_, promql) => {
    const { samples } = await client.query(promql, { timeSeconds: START + 135 })
    expect(samples.map(({ value }) => value)).toEqual([undefined])
  })

  it('has nothing, not 0, for what is not there', async () => {
    expect((await client.query('sum(nothing)', { timeSeconds: START })).samples).toEqual([])
  })

  it('lays a range on its grid, NaN where nothing was', async () => {
    const range = { startSeconds: START, endSeconds: START + 150, stepSeconds: 15 }
    const of = 'last_over_time(queue{pod=~"b.*"}[15s])'
    const { timesSeconds, series } = await client.queryRange(of, range)
    expect([...timesSeconds]).toEqual(Array.from({ length: 11 }, (_, i) => START + 15 * i))
    // Prometheus 2 counts a sample at the left end of a range too, hence the 10 and the 90 of one step later.
    expect([...series[0]!.values]).toEqual([0, 10, 10, ...Array(5).fill(Number.NaN), 80, 90, 90])
  })

  it('lays decimal steps on their grid', async () => {
    const range = { startSeconds: START, endSeconds: START + 0.3, stepSeconds: 0.1 }
    const { series } = await client.queryRange('queue{pod="a"}', range)
    expect([...series[0]!.values]).toEqual([0, 0, 0, 0])
  })

  it('refuses a range that Prometheus would not answer before asking', async () => {
    const range = { startSeconds: START, endSeconds: START + 11_000, stepSeconds: 1 }
    await expect(client.queryRange('queue', range)).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(client.queryRange('queue', { ...range, endSeconds: START - 1 })).rejects.toThrow(/forward/)
    await expect(client.queryRange('queue', { ...range, stepSeconds: Number.NaN })).rejects.toThrow(/stepSeconds/)
    const longest = { ...range, endSeconds: START + 10_999 }
    expect((await client.queryRange('queue{pod="a"}', longest)).series[0]!.values).toHaveLength(11_000)
  })

  it('says what is wrong with a query, and which one', async () => {
    const refusal = client.query('sum(', { timeSeconds: START })
    await expect(refusal).rejects.toMatchObject({ code: 'prometheus_query_refused' })
    await expect(refusal).rejects.toThrow(/unclosed left parenthesis, for sum\(/)
    await expect(client.query('"text"')).rejects.toMatchObject({ code: 'prometheus_answer_invalid' })
  })

  it('does not read on when an answer is huge', async () => {
    using small = new PrometheusClient({ url: prometheus.url, mostBytes: 10_000 })
    await expect(small.query('part', { timeSeconds: START })).rejects.toMatchObject({ code: 'http_too_large' })
    expect((await small.query('count(part)', { timeSeconds: START })).samples[0]!.value).toBe(2000)
  })

  it('gives up with the signal', async () => {
    const reason = new Error('enough')
    await expect(client.query('queue', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const later = new AbortController()
    const answer = client.query('queue', { signal: later.signal })
    later.abort(reason)
    await expect(answer).rejects.toBe(reason)
  })

  it('passes on that an answer is partial', async () => {
    const remote = `remote_read: [{ url: "http://127.0.0.1:${await freePort()}/read", read_recent: true }]`
    const halved = await RealPrometheus.start({ samples: samples(), config: remote })
    try {
      using client = new PrometheusClient({ url: halved.url })
      const { warnings } = await client.query('sum(queue)', { timeSeconds: START })
      expect(warnings.join()).toContain('connection refused')
      const source = new PrometheusSource({ client, queries: { queue: 'sum(queue)' } })
      const { values, missing } = await source.read({ timeSeconds: START })
      expect(values.queue).toBeUndefined()
      expect(missing.get('queue')).toMatch(/^a part of the truth only: .*connection refused/)
    } finally {
      await halved.stop()
    }
  })
})
