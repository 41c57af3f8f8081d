import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  HorizontalAutoscaler,
  type HorizontalAutoscalerSpec,
  type Reading,
  type ReconcileResult,
} from '../../../src/autoscaling/hpa/index.js'

/** All pods ready, each at `utilizationPercent` of one core. */
const cpu = (replicas: number, utilizationPercent: number): Reading => ({
  tally: { readyPods: replicas, usageMilli: 10 * utilizationPercent * replicas, weight: 1000 * replicas },
})

const conditionsOf = ({ conditions }: ReconcileResult): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))

describe('HorizontalAutoscaler', () => {
  it('grows at once, at most to twice the size', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50 })
    const first = hpa.reconcile({ nowSeconds: 0, specReplicas: 5, readings: [cpu(5, 400)] })
    expect(first.replicas).toBe(10)
    expect(first.action).toBe('scale_up')
    expect(conditionsOf(first)).toEqual({
      AbleToScale: 'True SucceededRescale',
      ScalingActive: 'True ValidMetricFound',
      ScalingLimited: 'True ScaleUpLimit',
    })
  })

  it('does not shrink at once after a restart', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50 })
    let replicas = 10
    let t = 0
    for (; t <= 300; t += 15) {
      const result = hpa.reconcile({ nowSeconds: t, specReplicas: replicas, readings: [cpu(replicas, 8)] })
      expect(result.replicas).toBe(10)
      expect(conditionsOf(result).AbleToScale).toBe('True ScaleDownStabilized')
    }
    replicas = hpa.reconcile({ nowSeconds: t, specReplicas: replicas, readings: [cpu(replicas, 8)] }).replicas
    expect(replicas).toBe(1)
    hpa.reset()
    expect(hpa.reconcile({ nowSeconds: t + 15, specReplicas: 10, readings: [cpu(10, 8)] }).replicas).toBe(10)
  })

  it('never shrinks without all of its metrics, but may grow', () => {
    const spec: HorizontalAutoscalerSpec = {
      maxReplicas: 50,
      metrics: [
        { source: 'resource', resource: 'cpu', target: { utilizationPercent: 80 } },
        { source: 'external', target: { averageValueMilli: 1000 } },
      ],
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 300 }), (replicas, load) => {
        const hpa = new HorizontalAutoscaler(spec)
        hpa.reconcile({ nowSeconds: 0, specReplicas: replicas, readings: [undefined, undefined] })
        const input = { nowSeconds: 1000, specReplicas: replicas, readings: [cpu(replicas, load), undefined] }
        const result = hpa.reconcile(input)
        expect(result.replicas).toBeGreaterThanOrEqual(replicas)
        expect(result.error?.code).toBe('metric_unavailable')
        if (load > 90 && replicas < 50) expect(result.action).toBe('scale_up')
      }),
    )
  })

  it('does nothing, and says why, when every metric fails', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 5 })
    const result = hpa.reconcile({ nowSeconds: 0, specReplicas: 3, readings: [undefined] })
    expect(result).toMatchObject({ replicas: 3, action: 'none', proposals: [undefined] })
    expect(conditionsOf(result)).toEqual({
      AbleToScale: 'True SucceededGetScale',
      ScalingActive: 'False FailedGetResourceMetric',
    })
  })

  it('goes to a bound without asking the metrics', () => {
    const hpa = new HorizontalAutoscaler({ minReplicas: 3, maxReplicas: 6 })
    expect(hpa.reconcile({ nowSeconds: 0, specReplicas: 9, readings: [undefined] }).replicas).toBe(6)
    expect(hpa.reconcile({ nowSeconds: 15, specReplicas: 1, readings: [undefined] }).replicas).toBe(3)
  })

  it('comes back from zero only where it went there itself', () => {
    const hpa = new HorizontalAutoscaler({
      minReplicas: 0,
      maxReplicas: 9,
      downscaleStabilizationSeconds: 0,
      scaleToZeroCooldownSeconds: 0,
      metrics: [{ source: 'external', target: { valueMilli: 1000 } }],
    })
    const at = (nowSeconds: number, specReplicas: number, value: number) =>
      hpa.reconcile({ nowSeconds, specReplicas, readings: [{ values: [value] }], pods: [readyPod] })
    expect(conditionsOf(at(0, 0, 5000)).ScalingActive).toBe('False ScalingDisabled')
    expect(at(15, 1, 0).replicas).toBe(0)
    expect(at(30, 0, 2500).replicas).toBe(3)
  })

  it('stays within its bounds and its growth limit under any load', () => {
    const behaviors = fc.option(
      fc.record({
        scaleUp: fc.record({ stabilizationWindowSeconds: fc.integer({ min: 0, max: 120 }) }),
        scaleDown: fc.record({ stabilizationWindowSeconds: fc.integer({ min: 0, max: 600 }) }),
      }),
      { nil: undefined },
    )
    const loads = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 5, max: 30 }),
        behaviors,
        loads,
        (min, max, b, l) => {
          const spec = { minReplicas: min, maxReplicas: max, ...(b === undefined ? {} : { behavior: b }) }
          const hpa = new HorizontalAutoscaler(spec)
          let replicas = min
          l.forEach((usageMilli, i) => {
            const tally = { readyPods: replicas, usageMilli, weight: 1000 * replicas }
            const next = hpa.reconcile({ nowSeconds: 15 * i, specReplicas: replicas, readings: [{ tally }] }).replicas
            expect(next).toBeGreaterThanOrEqual(min)
            expect(next).toBeLessThanOrEqual(max)
            expect(next).toBeLessThanOrEqual(Math.max(2 * replicas, replicas + 4))
            replicas = next
          })
        },
      ),
    )
  })

  it('gives the same sizes for the same telemetry', () => {
    const run = (): number[] => {
      const hpa = new HorizontalAutoscaler({ maxReplicas: 40, behavior: {} })
      let replicas = 3
      return Array.from({ length: 200 }, (_, i) => {
        const usageMilli = 4000 + ((i * 7919) % 9000)
        const tally = { readyPods: replicas, usageMilli, weight: 500 * replicas }
        replicas = hpa.reconcile({ nowSeconds: 15 * i, specReplicas: replicas, readings: [{ tally }] }).replicas
        return replicas
      })
    }
    expect(run()).toEqual(run())
  })

  it('names every problem of a spec at once', () => {
    const metrics = [{ source: 'pods', target: { averageValueMilli: 0 } }] as const
    expect(() => new HorizontalAutoscaler({ minReplicas: -1, maxReplicas: 0, metrics })).toThrow(
      /minReplicas.*maxReplicas.*metrics\[0\].target.averageValueMilli/,
    )
  })
})

const readyPod = {
  name: 'a',
  phase: 'Running',
  isTerminating: false,
  ready: 'True',
  readyTransitionSeconds: 0,
  startSeconds: 0,
  containers: [],
} as const
