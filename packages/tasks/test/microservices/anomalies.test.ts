import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ANOMALY_KINDS,
  type Anomaly,
  type AnomalyKind,
  type AnomalyPattern,
  latencyMs,
  levelAt,
  MicroserviceSimulator,
  RESOURCE_OF,
  RESOURCES,
  STRONGEST,
} from '../../src/microservices/index.js'
import { anomalyAt, graphOf, hotel, live, service, workOf } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** a, which calls b: 1 ms of each resource, no chance in the work and next to no load. */
const quiet = () => {
  const work = workOf({ cpu: 1, memoryBandwidth: 1, llc: 1, diskIo: 1, network: 1 })
  const entry = { service: 'a', work, stages: [[{ service: 'b', work }]] }
  return graphOf(entry, [service('a', { replicas: 2 }), service('b')], { ratePerSecond: 4 })
}

/** Median time that visits to a replica take, ms, while an anomaly of intensity ½ acts on `a-0`, and what it uses. */
function during(kind: AnomalyKind) {
  const anomaly = anomalyAt(kind, { target: { service: 'a', replica: 0 }, durationSeconds: 200 })
  const { instances } = live(core, quiet(), [10, 200], { campaign: { name: 'one', anomalies: [anomaly] }, seed: 4 })
  return Object.fromEntries(instances.map((instance) => [instance.name, instance]))
}

describe('each kind of anomaly slows what it should, as much as it should, and nothing else', () => {
  it.each(ANOMALY_KINDS.filter((kind) => RESOURCE_OF[kind]))('%s', (kind) => {
    const { 'a-0': hit, 'a-1': twin, 'b-0': b } = during(kind)
    const alone = 10 // 5 ms of its own, 5 ms of b
    const slower = 1 / (1 - STRONGEST.interference / 2) - 1 // of the one ms that the resource takes
    expect(twin!.meanSojournMs).toBeCloseTo(alone, 0)
    expect(hit!.meanSojournMs - twin!.meanSojournMs).toBeCloseTo(slower, 1)
    expect(b!.meanSojournMs).toBeCloseTo(5, 0)
    for (const resource of RESOURCES) {
      const extra = resource === RESOURCE_OF[kind] ? STRONGEST.interference / 2 : 0
      expect(hit!.utilisation01[resource] - hit!.used[resource] / hit!.grant[resource]).toBeCloseTo(extra, 6)
    }
  })

  it('network-delay: every packet that leaves the replica, its calls and its answer', () => {
    const { 'a-0': hit, 'a-1': twin, 'b-0': b } = during('network-delay')
    expect(hit!.meanSojournMs - twin!.meanSojournMs).toBeCloseTo(STRONGEST.delayMs, 0) // half of it, twice
    expect(b!.meanSojournMs).toBeCloseTo(5, 0)
    expect(hit!.busy01).toBeCloseTo(twin!.busy01, 2)
  })

  it('workload: more calls to the replica, which it answers alone', () => {
    const { 'a-0': hit, 'a-1': twin, 'b-0': b } = during('workload')
    const surge = (STRONGEST.surge / 2) * 200 // a visit takes 5 ms
    expect(hit!.arrivals / 190 / (surge + 2)).toBeCloseTo(1, 1)
    expect(hit!.busy01).toBeGreaterThan(0.55)
    expect(twin!.busy01).toBeLessThan(0.05)
    expect(b!.arrivals / 190).toBeCloseTo(4, 0)
    expect(hit!.meanWaitMs).toBeGreaterThan(2)
  })

  it('workload at a front door: whole requests, counted with the others of their type', () => {
    const anomaly = anomalyAt('workload', { target: { request: 'get' }, durationSeconds: 100 })
    const { requests, instances } = live(core, quiet(), [10, 110], { campaign: { name: 'one', anomalies: [anomaly] } })
    expect(requests[0]!.arrivals / 100).toBeCloseTo(4 * (1 + STRONGEST.frontDoor / 2), 0)
    expect(instances.at(-1)!.arrivals).toBe(requests[0]!.served)
  })

  it('a target without a replica is the whole service, new replicas too', () => {
    const anomalies = [anomalyAt('cpu', { startSeconds: 0, durationSeconds: 1000 })]
    const simulator = new MicroserviceSimulator(core, quiet(), { campaign: { name: 'one', anomalies } })
    simulator.scale('a', 3, 0)
    simulator.run(1)
    simulator.collect()
    simulator.run(300)
    const stressed = simulator.collect().instances.filter(({ service }) => service === 'a')
    expect(stressed.length).toBe(3)
    for (const { utilisation01, used } of stressed)
      expect(utilisation01.cpu - used.cpu).toBeCloseTo(STRONGEST.interference / 2, 6)
    simulator.dispose()
  })

  it('several on one resource each take their part of what the others left', () => {
    const anomalies = [0.5, 0.25].map((intensity) => anomalyAt('cpu', { intensity, startSeconds: 0 }))
    const { instances } = live(core, quiet(), [0, 10], { campaign: { name: 'two', anomalies } })
    const left = (1 - STRONGEST.interference / 2) * (1 - STRONGEST.interference / 4)
    expect(instances[0]!.utilisation01.cpu - instances[0]!.used.cpu).toBeCloseTo(1 - left, 6)
  })

  it('a larger grant makes up for a stressor', () => {
    const anomalies = [anomalyAt('disk-io', { startSeconds: 0, durationSeconds: 1e4 })]
    const simulator = new MicroserviceSimulator(core, quiet(), { campaign: { name: 'one', anomalies } })
    const medianWith = (diskIo: number): number => {
      for (const index of [0, 1]) simulator.setGrant(index, { ...quiet().services[0]!.grant, diskIo })
      simulator.run(simulator.nowSeconds + 5)
      simulator.collect()
      simulator.run(simulator.nowSeconds + 100)
      return latencyMs(simulator.collect().requests[0]!, 50)
    }
    const slow = medianWith(1)
    expect(slow).toBeGreaterThan(10.5)
    expect(medianWith(1 / (1 - STRONGEST.interference / 2))).toBeCloseTo(10, 1)
    simulator.dispose()
  })
})

describe('when an anomaly acts', () => {
  const at = (pattern: AnomalyPattern, second: number): number =>
    levelAt(core.math, anomalyAt('cpu', { pattern, intensity: 0.8 }), second)

  it.each<[AnomalyPattern, readonly [second: number, level: number][]]>([
    [
      'constant',
      [
        [9.99, 0],
        [10, 0.8],
        [19.99, 0.8],
        [20, 0],
      ],
    ],
    [
      'step',
      [
        [10, 0.2],
        [12.49, 0.2],
        [12.51, 0.4],
        [15.01, 0.6],
        [17.51, 0.8],
        [20, 0],
      ],
    ],
    [
      'ramp',
      [
        [10, 0],
        [12.5, 0.2],
        [15, 0.4],
        [19.999, 0.79992],
        [20, 0],
      ],
    ],
    [
      'sine',
      [
        [10, 0],
        [12.5, 0.8],
        [15, 0],
        [11.25, 0.4],
        [20, 0],
      ],
    ],
  ])('%s', (pattern, levels) => {
    expect(levels.map(([second]) => at(pattern, second))).toEqual(levels.map(([, level]) => expect.closeTo(level, 9)))
  })

  it('random: another level every second, within its intensity, the same whenever it is asked for', () => {
    const seconds = Array.from({ length: 10 }, (_, i) => 10 + i)
    const levels = seconds.map((second) => at('random', second))
    expect(new Set(levels).size).toBe(10)
    expect(levels.every((level) => level >= 0 && level <= 0.8)).toBe(true)
    expect(seconds.map((second) => at('random', second + 0.7))).toEqual(levels)
  })

  it('before it starts and once its queue is gone, nothing is different from a run without it', () => {
    const campaign = { name: 'one', anomalies: [anomalyAt('cpu', { target: { service: 'search' }, intensity: 0.95 })] }
    const windows = (options: object): string[] => {
      const simulator = new MicroserviceSimulator(core, hotel(core), { seed: 6, ...options })
      const told = [10, 20, 30, 40].map((second) => {
        simulator.run(second)
        return JSON.stringify(simulator.collect())
      })
      simulator.dispose()
      return told
    }
    const [usual, stressed] = [windows({}), windows({ campaign })]
    expect(stressed.map((window, i) => window === usual[i])).toEqual([true, false, false, true])
  })

  it('a surge follows its pattern', () => {
    const anomalies = [anomalyAt('workload', { pattern: 'ramp', durationSeconds: 100, intensity: 1 })]
    const simulator = new MicroserviceSimulator(core, quiet(), { campaign: { name: 'one', anomalies } })
    const arrivals = [10, 35, 60, 85, 110, 120].map((second) => {
      simulator.run(second)
      return simulator.collect().instances[0]!.arrivals / 25
    })
    const surge = STRONGEST.surge * 200 // of one replica
    for (const [i, share] of [1 / 8, 3 / 8, 5 / 8, 7 / 8].entries())
      expect(arrivals[i + 1]! / (share * surge + 2)).toBeCloseTo(1, 1)
    expect(arrivals[5]!).toBeLessThan(3)
    simulator.dispose()
  })

  it('what is suppressed has never been, to the byte', () => {
    const anomalies: Anomaly[] = ANOMALY_KINDS.map((kind) =>
      anomalyAt(kind, { target: { service: 'search' }, startSeconds: 2, durationSeconds: 5, intensity: 0.9 }),
    )
    const windows = (suppressed: ReadonlySet<number>, campaign = { name: 'all', anomalies }): string => {
      const simulator = new MicroserviceSimulator(core, hotel(core), { campaign, seed: 8 })
      simulator.suppress(suppressed)
      simulator.run(10)
      const told = JSON.stringify(simulator.collect())
      simulator.dispose()
      return told
    }
    expect(windows(new Set(anomalies.keys()))).toBe(windows(new Set(), { name: 'none', anomalies: [] }))
    const onlyCpu = windows(new Set([...anomalies.keys()].filter((index) => anomalies[index]!.kind !== 'cpu')))
    expect(onlyCpu).toBe(windows(new Set(), { name: 'cpu', anomalies: anomalies.filter(({ kind }) => kind === 'cpu') }))
    expect(onlyCpu).not.toBe(windows(new Set()))
  })
})
