import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type ActionSample,
  ActivationSource,
  type CounterScrape,
  DirectScraper,
  PrometheusScraper,
  type ScrapedSample,
  UserEventsSource,
} from '../src/index.js'
import { readExposition } from '../src/telemetry/exposition.js'
import { openStandIn } from './stand-in/index.js'

const CODE = 'const main = (params) => params'
const annotate = (record: object, annotations: (old: { key: string }[]) => unknown): object => ({
  ...record,
  annotations: annotations((record as { annotations: { key: string }[] }).annotations),
})

describe('telemetry of activations', () => {
  const work = async () => {
    const standIn = await openStandIn()
    const { official, platform, client } = standIn
    await official.actions.update({ name: 'hello', action: CODE })
    const source = new ActivationSource({ client, clock: platform })
    await source.read()
    await platform.until(official.actions.invoke({ name: 'hello', blocking: true })) // 400 + 150 + 100 ms, cold
    for (let i = 0; i < 3; i++) await platform.until(official.actions.invoke({ name: 'hello', blocking: true }))
    await platform.advance(10_000 - 650 - 300)
    return { ...standIn, source }
  }

  it('counts, times and ranks what ended in a step', async () => {
    const { source } = await work()
    const { seconds, of } = await source.read()
    expect(seconds).toBe(10)
    expect(of('hello')).toEqual({
      activations: 4,
      busySeconds: 0.55, // 150 + 4 × 100 ms
      p99Ms: expect.closeTo(100 + 0.97 * 550, 9), // of 100, 100, 100, 650
      coldStarts: 1,
      initSeconds: 0.15,
    })
    expect(of('idle')).toEqual({ activations: 0, busySeconds: 0, p99Ms: NaN, coldStarts: 0, initSeconds: NaN })
  })

  it('knows nothing of the time before its first read', async () => {
    const { client, platform } = await work()
    const source = new ActivationSource({ client, clock: platform })
    expect((await source.read()).of('hello')).toBeUndefined()
  })

  it.each<[string, (record: object) => object, Partial<ActionSample>]>([
    [
      'any annotation',
      (record) => annotate(record, () => []),
      { activations: 4, p99Ms: NaN, coldStarts: NaN, initSeconds: NaN },
    ],
    ['annotations', ({ annotations, ...record }: { annotations?: unknown }) => record, { p99Ms: NaN, coldStarts: NaN }],
    [
      'a wait',
      (record) => annotate(record, (all) => all.filter(({ key }) => key !== 'waitTime')),
      { p99Ms: NaN, coldStarts: NaN, initSeconds: 0.15 },
    ],
    ['a duration', ({ duration, ...record }: { duration?: unknown }) => record, { busySeconds: 0.55 }],
    [
      'a duration and an end',
      ({ duration, end, ...record }: { duration?: unknown; end?: unknown }) => record,
      { activations: 4, busySeconds: NaN, p99Ms: NaN, coldStarts: 1 },
    ],
  ])('takes records without %s for unknown, never for nothing', async (_, rewrite, expected) => {
    const { source, proxy } = await work()
    proxy.rewrite = (value) => (value as object[]).map(rewrite)
    expect((await source.read()).of('hello')).toMatchObject(expected)
  })

  it('leaves out records that are none', async () => {
    const { source, proxy } = await work()
    proxy.rewrite = (value, { path }) =>
      path === '/activations' ? [null, 7, { name: 'hello' }, ...(value as object[])] : value
    expect((await source.read()).of('hello')).toMatchObject({ activations: 4 })
  })

  it('has the time of a read that failed in the next one', async () => {
    const { source, proxy, platform } = await work()
    proxy.fault = () => ({ status: 404 })
    await expect(source.read()).rejects.toMatchObject({ code: 'whisk_not_found' })
    proxy.fault = undefined
    await platform.advance(5000)
    const { seconds, of } = await source.read()
    expect([seconds, of('hello')?.activations]).toEqual([15, 4])
  })
})

/** The user-events page after so many activations of 30 ms, each having waited 2 ms; every tenth cold with 100 ms. */
const pageOf = (activations: number, { ns = 'namespace', action = 'action' } = {}): string => {
  const cold = Math.floor(activations / 10)
  const labels = `${ns}="guest",initiator="guest",${action}="hello"`
  const histogram = (name: string, count: number, seconds: number): string => {
    const buckets = ['0.005', '0.01', '0.025', '0.05', '0.1', '+Inf'].map((le) => {
      const below = le === '+Inf' || seconds <= Number(le) ? count : 0
      return `openwhisk_action_${name}_seconds_bucket{${labels},le="${le}",} ${below}.0`
    })
    const sums = [`_count{${labels},} ${count}.0`, `_sum{${labels},} ${count * seconds}`]
    return [...buckets, ...sums.map((sum) => `openwhisk_action_${name}_seconds${sum}`)].join('\n')
  }
  return `# HELP openwhisk_action_activations_total Activation Count
# TYPE openwhisk_action_activations_total counter
openwhisk_action_activations_total{${labels},kind="nodejs:20",memory="256",} ${activations - 1}.0
openwhisk_action_activations_total{${labels},kind="nodejs:20",memory="512",} 1.0
openwhisk_action_activations_total{${labels.replace('guest', 'other')},kind="nodejs:20",memory="512",} 9999.0
openwhisk_action_coldStarts_total{${labels},} ${cold}.0
${histogram('waitTime', activations, 0.002)}
${histogram('duration', activations, 0.03)}
${histogram('initTime', cold, 0.1)}
# TYPE openwhisk_action_memory gauge
openwhisk_action_memory{${labels},} 256.0
`
}

const scraperOf = (pages: readonly (string | undefined)[]) => {
  let at = 0
  return {
    async scrape(): Promise<CounterScrape> {
      const page = pages[at++]
      // undefined: Prometheus has not scraped since
      return {
        samples: readExposition(page ?? pages[at - 2]!),
        sampledAtMs: 15_000 * (page === undefined ? at - 1 : at),
      }
    },
  }
}

describe('telemetry of user events', () => {
  const readTwice = async (pages: readonly (string | undefined)[], options = {}) => {
    const source = new UserEventsSource({ scraper: scraperOf(pages), namespace: 'guest', ...options })
    expect((await source.read()).of('hello')).toBeUndefined()
    return source.read()
  }

  it('counts between two looks, over all kinds and sizes of memory', async () => {
    const { seconds, of } = await readTwice([pageOf(100), pageOf(400)])
    expect(seconds).toBe(15)
    expect(of('hello')).toEqual({
      activations: 300,
      busySeconds: expect.closeTo(9, 9),
      p99Ms: expect.any(Number),
      coldStarts: 30,
      initSeconds: expect.closeTo(0.1, 9),
    })
  })

  it('has a p99 that is not below the true one', async () => {
    const { of } = await readTwice([pageOf(100), pageOf(400)])
    expect(of('hello')!.p99Ms).toBeGreaterThanOrEqual(32)
    expect(of('hello')!.p99Ms).toBeLessThanOrEqual(5 + 50) // the bounds of the buckets that hold 2 and 30 ms
  })

  it('finds tags under the names that an operator gave them', async () => {
    const names = { ns: 'ow_namespace', action: 'ow_action' }
    const pages = [pageOf(100, names), pageOf(400, names)]
    const tags = { namespace: 'ow_namespace', action: 'ow_action' }
    expect((await readTwice(pages, { tags })).of('hello')?.activations).toBe(300)
    expect((await readTwice(pages)).of('hello')).toBeUndefined() // unknown, not idle
  })

  it('knows nothing where the counters were not sampled anew, or began anew', async () => {
    expect((await readTwice([pageOf(100), undefined])).seconds).toBeNaN()
    expect((await readTwice([pageOf(100), pageOf(40)])).of('hello')).toBeUndefined()
    expect((await readTwice([pageOf(100), pageOf(400)])).of('unheard-of')).toBeUndefined()
  })

  it('takes a metric that is not there for unknown', async () => {
    const without = (metric: string) => [100, 400].map((n) => pageOf(n).replaceAll(metric, `renamed_${metric}`))
    expect((await readTwice(without('openwhisk_action_coldStarts'))).of('hello')).toMatchObject({
      activations: 300,
      coldStarts: NaN,
    })
    expect((await readTwice(without('openwhisk_action_duration'))).of('hello')).toMatchObject({
      busySeconds: NaN,
      p99Ms: NaN,
    })
  })

  it('says nothing of a quantile beyond the last finite bound', async () => {
    const slow = (n: number) => pageOf(n).replace(/(duration_seconds_bucket\{.*le="0\.(?:05|1)",\}) .*/g, '$1 0.0')
    expect((await readTwice([slow(100), slow(400)])).of('hello')).toMatchObject({ p99Ms: NaN, activations: 300 })
  })
})

describe('the text of metrics', () => {
  it('is read as it may be written', () => {
    const text = 'a_total{x="1, \\"2\\" }",y="\\\\n\\n"} 3 1700000000000\nb 1e3\nc{} +Inf\nd NaN\n# e 1\nf{x=1} 2\ng\n'
    expect(readExposition(text)).toEqual<ScrapedSample[]>([
      { name: 'a_total', labels: { x: '1, "2" }', y: '\\n\n' }, value: 3 },
      { name: 'b', labels: {}, value: 1000 },
      { name: 'c', labels: {}, value: Infinity },
      { name: 'd', labels: {}, value: NaN },
    ])
  })
})

describe('where counters come from', () => {
  const closers: (() => unknown)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  it('may be the service itself', async () => {
    let status = 200
    const server = createServer((_, response) => response.writeHead(status).end(pageOf(100)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => server.close())
    using scraper = new DirectScraper({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clock: { now: () => 7 },
    })
    const { samples, sampledAtMs } = await scraper.scrape()
    expect([samples.length, sampledAtMs]).toEqual([readExposition(pageOf(100)).length, 7])
    status = 503
    await expect(scraper.scrape()).rejects.toMatchObject({ code: 'whisk_metrics_failed' })
  })

  it('may be Prometheus, as of the time of its latest sample', async () => {
    const asked: unknown[] = []
    const answer = (promql: string) =>
      promql.startsWith('max(timestamp(')
        ? [{ labels: {}, timeSeconds: 100, value: 90 }]
        : [{ labels: { __name__: 'openwhisk_action_activations_total', action: 'hello' }, timeSeconds: 90, value: 5 }]
    const client = {
      async query(promql: string, { timeSeconds }: { timeSeconds?: number | undefined } = {}) {
        asked.push([promql, timeSeconds])
        return { samples: answer(promql), warnings: [] }
      },
    }
    expect(await new PrometheusScraper(client, 'cluster="east"').scrape()).toEqual({
      samples: [
        { name: 'openwhisk_action_activations_total', labels: expect.objectContaining({ action: 'hello' }), value: 5 },
      ],
      sampledAtMs: 90_000,
    })
    expect(asked).toEqual([
      ['max(timestamp(openwhisk_action_activations_total{cluster="east"}))', undefined],
      ['{__name__=~"openwhisk_action_.+",cluster="east"}', 90],
    ])
  })

  it.each([
    ['has no such series', { samples: [], warnings: [] }],
    ['knows a part only', { samples: [{ labels: {}, timeSeconds: 1, value: 1 }], warnings: ['a store is away'] }],
  ])('is refused where Prometheus %s', async (_, answer) => {
    const scraper = new PrometheusScraper({ query: async () => answer })
    await expect(scraper.scrape()).rejects.toMatchObject({ code: 'whisk_metrics_failed' })
  })
})
