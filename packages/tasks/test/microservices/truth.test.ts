import { type Core, createCore } from '@trimtab/core'
import type { Trace } from '@trimtab/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Anomaly,
  faultFreeSlosMs,
  groundTruth,
  MicroserviceSimulator,
  p99sMs,
} from '../../src/microservices/index.js'
import { anomalyAt, call, graphOf, service } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** front calls a and b one after the other, and log without waiting; idle is nobody's. */
const graph = graphOf(
  call('front', 2, { stages: [[call('a', 8)], [call('b', 8)], [call('log', 4, { background: true })]] }),
  ['front', 'a', 'b', 'log', 'idle'].map((name) => service(name, { variability: 0.3, workers: 2 })),
  { ratePerSecond: 60, timeoutMs: 2000 },
)

const on = (name: string, options: Partial<Anomaly> = {}): Anomaly =>
  anomalyAt('cpu', { target: { service: name, replica: 0 }, intensity: 0.9, ...options })

/** Who is responsible in each of three windows of 10 s. */
function blame(anomalies: readonly Anomaly[], factor = 1.5): string[][] {
  const slosMs = faultFreeSlosMs(core, graph, { seed: 99, factor })
  const truths = groundTruth(core, graph, { name: 'test', anomalies }, { slosMs, windows: 4, seed: 5 })
  return truths.map((truth) => truth.anomalies.filter((one) => one.isResponsible[0]).flatMap((one) => one.instances))
}

describe('who is responsible for a broken SLO', () => {
  it('the injected replica that the requests wait for', () => {
    expect(blame([on('a')])[1]).toEqual(['a-0'])
  })

  it('not one that is injected but idle, in the background, or stressed where it does nothing', () => {
    const harmless = [on('idle'), on('log'), on('b', { kind: 'disk-io' }), on('b', { intensity: 0.02 })]
    expect(blame([on('a'), ...harmless])[1]).toEqual(['a-0'])
    expect(blame(harmless)).toEqual([[], [], [], []])
  })

  it('both, where either is enough', () => {
    expect(blame([on('a'), on('b')])[1]).toEqual(['a-0', 'b-0'])
  })

  it('both, where only the two together are enough', () => {
    const mild = [on('a', { intensity: 0.5 }), on('b', { intensity: 0.5 })]
    const [together, first, second] = [mild, mild.slice(0, 1), mild.slice(1)].map(
      (anomalies) => blame(anomalies, 1.95)[1],
    )
    expect([together, first, second]).toEqual([['a-0', 'b-0'], [], []])
  })

  it('what left its queue behind, in the next window', () => {
    const late = on('a', { startSeconds: 15, durationSeconds: 4.9, intensity: 1 })
    const slosMs = faultFreeSlosMs(core, graph, { seed: 99 })
    const truths = groundTruth(core, graph, { name: 'late', anomalies: [late] }, { slosMs, windows: 4, seed: 5 })
    expect(truths.map(({ anomalies }) => anomalies.map(({ isActive }) => isActive))).toEqual([[], [true], [false], []])
    expect(truths[2]!.isViolated[0]).toBe(1)
    expect(truths[2]!.anomalies[0]!.isResponsible[0]).toBe(1)
  })

  it('nobody in windows that keep their SLO', () => {
    expect(blame([on('a')])[0]).toEqual([])
    expect(blame([on('a')], 1000)).toEqual([[], [], [], []])
  })
})

it('what would have been is what a run without the anomaly is', () => {
  const anomalies = [on('a'), on('b', { startSeconds: 13, durationSeconds: 4, intensity: 0.8 })]
  const slosMs = faultFreeSlosMs(core, graph, { seed: 99 })
  const truths = groundTruth(core, graph, { name: 'two', anomalies }, { slosMs, windows: 3, seed: 5 })
  const p99With = (kept: readonly Anomaly[]): number[] => {
    const simulator = new MicroserviceSimulator(core, graph, { campaign: { name: 'x', anomalies: kept }, seed: 5 })
    const p99s = [10, 20, 30].map((second) => {
      simulator.run(second)
      return p99sMs(simulator.collect())[0]!
    })
    simulator.dispose()
    return p99s
  }
  expect(truths.map(({ p99Ms }) => p99Ms[0])).toEqual(p99With(anomalies))
  expect(truths.map(({ faultFreeMs }) => faultFreeMs[0])).toEqual(p99With([]))
  for (const [index, other] of [1, 0].entries()) {
    const { withoutMs, aloneMs } = truths[1]!.anomalies[index]!
    expect(withoutMs[0]).toBe(p99With([anomalies[other]!])[1])
    expect(aloneMs[0]).toBe(p99With([anomalies[index]!])[1])
  }
})

it('gives every trace of the run with all anomalies, each in the window in which it ended', () => {
  const slosMs = faultFreeSlosMs(core, graph, { seed: 99, seconds: 20 })
  const seen: [Trace, number][] = []
  const campaign = { name: 'one', anomalies: [on('a')] }
  groundTruth(core, graph, campaign, {
    slosMs,
    windows: 3,
    seed: 5,
    onTrace: (trace, window) => seen.push([trace, window]),
  })
  expect(seen.length).toBeGreaterThan(1500)
  for (const [trace, window] of seen) {
    const ended = (Number(trace.originUnixNs) + Math.max(...trace.endNs)) / 1e9
    expect(Math.min(2, Math.floor(ended / 10))).toBe(window)
  }
  const slower = (window: number): number => seen.filter(([trace, at]) => at === window && trace.endNs[0]! > 1e8).length
  expect(slower(1)).toBeGreaterThan(10 * (slower(0) + 1))
})
