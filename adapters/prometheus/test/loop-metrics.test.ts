import { once } from 'node:events'
import http, { type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CLIP_REASONS, ControlLoop, FALLBACK_REASONS, rulePilot, type Tick } from '@trimtab/control'
import type { LiveEnvironment } from '@trimtab/core'
import { afterEach, describe, expect, it } from 'vitest'
import { LoopMetrics, METRICS_CONTENT_TYPE, PrometheusClient, renderMetrics } from '../src/index.js'
import { readExposition } from './exposition.js'
import { HAS_PROMETHEUS, lint, RealPrometheus, sayUnchecked } from './real-prometheus.js'

if (!HAS_PROMETHEUS) sayUnchecked('the page of metrics')

/** A loop under a rule that asks for 9 of at most 5 replicas, of which 2 a step are allowed; its second observation is missing. */
async function run(loops: LoopMetrics): Promise<Tick[]> {
  const observations = [1, Number.NaN, 3, 4]
  const space = (name: string, high: number) =>
    ({ names: [name], low: Float64Array.of(0), high: Float64Array.of(high), kind: 'box' }) as const
  const environment: LiveEnvironment = {
    observation: space('load', 10),
    action: space('replicas', 5),
    reset: async () => Float32Array.of(observations.shift()!),
    step: async () => {
      const isLast = observations.length === 1
      const observation = Float32Array.of(observations.shift()!)
      return { observation, reward: observation[0]! / 2, terminated: isLast, truncated: false, info: {} }
    },
  }
  const rule = {
    name: 'nine',
    decide: (observation: Float32Array, out: Float32Array) =>
      void out.fill(Number.isNaN(observation[0]) ? Number.NaN : 9),
  }
  let micros = 0
  const clock = { now: () => (micros += 0.05) }
  const guard = { limits: { replicas: { increase: { maxStep: 2 } } }, initialAction: [1] }
  const ticks: Tick[] = []
  for await (const tick of new ControlLoop({
    environment,
    pilot: rulePilot(rule),
    episodes: 1,
    clock,
    guard,
  } as never)) {
    loops.observe(tick)
    ticks.push(tick)
  }
  return ticks
}

const valuesOf = (loops: LoopMetrics) => {
  const values = new Map<string, number>()
  for (const { samples } of readExposition(renderMetrics(loops.metrics)).values()) {
    for (const [name, value] of samples) values.set(name, value)
  }
  return values
}

describe('metrics of control loops', () => {
  it('count what the ticks say', async () => {
    const loops = new LoopMetrics()
    const ticks = await run(loops)
    const values = valuesOf(loops)
    const count = (of: (tick: Tick) => boolean) => ticks.filter(of).length
    for (const source of ['agent', 'rule', 'hold'])
      expect(values.get(`trimtab_loop_steps_total{source="${source}"}`)).toBe(count((tick) => tick.source === source))
    for (const reason of FALLBACK_REASONS)
      expect(values.get(`trimtab_loop_fallbacks_total{reason="${reason}"}`)).toBe(
        count((tick) => tick.fallback === reason),
      )
    for (const reason of CLIP_REASONS)
      expect(values.get(`trimtab_loop_clipped_actions_total{reason="${reason}"}`)).toBe(
        count((tick) => tick.clippedBy.includes(reason)),
      )
    expect(values.get('trimtab_loop_unrewarded_steps_total')).toBe(count(({ reward }) => Number.isNaN(reward)))
    expect(values.get('trimtab_loop_reward')).toBe(2)
    expect(values.get('trimtab_decision_duration_seconds_count')).toBe(ticks.length)
    expect(values.get('trimtab_loop_fallbacks_total{reason="missing"}')).toBe(1)
    expect(values.get('trimtab_loop_clipped_actions_total{reason="step"}')).toBeGreaterThan(0)
  })

  it('are as many series for many loops as for none', async () => {
    const loops = new LoopMetrics()
    const names = [...valuesOf(loops).keys()]
    for (let i = 0; i < 3; i++) await run(loops)
    expect([...valuesOf(loops).keys()]).toEqual(names)
    expect(names.length).toBeLessThan(50)
  })
})

describe.runIf(HAS_PROMETHEUS)('a page of metrics before a real Prometheus', () => {
  let server: Server | undefined
  let prometheus: RealPrometheus | undefined
  afterEach(async () => {
    server?.close()
    server?.closeAllConnections()
    await prometheus?.stop()
  })

  it('is named by convention', () => {
    expect(lint(renderMetrics(new LoopMetrics().metrics))).toBe('')
    expect(lint('# HELP Bad_count x.\n# TYPE Bad_count counter\nBad_count 1\n')).toMatch(/should have "_total" suffix/)
  })

  it('is scraped, and is missing soon after it is gone', async () => {
    const loops = new LoopMetrics()
    await run(loops)
    server = http.createServer((_, response) =>
      response.setHeader('content-type', METRICS_CONTENT_TYPE).end(renderMetrics(loops.metrics)),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = `
      global: { scrape_interval: 200ms, scrape_timeout: 200ms }
      scrape_configs: [{ job_name: loops, static_configs: [{ targets: ["${target}"] }] }]`
    prometheus = await RealPrometheus.start({ config })
    using client = new PrometheusClient({ url: prometheus.url })
    const ask = async (promql: string) => (await client.query(promql)).samples.map(({ value }) => value)
    const steps = valuesOf(loops).get('trimtab_loop_steps_total{source="rule"}')
    await expect.poll(() => ask('trimtab_loop_steps_total{source="rule"}'), { timeout: 30_000 }).toEqual([steps])
    expect(await ask('trimtab_loop_reward')).toEqual([2])
    expect(await ask('up{job="loops"}')).toEqual([1])
    server.close()
    server.closeAllConnections()
    // Prometheus marks the series stale with the first scrape that fails; it does not go on for five minutes.
    await expect.poll(() => ask('trimtab_loop_reward'), { timeout: 10_000 }).toEqual([])
  })
})
