import { describe, expect, it } from 'vitest'
import { HorizontalAutoscaler, type Pod, type Reading } from '../../../src/autoscaling/hpa/index.js'

const NOW = 1_700_000_000

const cpu = (replicas: number, utilizationPercent: number): Reading => ({
  tally: { readyPods: replicas, usageMilli: 10 * utilizationPercent * replicas, weight: 1000 * replicas },
})

/** A workload of 10 under a load of one pod, after `seconds` of passes every 15 s from `fromSeconds` on. */
function drive(hpa: HorizontalAutoscaler, fromSeconds: number, seconds: number): number {
  for (let t = 0; t <= seconds; t += 15) {
    const { replicas } = hpa.reconcile({ nowSeconds: fromSeconds + t, specReplicas: 10, readings: [cpu(10, 8)] })
    if (replicas < 10) return t
  }
  return Number.POSITIVE_INFINITY
}

describe('a clock that is wrong', () => {
  it.each([
    ['in microseconds', NOW * 1e6],
    ['a year ahead', NOW + 31_536_000],
    ['an hour ahead', NOW + 3600],
  ])('for one pass (%s) holds no longer than the stabilization window', (_, wrong) => {
    for (const behavior of [undefined, {}]) {
      const hpa = new HorizontalAutoscaler({ maxReplicas: 50, ...(behavior && { behavior }) })
      hpa.reconcile({ nowSeconds: NOW, specReplicas: 10, readings: [cpu(10, 80)] })
      const faulty = hpa.reconcile({ nowSeconds: wrong, specReplicas: 10, readings: [cpu(10, 80)] })
      expect(faulty.clockStepSeconds).toBe(wrong - NOW - 300)
      const back = hpa.reconcile({ nowSeconds: NOW + 15, specReplicas: 10, readings: [cpu(10, 80)] })
      expect(back.clockStepSeconds).toBe(NOW + 15 - wrong)
      expect(drive(hpa, NOW + 30, 3600)).toBeLessThanOrEqual(300)
    }
  })

  it('does not shrink at once when it jumps ahead', () => {
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50 })
    hpa.reconcile({ nowSeconds: NOW, specReplicas: 10, readings: [cpu(10, 80)] })
    expect(hpa.reconcile({ nowSeconds: NOW * 1e6, specReplicas: 10, readings: [cpu(10, 8)] }).replicas).toBe(10)
  })

  it('set back by an hour goes on with the ages of its history', () => {
    for (const behavior of [undefined, {}]) {
      const hpa = new HorizontalAutoscaler({ maxReplicas: 50, ...(behavior && { behavior }) })
      hpa.reconcile({ nowSeconds: NOW, specReplicas: 10, readings: [cpu(10, 80)] })
      expect(drive(hpa, NOW + 15, 180)).toBe(Number.POSITIVE_INFINITY)
      expect(drive(hpa, NOW - 3600, 3600)).toBeLessThanOrEqual(135) // of the window 195 s are over
    }
  })

  it('set back does not use up the growth that the policies allow for an hour', () => {
    const behavior = { scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] } } as const
    const hpa = new HorizontalAutoscaler({ maxReplicas: 50, behavior })
    expect(hpa.reconcile({ nowSeconds: NOW, specReplicas: 10, readings: [cpu(10, 300)] }).replicas).toBe(14)
    hpa.reconcile({ nowSeconds: NOW - 3600, specReplicas: 14, readings: [cpu(14, 300)] })
    expect(hpa.reconcile({ nowSeconds: NOW - 3535, specReplicas: 14, readings: [cpu(14, 300)] }).replicas).toBe(18)
  })
})

describe('samples that are not of now', () => {
  const pods: Pod[] = ['a', 'b'].map((name) => ({
    name,
    phase: 'Running',
    isTerminating: false,
    ready: 'True',
    readyTransitionSeconds: 0,
    startSeconds: 0,
    containers: [{ name: 'app', requestsMilli: { cpu: 1000 } }],
  }))
  const usageAt = (times: readonly number[], milli: number): Reading => ({
    usage: pods.map(({ name }, i) => ({
      pod: name,
      atSeconds: times[i]!,
      windowSeconds: 30,
      containers: [{ name: 'app', usageMilli: { cpu: milli } }],
    })),
  })
  const pass = (times: readonly number[], milli: number) =>
    new HorizontalAutoscaler({ maxReplicas: 50, downscaleStabilizationSeconds: 0 }).reconcile({
      nowSeconds: NOW,
      specReplicas: 2,
      pods,
      readings: [usageAt(times, milli)],
    })

  it('count as missing, and are said', () => {
    for (const wrong of [NOW * 1e6, NOW + 301, NOW - 301, Number.NaN]) {
      // Half of the samples show twice the target: the other half counts as idle.
      expect(pass([NOW, wrong], 1600)).toMatchObject({ replicas: 2, proposals: [{ refusedSamples: 1 }] })
    }
    expect(pass([NOW, NOW - 300], 1600)).toMatchObject({ replicas: 4 })
  })

  it('hold the size when there are no others', () => {
    const result = pass([NOW - 3600, NOW - 3600], 10)
    expect(result).toMatchObject({ replicas: 2, error: { code: 'no_samples' } })
    expect(result.error?.message).toMatch(/each of 2 samples is dated more than 300 s before or after now/)
  })
})
