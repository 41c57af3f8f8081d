import { describe, expect, it } from 'vitest'
import {
  HorizontalAutoscaler,
  type HorizontalAutoscalerSpec,
  type MetricSpec,
  type Pod,
  type PodSample,
  type Reading,
} from '../../../src/autoscaling/hpa/index.js'

const NOW = 1_700_000_000
const WHOLE: MetricSpec = { source: 'external', target: { valueMilli: 1000 } }
const AVERAGE: MetricSpec = { source: 'pods', target: { averageValueMilli: 500 } }
const CPU: MetricSpec = { source: 'resource', resource: 'cpu', target: { utilizationPercent: 50 } }
/** Of a newer API than this code, or misspelt. */
const UNKNOWN = { source: 'cheddar', target: { valueMilli: 1000 } } as unknown as MetricSpec

const pod = (name: string, workload?: string): Pod => ({
  name,
  phase: 'Running',
  isTerminating: false,
  ready: 'True',
  readyTransitionSeconds: 0,
  startSeconds: 0,
  containers: [{ name: 'app', requestsMilli: { cpu: 1000 } }],
  ...(workload === undefined ? {} : { workload }),
})

const sample = (name: string, valueMilli: number, atSeconds = NOW): PodSample => ({
  pod: name,
  atSeconds,
  windowSeconds: 60,
  valueMilli,
})

/** One core each, `utilizationPercent` of it used. */
const cpu = (replicas: number, utilizationPercent: number): Reading => ({
  tally: { readyPods: replicas, usageMilli: 10 * utilizationPercent * replicas, weight: 1000 * replicas },
})

describe('numbers that cannot be', () => {
  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -5000])('hold the size: %s', (value) => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, metrics: [WHOLE], downscaleStabilizationSeconds: 0 })
    const input = { nowSeconds: NOW, specReplicas: 5, pods: [pod('a')], readings: [{ values: [value] }] }
    expect(hpa.reconcile(input)).toMatchObject({ replicas: 5, action: 'none', error: { code: 'metric_invalid' } })
  })

  it('are refused as a time or a size, with nothing changed', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, downscaleStabilizationSeconds: 60 })
    const pass = (nowSeconds: number, specReplicas: number) =>
      hpa.reconcile({ nowSeconds, specReplicas, readings: [cpu(5, 8)] })
    expect(pass(NOW, 5).replicas).toBe(5)
    expect(() => pass(Number.NaN, 5)).toThrow(/nowSeconds must be a time, got NaN/)
    expect(() => pass(NOW, Number.NaN)).toThrow(/specReplicas must be a whole number >= 0, got NaN/)
    expect(() => pass(NOW, 2.5)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(pass(NOW + 61, 5).replicas).toBe(1)
  })

  it('are refused as a target', () => {
    const metrics = [{ source: 'external', target: { valueMilli: Number.POSITIVE_INFINITY } }] as const
    expect(() => new HorizontalAutoscaler({ maxReplicas: 5, metrics })).toThrow(/metrics\[0\].target.valueMilli/)
  })
})

describe('from zero replicas', () => {
  it.each([
    ['before', [UNKNOWN, WHOLE], [undefined, { values: [2500] }]],
    ['after', [WHOLE, UNKNOWN], [{ values: [2500] }, undefined]],
  ] as const)('an unknown metric source %s a valid one does not block growth', (_, metrics, readings) => {
    for (const minReplicas of [0, 1]) {
      const hpa = new HorizontalAutoscaler({ minReplicas, maxReplicas: 9, metrics })
      const result = hpa.reconcile({ nowSeconds: NOW, specReplicas: 0, isScaledToZero: true, readings })
      expect(result).toMatchObject({ replicas: 3, action: 'scale_up', error: { code: 'metric_source_unknown' } })
    }
  })

  it('tries again when the change of size did not arrive', () => {
    const hpa = new HorizontalAutoscaler({ minReplicas: 0, maxReplicas: 9, metrics: [WHOLE] })
    const pass = (isScaledToZero?: boolean) =>
      hpa.reconcile({
        nowSeconds: NOW,
        specReplicas: 0,
        readings: [{ values: [2500] }],
        ...(isScaledToZero === undefined ? {} : { isScaledToZero }),
      })
    expect(pass(true).replicas).toBe(3)
    expect(pass().replicas).toBe(3) // a quota refused the first
  })
})

describe('to zero replicas', () => {
  const spec: HorizontalAutoscalerSpec = {
    minReplicas: 0,
    maxReplicas: 9,
    metrics: [WHOLE],
    downscaleStabilizationSeconds: 0,
    scaleToZeroCooldownSeconds: 120,
  }

  it('goes after the cool-down, counted from the first pass without work', () => {
    const hpa = new HorizontalAutoscaler(spec)
    const pass = (t: number, value: number | undefined) =>
      hpa.reconcile({
        nowSeconds: NOW + t,
        specReplicas: 4,
        pods: [pod('a')],
        readings: [value === undefined ? undefined : { values: [value] }],
      }).replicas
    pass(-15, 1000) // a fresh autoscaler remembers the current size first
    expect(pass(0, 0)).toBe(1)
    expect(pass(105, 0)).toBe(1)
    expect(pass(110, 3)).toBe(1) // work: from the start
    expect(pass(125, 0)).toBe(1)
    expect(pass(230, undefined)).toBe(4) // not known to be idle: from the start
    expect(pass(245, 0)).toBe(1)
    expect(pass(364, 0)).toBe(1)
    expect(pass(365, 0)).toBe(0)
  })

  it('waits five minutes by default', () => {
    const { scaleToZeroCooldownSeconds: _, ...defaults } = spec
    const hpa = new HorizontalAutoscaler(defaults)
    const sizes: number[] = []
    for (let t = 0; t <= 300; t += 15) {
      sizes.push(
        hpa.reconcile({ nowSeconds: NOW + t, specReplicas: 1, pods: [pod('a')], readings: [{ values: [0] }] }).replicas,
      )
    }
    expect(sizes).toEqual([...Array(20).fill(1), 0])
  })
})

describe('pods of another workload', () => {
  const own = [pod('a', 'ours'), pod('b', 'ours')]
  const foreign = pod('x', 'theirs')

  it('are not counted, nor are their samples', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, metrics: [AVERAGE] })
    const samples = [sample('a', 500), sample('b', 500), sample('x', 90_000)]
    const input = { nowSeconds: NOW, specReplicas: 2, pods: [...own, foreign], readings: [{ samples }] }
    expect(hpa.reconcile({ ...input, workload: 'ours' }).replicas).toBe(2)
    expect(hpa.reconcile(input).replicas).toBe(4) // by labels alone they are ours
  })

  it('need no requests of their own', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, metrics: [CPU] })
    const bare: Pod = { ...foreign, containers: [{ name: 'app', requestsMilli: {} }] }
    const usage = own.map(({ name }) => ({
      pod: name,
      atSeconds: NOW,
      windowSeconds: 30,
      containers: [{ name: 'app', usageMilli: { cpu: 900 } }],
    }))
    const input = { nowSeconds: NOW, specReplicas: 2, workload: 'ours', pods: [...own, bare], readings: [{ usage }] }
    expect(hpa.reconcile(input)).toMatchObject({ replicas: 4, error: undefined })
  })

  it('do not share the value of an object', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, metrics: [WHOLE] })
    const pods = [...own, foreign, pod('unowned')]
    const input = { nowSeconds: NOW, specReplicas: 3, workload: 'ours', pods, readings: [{ values: [2000] }] }
    expect(hpa.reconcile(input).replicas).toBe(6) // twice the target on a, b and unowned
  })
})
