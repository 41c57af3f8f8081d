import { gzipSync } from 'node:zlib'
import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const TOPICS = ['the sea', 'a bridge', 'bees', 'taxes', 'tea', 'a clock', 'roads', 'a garden']

/** Requests of two models: some want one word, some an essay, and their lengths follow. */
function logOf(count: number): string {
  const random = new Random(core, 1)
  const rows = Array.from({ length: count }, () => {
    const topic = TOPICS[random.integer(TOPICS.length)]!
    const isLong = random.uniform() < 0.3
    const prompt = isLong ? `Write a long and detailed essay on ${topic}.` : `In one word: what is ${topic}?`
    const outputTokens = isLong ? 400 + random.integer(600) : 3 + random.integer(20)
    return JSON.stringify({ model: random.uniform() < 0.5 ? 'a' : 'b', prompt, output_tokens: outputTokens })
  })
  return rows.join('\n')
}

const arrivals = () =>
  `arrival_ms,context_tokens,generated_tokens\n${Array.from({ length: 400 }, (_, i) => `${i * i * 10},1,${5 + ((i * 37) % 300)}`).join('\n')}`

function hostWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const host = createFakeHost()
  for (const [name, content] of Object.entries(files)) host.files.set(name, content)
  return host
}

async function scheduleJson(files: Readonly<Record<string, string | Uint8Array>>, ...argv: string[]) {
  const host = hostWith(files)
  expect(await main(['schedule', ...argv, '--json', '--seeds', '2', '--count', '300'], host), host.err()).toBe(0)
  return JSON.parse(host.out())
}

interface Result {
  readonly batching: string
  readonly policy: string
  readonly load: number
  readonly meanJctOverFcfs: { readonly mean: number }
  readonly maxWaitOverFcfs: { readonly mean: number }
}

const find = (report: { readonly results: readonly Result[] }, policy: string, batching = 'none') =>
  report.results.find((one) => one.policy === policy && one.batching === batching)!

describe('trimtab schedule', () => {
  it('tells every policy beside first come, first served', async () => {
    const host = hostWith({ 'r.jsonl.gz': gzipSync(logOf(500)) })
    const code = await main(['schedule', '--requests', 'r.jsonl.gz', '--seeds', '2', '--count', '300'], host)
    expect(code, host.err()).toBe(0)
    const lines = host.out().split('\n')
    expect(lines[0]).toMatch(
      /^r\.jsonl\.gz: 500 requests of 2 models · lengths from shipped weights, 0\.\d{3} of pairs/,
    )
    expect(lines[1]).toMatch(/^simulated: 300 requests × 2 seeds, Poisson arrivals · 1 server/)
    expect(lines.filter((line) => /± /.test(line)).map((line) => line.split('  ')[0])).toEqual([
      'first come, first served',
      'shortest class first',
      'shortest first, ageing',
      'shortest first, no ageing',
      'true lengths, no ageing',
    ])
    expect(host.err()).toContain('replays')
  })

  it('serves the shortest first, to the good of the mean, and ageing shortens the longest wait', async () => {
    const report = await scheduleJson(
      { 'r.jsonl': logOf(500) },
      ...['--requests', 'r.jsonl', '--batching', 'none,dynamic,continuous', '--online'],
    )
    for (const batching of ['none', 'dynamic', 'continuous']) {
      expect(find(report, 'oracle', batching).meanJctOverFcfs.mean).toBeLessThan(0.8)
      expect(find(report, 'ssjf-unaged', batching).meanJctOverFcfs.mean).toBeLessThan(0.9)
      expect(find(report, 'ssjf', batching).maxWaitOverFcfs.mean).toBeLessThanOrEqual(
        find(report, 'ssjf-unaged', batching).maxWaitOverFcfs.mean,
      )
    }
    expect(find(report, 'fcfs').meanJctOverFcfs.mean).toBe(1)
  })

  it('is first come, first served at bypass 0', async () => {
    const report = await scheduleJson(
      { 'r.jsonl': logOf(300) },
      ...['--requests', 'r.jsonl', '--policy', 'ssjf', '--bypass', '0'],
    )
    expect(find(report, 'ssjf').meanJctOverFcfs.mean).toBe(1)
  })

  it('gives the same JSON for the same seed and another for another', async () => {
    const run = (seed: string) =>
      scheduleJson({ 'r.jsonl': logOf(200) }, '--requests', 'r.jsonl', '--policy', 'oracle', '--seed', seed)
    expect(await run('1')).toEqual(await run('1'))
    expect(await run('2')).not.toEqual(await run('1'))
  })

  it('takes the moments of another log, and those of its own', async () => {
    const files = { 'r.jsonl': logOf(200), 'azure.csv': arrivals() }
    const lent = await scheduleJson(
      files,
      ...['--requests', 'r.jsonl', '--arrivals', 'azure.csv', '--policy', 'oracle'],
    )
    expect(lent.settings.arrivals).toBe('arrivals of azure.csv, rescaled')
    const own = await scheduleJson(files, ...['--requests', 'azure.csv', '--policy', 'fcfs,oracle'])
    expect(own.settings.arrivals).toBe('arrivals of azure.csv, rescaled')
    const poisson = await scheduleJson(
      files,
      ...['--requests', 'azure.csv', '--arrivals', 'poisson', '--policy', 'fcfs,oracle'],
    )
    expect(poisson.settings.arrivals).toBe('Poisson arrivals')
  })

  it('lends the predictor’s measured error to a log without prompts', async () => {
    const report = await scheduleJson(
      { 'r.jsonl': logOf(500), 'azure.csv': arrivals() },
      ...['--requests', 'azure.csv', '--errors-of', 'r.jsonl', '--policy', 'ssjf-unaged,oracle'],
    )
    expect(report.estimates.name).toBe('the true ones with the error of shipped weights on r.jsonl')
    const [told, truth] = [find(report, 'ssjf-unaged'), find(report, 'oracle')].map((one) => one.meanJctOverFcfs.mean)
    expect(told).toBeGreaterThan(truth!)
  })

  it('serves one model, and several loads', async () => {
    const report = await scheduleJson(
      { 'r.jsonl': logOf(300) },
      ...['--requests', 'r.jsonl', '--served', 'a', '--policy', 'oracle', '--rho', '0.9,0.5'],
    )
    expect(report.log.models).toBe(1)
    expect(report.results.map(({ load }: Result) => load)).toEqual([0.5, 0.9])
  })

  it('writes a page with a line a policy and its numbers inside', async () => {
    const host = hostWith({ 'r.jsonl': logOf(300) })
    const argv = ['schedule', '--requests', 'r.jsonl', '--rho', '0.5,0.9', '--seeds', '2', '--count', '200']
    expect(await main([...argv, '--report', 's.html'], host)).toBe(0)
    const page = String(host.files.get('s.html'))
    expect(page.match(/class="line s-/g)).toHaveLength(15) // by load, by percentile, by length
    expect(page).not.toMatch(/https?:\/\//)
    const json = /<script type="application\/json" id="trimtab-schedule">(.*?)<\/script>/s.exec(page)![1]!
    expect(JSON.parse(json).results).toHaveLength(10)
    expect(host.err()).toContain('written: s.html')
  })

  it.each([
    [[], /a log is missing: --requests FILE/],
    [['--requests', 'none.jsonl'], /none\.jsonl cannot be read/],
    [['--requests', 'azure.csv'], /azure\.csv has no prompts to predict from: add --errors-of FILE/],
    [['--requests', 'azure.csv', '--errors-of', 'azure.csv'], /not every request there has a prompt/],
    [['--requests', 'azure.csv', '--errors-of', 'r.jsonl', '--online'], /--online needs prompts/],
    [['--requests', 'r.jsonl', '--served', 'c'], /has no request to "c"/],
    [['--requests', 'r.jsonl', '--arrivals', 'r.jsonl'], /r\.jsonl has no arrival times/],
    [['--requests', 'r.jsonl', '--arrivals', 'azure.csv'], /azure\.csv has 400 arrivals, 4000 are asked for/],
    [['--requests', 'r.jsonl', '--model', 'r.jsonl'], /--model r\.jsonl cannot be used/],
    [['--requests', 'r.jsonl', '--rho', '0'], /--rho must be numbers above 0/],
    [['--requests', 'r.jsonl', '--policy', 'sjf'], /--policy must name some of/],
    [['--requests', 'r.jsonl', '--report', '/forbidden/x.html'], /cannot be written/],
  ])('refuses %j', async (argv, message) => {
    const host = hostWith({ 'r.jsonl': logOf(50), 'azure.csv': arrivals() })
    expect(await main(['schedule', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(message)
    expect(host.out()).toBe('')
  })
})
