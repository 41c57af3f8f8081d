import { describe, expect, it } from 'vitest'
import { GatewayMetrics } from '../src/gateway-metrics.js'

const readings = {
  stats: () =>
    ({ waiting: 0, running: 0, oldestWaitMs: 0, estimatorErrors: 0, all: { bypasses: 0 }, classes: [] }) as never,
  concurrency: () => 1,
  bufferedBytes: () => 0,
  isDraining: () => false,
  upstreams: () => [],
}

describe('series by model', () => {
  const waitsOf = (metrics: GatewayMetrics, model: string): string | undefined =>
    new RegExp(`wait_seconds_count\\{model="${model}"\\} (\\d+)`).exec(metrics.render())?.[1]

  it('are its own from its eighth request on, as long as 64 models are used more lately', () => {
    const metrics = new GatewayMetrics(readings)
    const ask = (model: string): void => metrics.of(model).waits.observe(1)
    for (let i = 0; i < 10; i++) ask('earliest')
    expect(waitsOf(metrics, 'earliest')).toBe('3')
    const running = metrics.of('earliest')
    for (let model = 0; model < 64; model++) for (let i = 0; i < 8; i++) ask(`m${model}`)
    running.services.observe(1)
    expect(metrics.render()).not.toContain('earliest')
    expect(waitsOf(metrics, 'm63')).toBe('1')
    expect(waitsOf(metrics, 'other')).toBe(String(7 + 64 * 7))
  })

  it('of a model that is named other are those of all others, and stay', () => {
    const metrics = new GatewayMetrics(readings)
    for (let i = 0; i < 10; i++) metrics.of('other').waits.observe(1)
    for (let model = 0; model < 64; model++) for (let i = 0; i < 8; i++) metrics.of(`m${model}`)
    expect(waitsOf(metrics, 'other')).toBe('10')
  })
})
