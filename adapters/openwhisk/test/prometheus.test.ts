import { PrometheusClient } from '@trimtab/prometheus'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from '../../prometheus/test/real-prometheus.js'
import { PrometheusScraper, UserEventsSource } from '../src/index.js'

if (!HAS_PROMETHEUS) sayUnchecked('counters of user events')

describe.runIf(HAS_PROMETHEUS)('counters of user events in a real Prometheus', () => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const labels = 'namespace="guest",initiator="guest",action="hello"'
  /** As it was scraped three times: `[seconds ago, activations]`. */
  const scrapes = [
    [90, 100],
    [60, 130],
    [30, 190],
  ] as const
  const lines = (metric: string, perActivation: number): string[] =>
    scrapes.map(([ago, n]) => `openwhisk_action_${metric}{${labels}} ${n * perActivation} ${nowSeconds - ago}`)
  let prometheus: RealPrometheus
  let client: PrometheusClient
  beforeAll(async () => {
    const samples = [
      ...lines('activations_total', 1),
      ...lines('coldStarts_total', 0.1),
      ...lines('duration_seconds_sum', 0.5),
    ]
    prometheus = await RealPrometheus.start({ samples: samples.join('\n') })
    client = new PrometheusClient({ url: prometheus.url })
  }, 60_000)
  afterAll(async () => {
    client.dispose()
    await prometheus.stop()
  })

  it('are counted from sample to sample, whenever they are asked for', async () => {
    let secondsAgo = 0
    const past: Pick<PrometheusClient, 'query'> = {
      query: (promql, { timeSeconds = nowSeconds - secondsAgo, ...options } = {}) =>
        client.query(promql, { ...options, timeSeconds }),
    }
    const source = new UserEventsSource({ scraper: new PrometheusScraper(past), namespace: 'guest' })
    const readAt = async (ago: number) => {
      secondsAgo = ago
      const { seconds, of } = await source.read()
      return [seconds, of('hello')?.activations, of('hello')?.busySeconds]
    }
    expect(await readAt(85)).toEqual([NaN, undefined, undefined]) // the first look
    expect(await readAt(59)).toEqual([30, 30, 15])
    expect(await readAt(40)).toEqual([NaN, undefined, undefined]) // Prometheus answers with the sample of 19 s ago
    expect(await readAt(5)).toEqual([30, 60, 30])
  })
})
