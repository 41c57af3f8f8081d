import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type MetricSpec,
  type Pod,
  type PodUsage,
  proposeReplicas,
  type Reading,
  type ReplicaProposal,
  replicasForAverage,
  replicasForPods,
  type Tolerances,
  utilizationRatio,
} from '../../../src/autoscaling/hpa/index.js'

const NOW = 1_000_000
const PERIODS = { cpuInitializationSeconds: 300, initialReadinessDelaySeconds: 30 }
const TOLERANCES = { up: 0.1, down: 0.1 }

function pod(name: string, requestMilli: number, over: Partial<Pod> = {}): Pod {
  return {
    name,
    phase: 'Running',
    isTerminating: false,
    ready: 'True',
    readyTransitionSeconds: 0,
    startSeconds: 0,
    containers: [{ name: 'app', requestsMilli: { cpu: requestMilli } }],
    ...over,
  }
}

const usageOf = (name: string, cpu: number): PodUsage => ({
  pod: name,
  atSeconds: NOW,
  windowSeconds: 30,
  containers: [{ name: 'app', usageMilli: { cpu } }],
})

function propose(
  metric: MetricSpec,
  reading: Reading | undefined,
  pods: readonly Pod[],
  specReplicas = pods.length,
): ReplicaProposal {
  const scale = { nowSeconds: NOW, specReplicas, statusReplicas: specReplicas, pods }
  return proposeReplicas(metric, reading, scale, TOLERANCES, PERIODS)
}

const cpuAt = (utilizationPercent: number): MetricSpec => ({
  source: 'resource',
  resource: 'cpu',
  target: { utilizationPercent },
})

describe('replicas for CPU utilization', () => {
  // 3 pods of 1 core use 900 m each: 90 % / 50 % = 1.8, and ⌈1.8 · 3⌉ = 6.
  it('brings the utilization to its target', () => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, 1000))
    const usage = pods.map(({ name }) => usageOf(name, 900))
    expect(propose(cpuAt(50), { usage }, pods)).toEqual({
      replicas: 6,
      utilizationPercent: 90,
      averageValueMilli: 900,
    })
  })

  // 55 % of 50 % is 1.1: the tolerance includes its ends.
  it('leaves the size alone up to the tolerance', () => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, 1000))
    expect(propose(cpuAt(50), { usage: pods.map(({ name }) => usageOf(name, 550)) }, pods).replicas).toBe(3)
    expect(propose(cpuAt(50), { usage: pods.map(({ name }) => usageOf(name, 560)) }, pods).replicas).toBe(4)
  })

  // Sampled: 200 of 1000 m, 20 % / 100 %. The missing pod counts as 100 %: (200 + 1000) / 2000 = 60 %, ⌈0.6 · 2⌉ = 2.
  it('takes a pod without a sample as fully used when it would shrink', () => {
    const pods = [pod('a', 1000), pod('b', 1000)]
    expect(propose(cpuAt(100), { usage: [usageOf('a', 200)] }, pods).replicas).toBe(2)
  })

  // Sampled: 190 % / 100 %. The missing pod counts as idle: 95 %, which is within tolerance.
  it('takes a pod without a sample as idle when it would grow', () => {
    const pods = [pod('a', 1000), pod('b', 1000)]
    expect(propose(cpuAt(100), { usage: [usageOf('a', 1900)] }, pods).replicas).toBe(2)
  })

  it('does not take the start-up work of a new pod for load', () => {
    const starting = pod('b', 1000, { startSeconds: NOW - 60, readyTransitionSeconds: NOW - 10 })
    const usage = [usageOf('a', 500), usageOf('b', 4000)]
    expect(propose(cpuAt(50), { usage }, [pod('a', 1000), starting]).replicas).toBe(2)
    const started = { ...starting, readyTransitionSeconds: NOW - 40 }
    expect(propose(cpuAt(50), { usage }, [pod('a', 1000), started]).replicas).toBe(9)
  })

  it('refuses a utilization of nothing', () => {
    const bare = pod('a', 0, { containers: [{ name: 'app', requestsMilli: {} }] })
    const reading = { usage: [usageOf('a', 10)] }
    expect(() => propose(cpuAt(50), reading, [bare])).toThrow(expect.objectContaining({ code: 'missing_request' }))
    expect(() => propose(cpuAt(50), reading, [])).toThrow(expect.objectContaining({ code: 'no_pods' }))
    expect(() => propose(cpuAt(50), { usage: [] }, [pod('a', 10)])).toThrow(
      expect.objectContaining({ code: 'no_samples' }),
    )
    expect(() => propose(cpuAt(50), undefined, [pod('a', 10)])).toThrow(
      expect.objectContaining({ code: 'metric_unavailable' }),
    )
    expect(() => utilizationRatio(new Map([['a', 1]]), new Map(), 50)).toThrow(
      expect.objectContaining({ code: 'no_metric_matches_known_pods' }),
    )
  })

  const pods = [pod('a', 1000), pod('b', 1000)]
  const samplesOf = (valueMilli: number): Reading => ({
    samples: [{ pod: 'a', atSeconds: NOW, windowSeconds: 60, valueMilli }],
  })
  it.each<[string, MetricSpec, (bad: number) => Reading]>([
    ['a resource', cpuAt(50), (bad) => ({ usage: [usageOf('a', 100), usageOf('b', bad)] })],
    ['the pods', { source: 'pods', target: { averageValueMilli: 500 } }, samplesOf],
    ['an object', { source: 'object', target: { valueMilli: 500 } }, (bad) => ({ values: [100, bad] })],
    ['the outside', { source: 'external', target: { averageValueMilli: 500 } }, (bad) => ({ values: [bad] })],
    ['a tally', cpuAt(50), (bad) => ({ tally: { readyPods: 2, usageMilli: bad, weight: 2000 } })],
    [
      'a tally of unready pods',
      cpuAt(50),
      (bad) => ({ tally: { readyPods: 2, usageMilli: 1, weight: 1, unreadyWeight: bad } }),
    ],
  ])('refuses NaN, infinite and negative numbers of %s', (_, metric, readingOf) => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1]) {
      expect(() => propose(metric, readingOf(bad), pods)).toThrow(
        expect.objectContaining({ code: 'metric_invalid', message: expect.stringContaining(`got ${bad}`) }),
      )
    }
  })

  it('refuses a request that cannot be', () => {
    expect(() => propose(cpuAt(50), { usage: [usageOf('a', 100)] }, [pod('a', -1000)])).toThrow(
      expect.objectContaining({ code: 'metric_invalid' }),
    )
  })

  it('divides sums beyond 2^53 exactly', () => {
    // 100 · Σ usage is 2^60 · 100; in doubles the quotient would still round, here it must be cut.
    const usage = 2 ** 60
    expect(utilizationRatio(new Map([['a', usage]]), new Map([['a', 2 ** 60 + 4096]]), 50).utilizationPercent).toBe(99)
  })
})

describe('replicas for other metrics', () => {
  const pods = ['a', 'b', 'c'].map((name) => pod(name, 1000))

  it('shares the whole value of an object by the ready pods', () => {
    const unready = pod('d', 1000, { ready: 'False' })
    const object: MetricSpec = { source: 'object', target: { valueMilli: 10_000 } }
    // 20 / 10 = 2, times 3 ready pods.
    expect(propose(object, { values: [20_000] }, [...pods, unready]).replicas).toBe(6)
    expect(propose(object, { values: [10_500] }, pods).replicas).toBe(3)
    // From zero there are no pods to share: ⌈1.05⌉, without tolerance.
    expect(propose(object, { values: [10_500] }, [], 0).replicas).toBe(2)
  })

  it('adds up the values of an external metric and rounds the share of a pod up', () => {
    const external: MetricSpec = { source: 'external', target: { averageValueMilli: 2500 } }
    expect(propose(external, { values: [6000, 4001] }, pods)).toEqual({ replicas: 5, usageMilli: 3334 })
  })

  it('does not take an empty answer of the metrics API for a value of 0', () => {
    const external: MetricSpec = { source: 'external', target: { valueMilli: 1000 } }
    expect(() => propose(external, { values: [] }, pods)).toThrow(
      expect.objectContaining({ code: 'metric_unavailable' }),
    )
  })

  it('holds an average value of the pods', () => {
    const metric: MetricSpec = { source: 'pods', target: { averageValueMilli: 500 } }
    const samples = pods.map(({ name }, i) => ({ pod: name, atSeconds: NOW, windowSeconds: 60, valueMilli: 999 + i }))
    expect(propose(metric, { samples }, pods)).toEqual({ replicas: 6, usageMilli: 1000, averageValueMilli: 1000 })
  })

  it.each([
    ['a rolling surge', 13],
    ['a quota', 7],
  ])('keeps the size of the workload, not the number of pods, during %s', (_, statusReplicas) => {
    const external: MetricSpec = { source: 'external', target: { averageValueMilli: 1000 } }
    const sizeFor = (value: number): number =>
      proposeReplicas(
        external,
        { values: [value] },
        { nowSeconds: NOW, specReplicas: 10, statusReplicas, pods },
        TOLERANCES,
        PERIODS,
      ).replicas
    expect(sizeFor(10_500)).toBe(10)
    expect(sizeFor(13_000)).toBe(13)
    expect(sizeFor(7000)).toBe(7)
  })

  it('saturates at 32 bits and survives zero replicas', () => {
    expect(
      replicasForAverage(Number.MAX_SAFE_INTEGER, 1, { specReplicas: 3, statusReplicas: 3 }, TOLERANCES).replicas,
    ).toBe(2147483647)
    expect(replicasForAverage(0, 5000, { specReplicas: 0, statusReplicas: 0 }, TOLERANCES)).toEqual({
      replicas: 0,
      usageMilli: 0,
    })
  })
})

/** The algorithm of the documentation on maps of pods, step by step. */
function slowReplicas(
  pods: readonly Pod[],
  usage: ReadonlyMap<string, number>,
  targetPercent: number,
  current: number,
  { up, down }: Tolerances,
): number | undefined {
  const counted = pods.filter((p) => !p.isTerminating && p.phase === 'Running')
  const unready = pods.filter((p) => p.phase === 'Pending')
  const missing = counted.filter((p) => !usage.has(p.name))
  const sampled = counted.filter((p) => usage.has(p.name))
  const request = (p: Pod): number => p.containers[0]!.requestsMilli.cpu!
  const used = new Map(sampled.map((p) => [p, usage.get(p.name)!]))
  const ratioNow = (): number => {
    let a = 0n
    let b = 0n
    for (const [p, value] of used) {
      a += BigInt(value)
      b += BigInt(request(p))
    }
    return Number((100n * a) / b) / targetPercent
  }
  if (sampled.length === 0) return undefined
  const isWithin = (ratio: number): boolean => ratio >= 1 - down && ratio <= 1 + up
  const ratio = ratioNow()
  if (missing.length === 0 && !(unready.length > 0 && ratio > 1)) {
    return isWithin(ratio) ? current : Math.ceil(ratio * sampled.length)
  }
  for (const p of missing) {
    if (ratio < 1) used.set(p, Math.floor((request(p) * Math.max(100, targetPercent)) / 100))
    if (ratio > 1) used.set(p, 0)
  }
  if (ratio > 1) for (const p of unready) used.set(p, 0)
  const filled = ratioNow()
  if (isWithin(filled) || (ratio < 1 && filled > 1) || (ratio > 1 && filled < 1)) return current
  const replicas = Math.ceil(filled * used.size)
  return filled < 1 ? Math.min(replicas, current) : Math.max(replicas, current)
}

const anyPods = fc
  .array(
    fc.record({
      request: fc.integer({ min: 1, max: 5000 }),
      usage: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
      fate: fc.constantFrom('Running', 'Running', 'Running', 'Pending', 'Failed', 'Succeeded', 'terminating'),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => ({
    pods: list.map(({ request, fate }, i) =>
      fate === 'terminating'
        ? pod(`p${i}`, request, { isTerminating: true })
        : pod(`p${i}`, request, { phase: fate as Pod['phase'] }),
    ),
    usage: new Map<string, number>(
      list.flatMap(({ usage }, i) => (usage === undefined ? [] : [[`p${i}`, usage] as const])),
    ),
  }))

describe('the replica calculator', () => {
  it('agrees with its slow twin', () => {
    const target = fc.integer({ min: 1, max: 300 })
    fc.assert(
      fc.property(anyPods, target, fc.integer({ min: 1, max: 15 }), ({ pods, usage }, percent, current) => {
        const expected = slowReplicas(pods, usage, percent, current, TOLERANCES)
        const reading = { usage: [...usage].map(([name, value]) => usageOf(name, value)) }
        if (expected === undefined) expect(() => propose(cpuAt(percent), reading, pods, current)).toThrow()
        else expect(propose(cpuAt(percent), reading, pods, current).replicas).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes a tally for the pods it counts', () => {
    const pods = [pod('a', 700), pod('b', 900), pod('c', 1100, { phase: 'Pending' })]
    const usage = [usageOf('a', 650), usageOf('b', 900)]
    const tally = { readyPods: 2, usageMilli: 1550, weight: 1600, unreadyPods: 1, unreadyWeight: 1100 }
    expect(replicasForPods(tally, { utilizationPercent: 40 }, 3, TOLERANCES)).toEqual(
      propose(cpuAt(40), { usage }, pods),
    )
  })

  it('never asks for less because samples are missing than if those pods were idle', () => {
    fc.assert(
      fc.property(anyPods, fc.integer({ min: 1, max: 200 }), ({ pods, usage }, percent) => {
        const sampled = pods.filter(({ name }) => usage.has(name))
        const asIdle = new Map(pods.map(({ name }) => [name, usage.get(name) ?? 0]))
        const readingOf = (map: ReadonlyMap<string, number>): Reading => ({
          usage: [...map].map(([name, value]) => usageOf(name, value)),
        })
        fc.pre(sampled.some((p) => p.phase === 'Running' && !p.isTerminating))
        const withMissing = propose(cpuAt(percent), readingOf(usage), pods).replicas
        const withIdle = propose(cpuAt(percent), readingOf(asIdle), pods).replicas
        expect(withMissing).toBeGreaterThanOrEqual(withIdle)
      }),
    )
  })
})
