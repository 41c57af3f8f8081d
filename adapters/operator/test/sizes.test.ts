import type { ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAsFarOut, readSizes, resized, withinStep } from '../src/sizes.js'
import { allowedAway } from '../src/updater/disruptions.js'
import { nextReplicas } from '../src/updater/replicas.js'

const spec = (min: number, max: number, replicasPercentPerStep: number, disruptions: object[] = []) =>
  ({
    bounds: { replicas: { min, max } },
    limits: { replicasPercentPerStep, disruptions },
  }) as unknown as ResolvedAutoscalerSpec

const sizes = (cpu: string, memory: string) => readSizes([{ name: 'main', cpu, memory }])!

describe('the next replicas', () => {
  it.each([
    ['a step of half', 4, 10, 50, 6],
    ['a step down of half', 4, 1, 50, 2],
    ['one pod at least', 2, 10, 10, 3],
    ['a minimum that was raised, at once', 1, 1, 10, 2],
    ['a maximum that was lowered, at once', 40, 40, 10, 12],
  ])('are those of %s', (_, current, wanted, percent, next) => {
    expect(nextReplicas(current, wanted, spec(2, 12, percent))).toBe(next)
  })

  it('are within the bounds whatever is wanted', () => {
    const count = fc.integer({ min: 0, max: 10_000 })
    fc.assert(
      fc.property(
        count,
        fc.integer({ min: -10_000, max: 10_000 }),
        fc.integer({ min: 1, max: 900 }),
        (current, wanted, percent) => {
          const next = nextReplicas(current, wanted, spec(2, 12, percent))
          expect(next).toBeGreaterThanOrEqual(2)
          expect(next).toBeLessThanOrEqual(12)
        },
      ),
    )
  })
})

describe('sizes', () => {
  it('shrink by a step at most and grow at once, each for itself; whole millicores and MiB', () => {
    const next = withinStep(sizes('1', '100Mi'), sizes('100m', '200Mi'), 50)
    expect(next.get('main')).toEqual({ cpuMilli: 1000, memoryBytes: 100 * 2 ** 20 })
    expect(withinStep(sizes('101m', '1M'), sizes('100m', '1Mi'), 900).get('main')).toEqual({
      cpuMilli: 101,
      memoryBytes: 2 ** 20,
    })
  })

  it.each([
    ['the same', '100m', '300Mi', true],
    ['more', '100m', '400Mi', true],
    ['less', '100m', '299Mi', false],
    ['another resource alone', '200m', '300Mi', true],
  ])('that were refused are not tried again: %s', (_, cpu, memory, isRefused) => {
    expect(isAsFarOut(sizes(cpu, memory), sizes('100m', '300Mi'), sizes('100m', '128Mi'))).toBe(isRefused)
  })

  it('that were too small are not tried again until they are larger', () => {
    const [refused, working] = [sizes('100m', '64Mi'), sizes('100m', '128Mi')]
    const tried = ['32Mi', '64Mi', '96Mi'].map((memory) => isAsFarOut(sizes('100m', memory), refused, working))
    expect(tried).toEqual([true, true, false])
  })

  it('keep what else a container has: the proportion of limits, other resources', () => {
    const resources = { requests: { cpu: '100m', gpu: '1' }, limits: { cpu: '300m', memory: '64Mi' } }
    expect(resized({ name: 'main', resources }, { cpuMilli: 200, memoryBytes: 2 ** 27 })).toEqual({
      requests: { cpu: '200m', gpu: '1', memory: '128Mi' },
      limits: { cpu: '600m', memory: '128Mi' }, // a limit without a request is the request
    })
  })
})

describe('how many pods may be away', () => {
  const noon = Date.parse('2026-01-05T12:00:00Z') // a Monday
  it.each([
    ['a share, rounded down', [{ maxUnavailable: '25%' }], 11, 2],
    ['one pod at least', [{ maxUnavailable: '25%' }], 3, 1],
    ['none', [{ maxUnavailable: '0%' }], 3, 0],
    ['the least of those that hold', [{ maxUnavailable: 5 }, { maxUnavailable: 2 }], 11, 2],
    [
      'not those of another time',
      [{ maxUnavailable: 5 }, { maxUnavailable: 0, schedule: '0 9 * * *', minutes: 180 }],
      11,
      5,
    ],
    [
      'those of office hours',
      [{ maxUnavailable: 5 }, { maxUnavailable: 0, schedule: '0 9 * * mon-fri', minutes: 540 }],
      11,
      0,
    ],
    ['all where nothing is said', [], 11, 11],
  ])('is %s', (_, disruptions, replicas, pods) => {
    expect(allowedAway(spec(1, 99, 100, disruptions), replicas, noon).pods).toBe(pods)
  })
})
