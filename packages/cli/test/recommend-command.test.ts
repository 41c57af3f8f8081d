import { DEPLOYMENTS } from '@trimtab/kubernetes'
import type { TimeRange } from '@trimtab/prometheus'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deployment } from '../../../adapters/kubernetes/test/objects.js'
import { open, temporaryFile } from '../../../adapters/kubernetes/test/opened.js'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from '../../../adapters/prometheus/test/real-prometheus.js'
import { freePort } from '../../../test/free-port.js'
import { main } from '../src/main.js'
import { readHistory } from '../src/recommendation/history.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

if (!HAS_PROMETHEUS) sayUnchecked('trimtab recommend')

const START = 1_700_000_000
const HOURS = 4
const SCRAPE = 30
const END = START + HOURS * 3600
const MIB = 2 ** 20
const PODS = ['web-6d5f-abcde', 'web-6d5f-bcdef', 'web-6d5f-cdefg']
/** Of a Deployment of which kube-state-metrics tells nothing, and nobody anything in the second hour. */
const API_PODS = ['api-6d5f-abcde', 'api-6d5f-bcdef']
const OF_ANOTHER = 'web-admin-6d5f-abcde' // of the Deployment web-admin

/**
 * Four hours of three pods that request 500m and 512Mi, use 0.1 cores and 100 MiB each, and answer 30 requests a second: within 100 ms, but in
 * the third hour within 250 to 500 ms. A pod of another Deployment uses much.
 */
function samples(): string {
  const families = new Map<string, string[]>()
  const add = (family: string, type: string, line: string): void => {
    const lines = families.get(family) ?? [`# TYPE ${family} ${type}`]
    families.set(family, lines)
    lines.push(line)
  }
  const times = Array.from({ length: (HOURS * 3600) / SCRAPE + 1 }, (_, i) => START + i * SCRAPE)
  for (const pod of [...PODS, OF_ANOTHER]) {
    const cores = pod === OF_ANOTHER ? 30 : 0.1
    const labels = `namespace="default",pod="${pod}",container="main"`
    for (const at of times) {
      const seconds = at - START
      add(
        'container_cpu_usage_seconds',
        'counter',
        `container_cpu_usage_seconds_total{${labels}} ${seconds * cores} ${at}`,
      )
      add(
        'container_memory_working_set_bytes',
        'gauge',
        `container_memory_working_set_bytes{${labels}} ${100 * MIB} ${at}`,
      )
    }
    for (const [resource, amount] of [
      ['cpu', 0.5],
      ['memory', 512 * MIB],
    ] as const)
      for (const at of times)
        add(
          'requests',
          'gauge',
          `kube_pod_container_resource_requests{${labels},resource="${resource}"} ${amount} ${at}`,
        )
  }
  families.set('requests', ['# TYPE kube_pod_container_resource_requests gauge', ...families.get('requests')!.slice(1)])
  for (const pod of API_PODS) {
    const labels = `namespace="default",pod="${pod}",container="main"`
    for (const at of times) {
      if (at > START + 3600 && at < START + 2 * 3600) continue
      add(
        'container_cpu_usage_seconds',
        'counter',
        `container_cpu_usage_seconds_total{${labels}} ${(at - START) * 0.1} ${at}`,
      )
      add(
        'container_memory_working_set_bytes',
        'gauge',
        `container_memory_working_set_bytes{${labels}} ${100 * MIB} ${at}`,
      )
    }
  }
  for (const pod of PODS) {
    let [fast, slow] = [0, 0]
    const lines: Record<string, string[]> = { '0.1': [], '0.25': [], '0.5': [], '+Inf': [] }
    for (const at of times) {
      const isSlow = at > START + 2 * 3600 && at <= START + 3 * 3600
      if (isSlow) slow += 10 * SCRAPE
      else fast += 10 * SCRAPE
      const upTo = { '0.1': fast, '0.25': fast, '0.5': fast + slow, '+Inf': fast + slow }
      for (const [le, count] of Object.entries(upTo))
        lines[le]!.push(
          `http_request_duration_seconds_bucket{namespace="default",pod="${pod}",le="${le}"} ${count} ${at}`,
        )
      add('http_requests', 'counter', `http_requests_total{namespace="default",pod="${pod}"} ${fast + slow} ${at}`)
    }
    for (const each of Object.values(lines)) for (const line of each) add('durations', 'histogram', line)
  }
  families.set('durations', ['# TYPE http_request_duration_seconds histogram', ...families.get('durations')!.slice(1)])
  const ratio = times.map((at) => `broken_ratio NaN ${at}`)
  return [...[...families.values()].flat(), '# TYPE broken_ratio gauge', ...ratio].join('\n')
}

/** A cluster with three pods of `web` and two of `api`, and how to ask about it. */
async function openWeb(prometheusUrl: string) {
  const { standIn, client } = await open()
  const create = async (name: string, replicas: number) => {
    const { metadata, spec } = deployment('default', name, replicas)
    const resources = { requests: { cpu: '500m', memory: '512Mi' } }
    const template = { ...spec!.template, spec: { containers: [{ name: 'main', image: name, resources }] } }
    await client.create(DEPLOYMENTS, { metadata: metadata!, spec: { ...spec!, template } })
  }
  await create('web', 3)
  await create('api', 2)
  const kubeconfig = await temporaryFile(standIn.kubeconfig())
  const askOf = async (workload: string, ...argv: string[]) => run(createFakeHost(), workload, ...argv)
  const run = async (host: FakeHost, workload: string, ...argv: string[]) => {
    standIn.seen.length = 0
    const call = ['recommend', workload, '--kubeconfig', kubeconfig, '--prometheus', prometheusUrl]
    const code = await main([...call, '--hours', String(HOURS), '--until', String(END), '--step', '30', ...argv], host)
    return { code, out: host.out(), err: host.err(), verbs: new Set(standIn.seen.map(({ verb }) => verb)) }
  }
  return { run, ask: (...argv: string[]) => askOf('deployment/web', ...argv), askOf }
}

describe.runIf(HAS_PROMETHEUS)('trimtab recommend', () => {
  let prometheus: RealPrometheus
  beforeAll(async () => {
    prometheus = await RealPrometheus.start({ samples: samples() })
  })
  afterAll(() => prometheus?.stop())

  it('says by the rule what would be requested, and what that would have saved, and only reads', async () => {
    const { ask } = await openWeb(prometheus.url)
    const { code, out, err, verbs } = await ask('--json')
    expect(code, err).toBe(0)
    const report = JSON.parse(out)
    // 3 pods of half a core and half a GiB, at 0.0335 and 0.0045 an hour.
    expect(report.requested).toEqual({
      now: { replicas: 3, coresPerReplica: 0.5, memoryMiBPerReplica: 512 },
      costPerHour: expect.closeTo(3 * (0.5 * 0.0335 + 0.5 * 0.0045), 9),
    })
    // HPA: a fifth of the request is used where 70 % should be, so 3 × 0.2 / 0.7 rounded up is 1, and 2 is the least.
    expect(report.rule).toMatchObject({ by: 'rule', now: { replicas: 2, coresPerReplica: 0.5 } })
    // VPA with four hours of history trusts nothing within seven times its target, so 512 MiB stay.
    expect(report.rule.now.memoryMiBPerReplica).toBe(512)
    // A third of the pods, but for the five minutes that HPA waits at first.
    expect(report.rule.saving01).toBeLessThan(1 / 3)
    expect(report.rule.saving01).toBeGreaterThan(1 / 3 - 10 / (60 * HOURS))
    expect(report.policy).toBeUndefined()
    expect(report.withoutPolicy).toMatch(/--p99-ms/)
    expect(report.slo).toBeUndefined()
    expect(verbs).toEqual(new Set(['get', 'list']))
  })

  it('asks the policy where there is a latency to keep, and counts how often it was broken as it is', async () => {
    const { ask } = await openWeb(prometheus.url)
    const { code, out, err, verbs } = await ask('--json', '--p99-ms', '250')
    expect(code, err).toBe(0)
    const report = JSON.parse(out)
    expect(report.slo.p99Ms).toBe(250)
    expect(report.slo.brokenPercent).toBeGreaterThan(24) // one hour of four, the window of two minutes at its ends
    expect(report.slo.brokenPercent).toBeLessThan(27)
    expect(report.history.measuredHours).toBeGreaterThan(HOURS - 0.1)
    expect(report.policy.now.replicas).toBeGreaterThanOrEqual(2)
    const { expected, low, high } = report.p99Ms
    expect([low < expected, expected < high]).toEqual([true, true])
    expect(report.missing.map(({ what }: { what: string }) => what)).toEqual(['kills'])
    expect(verbs).toEqual(new Set(['get', 'list']))
  })

  it('tells it in words, with the queries', async () => {
    const { ask } = await openWeb(prometheus.url)
    const { out } = await ask('--p99-ms', '250')
    expect(out).toMatch(/^Deployment web in default, container main$/m)
    expect(out).toMatch(/^ +requested +rule +policy$/m)
    expect(out).toMatch(/^replicas now +3 +2 +\d$/m)
    expect(out).toMatch(/p99 was above 250 ms.*in 2[4-6]\.\d\d % of the steps/)
    expect(out).toMatch(/kills: not known, no series.*no pod is taken to have been killed/)
    expect(out).toContain('sum(rate(http_requests_total{namespace="default",pod=~"web-[a-z0-9]+-[a-z0-9]+"}[2m]))')
    expect(out).toMatch(/Nothing was changed/)
  })

  it.each([
    ['no series', ['--load-query', 'sum(gone)'], /the load, by --load-query/, 'ratePerSecond'],
    ['NaN', ['--slo-query', 'broken_ratio'], /the latency, by --slo-query/, 'p99Seconds'],
    ['several series', ['--slo-query', 'http_requests_total'], /the latency, by --slo-query/, 'p99Seconds'],
  ])('decides by the rule alone where a query gives %s, and says so', async (_, argv, why, what) => {
    const { ask } = await openWeb(prometheus.url)
    const { code, out } = await ask('--json', '--p99-ms', '250', ...argv)
    expect(code).toBe(0)
    const report = JSON.parse(out)
    expect([report.policy, report.slo]).toEqual([undefined, undefined])
    expect(report.withoutPolicy).toMatch(why)
    expect(report.missing).toContainEqual(expect.objectContaining({ what, taken: 'the rule decides alone' }))
  })

  it('takes requests that were not recorded to be as they are, and an hour without pods to be unknown, not idle', async () => {
    const { askOf } = await openWeb(prometheus.url)
    const { code, out, err } = await askOf('api', '--json')
    expect(code, err).toBe(0)
    const report = JSON.parse(out)
    expect(report.history.measuredHours).toBeGreaterThan(HOURS - 1 - 0.2) // windows of minutes at the ends of the gap
    expect(report.history.measuredHours).toBeLessThan(HOURS - 1 + 0.2)
    expect(report.cores.requested.slice(20, 28)).toEqual(new Array(8).fill(null)) // of 60 stretches
    expect(report.requested.costPerHour).toBeCloseTo(2 * (0.5 * 0.0335 + 0.5 * 0.0045), 9)
    const taken = 'requests are taken to have always been as they are now'
    for (const what of ['requestedCores', 'requestedBytes'])
      expect(report.missing).toContainEqual(expect.objectContaining({ what, taken }))
  })

  it('ends when it is told to in the middle of its steps', async () => {
    const { run } = await openWeb(prometheus.url)
    const ending = new AbortController()
    const host = createFakeHost({ signal: ending.signal })
    const { stderr } = host
    const write = (text: string): unknown => {
      ending.abort() // at the first line of progress
      return stderr.write(text)
    }
    Object.defineProperty(host, 'stderr', { value: { ...stderr, write } })
    const { code, out } = await run(host, 'deployment/web')
    expect([code, out]).toEqual([130, ''])
  })

  it.each([
    ['a history without the pods', ['--until', String(START - 86_400)], 1, /nothing is known of what the pods used/],
    ['a query that does not parse', ['--p99-ms', '9', '--load-query', 'sum('], 1, /HTTP 400/],
    ['a time that is none', ['--until', 'noon'], 2, /--until must be a time/],
    ['bounds that cross', ['--min-replicas', '5', '--max-replicas', '4'], 2, /--max-replicas 4 is below/],
  ])('refuses %s', async (_, argv, code, text) => {
    const { ask } = await openWeb(prometheus.url)
    const answer = await ask(...argv)
    expect([answer.code, answer.out]).toEqual([code, ''])
    expect(answer.err).toMatch(text)
  })
})

describe('a history', () => {
  it('of more times than Prometheus answers at once is read in parts, without a seam', async () => {
    const asked: number[] = []
    const client = {
      queryRange: async (_: string, { startSeconds, endSeconds, stepSeconds }: TimeRange) => {
        const length = Math.round((endSeconds - startSeconds) / stepSeconds) + 1
        const values = Float64Array.from({ length }, (_, i) => startSeconds + i * stepSeconds)
        asked.push(length)
        return { timesSeconds: values, series: [{ labels: {}, values }], warnings: [] }
      },
    }
    const range = { startSeconds: START, endSeconds: START + 15 * 24_999, stepSeconds: 15 }
    const { timesSeconds, series } = await readHistory(
      client,
      { cores: 'x' } as never,
      range,
      new Map(),
      AbortSignal.any([]),
    )
    expect(asked).toEqual([10_000, 10_000, 5000])
    expect(timesSeconds).toHaveLength(25_000)
    expect(series.cores).toEqual(timesSeconds)
  })
})

describe('trimtab recommend', () => {
  it('says that Prometheus is down, and gives no number', async () => {
    const { ask } = await openWeb(`http://127.0.0.1:${await freePort()}`)
    const { code, out, err } = await ask()
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/cannot be reached|ECONNREFUSED/)
  })

  it.each([
    ['no workload', [], /one workload is judged, got 0/],
    ['a kind that is none', ['deploymet/web'], /KIND\/NAME .*did you mean deployment/],
    ['no Prometheus', ['web'], /--prometheus URL is needed/],
  ])('refuses %s with 2', async (_, argv, text) => {
    const host = createFakeHost()
    expect(await main(['recommend', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(text)
  })

  it('says what the cluster does not have', async () => {
    const { standIn } = await open()
    const host = createFakeHost()
    const kubeconfig = await temporaryFile(standIn.kubeconfig())
    const call = ['recommend', 'sts/db', '--kubeconfig', kubeconfig, '--prometheus', 'http://127.0.0.1:1']
    expect(await main(call, host)).toBe(1)
    expect(host.err()).toMatch(/statefulsets\/db: 404 NotFound/)
  })
})
