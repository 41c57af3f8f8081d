import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createTenantTelemetry,
  DemandRule,
  EnsureRule,
  HistogramRule,
  HpaRule,
  KnativeRule,
  searchSettings,
  TENANT_RULE_FAMILIES,
  type TenantAllocation,
  type TenantRule,
  type TenantTelemetry,
  withForesight,
} from '../../src/serverless/index.js'
import { IdleHistogram } from '../../src/serverless/rules/idle-histogram.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** What the rule makes of one step. */
function decide(rule: TenantRule, step: Partial<TenantTelemetry>): TenantAllocation {
  const out = { containers: Number.NaN, shares: Number.NaN, keepAliveSeconds: Number.NaN }
  rule.decide({ ...createTenantTelemetry(), ...step }, out)
  return out
}
const containersAfter = (rule: TenantRule, steps: readonly Partial<TenantTelemetry>[]): number[] =>
  steps.map((step) => decide(rule, step).containers)

describe('R + c√R', () => {
  const create = (windowSteps: number, margin = 1): DemandRule =>
    new DemandRule({ margin, windowSteps, shares: 256, keepAliveSeconds: 60 })

  it('keeps room for the largest demand of the window and forgets it behind it', () => {
    const demands = [4, 1, 0, 0, 9].map((demandContainers) => ({ demandContainers }))
    expect(containersAfter(create(3), demands)).toEqual([6, 6, 6, 2, 12])
    expect(containersAfter(create(1), demands)).toEqual([6, 2, 0, 0, 12])
  })

  it('asks for the room that c says, and rounds up', () => {
    expect(containersAfter(create(1, 0), [{ demandContainers: 3 }, { demandContainers: 3.2 }])).toEqual([3, 4])
    expect(containersAfter(create(1, 2.5), [{ demandContainers: 0.04 }])).toEqual([1])
  })

  it('forgets the last episode', () => {
    const rule = create(5)
    decide(rule, { demandContainers: 50 })
    rule.beginEpisode()
    expect(decide(rule, { demandContainers: 1 })).toEqual({ containers: 2, shares: 256, keepAliveSeconds: 60 })
  })
})

describe('ENSURE', () => {
  const create = (degradation01: number): EnsureRule =>
    new EnsureRule({ margin: 1, degradation01, sharesStep: 100, keepAliveSeconds: 0 }, 1.15)
  const at = (p99Ms: number) => ({ p99Ms, sloMs: 115, shares: 500 }) // 100 ms alone

  it.each([
    ['raises shares 20 % above the isolated p99 where 15 % are allowed', 0.15, 120, 600],
    ['lowers them 10 % above it where 25 % are allowed', 0.25, 110, 400],
    ['holds them between', 0.25, 120, 500],
    ['holds them without a request', 0.15, Number.NaN, 500],
  ])('%s', (_, degradation01, p99Ms, shares) => {
    expect(decide(create(degradation01), at(p99Ms)).shares).toBe(shares)
  })
})

describe('HPA', () => {
  const create = (stabilizationSteps = 1): HpaRule =>
    new HpaRule({ targetUtilisation01: 0.5, stabilizationSteps, shares: 512 }) // .25 cores a container
  const step = (usedCores: number, warmContainers = 4) => ({ usedCores, warmContainers, containers: warmContainers })

  it('asks for as many containers as use the target, but for a tenth', () => {
    expect(containersAfter(create(), [step(2), step(1.05), step(0.5), step(0)])).toEqual([8, 4, 2, 1])
  })

  it('lets go only when fewer were enough for a window', () => {
    expect(containersAfter(create(3), [step(2), step(0.5), step(0.5), step(0.5)])).toEqual([8, 8, 8, 2])
  })

  it('starts with one where there is none', () => {
    expect(decide(create(), { usedCores: Number.NaN, warmContainers: 0, containers: 0 }).containers).toBe(1)
  })
})

describe('Knative', () => {
  const create = (): KnativeRule =>
    new KnativeRule({ targetConcurrency: 0.5, stableSteps: 4, panicSteps: 1, panicThreshold: 2, shares: 128 })
  const step = (concurrency: number, warmContainers: number) => ({
    ...{ occupancy01: concurrency / warmContainers, warmContainers, containers: warmContainers },
  })

  it('follows the mean of the stable window', () => {
    expect(containersAfter(create(), [step(2, 4), step(3, 4), step(3, 5)])).toEqual([4, 5, 6])
  })

  it('panics at twice what there is, and does not shrink before it was calm for a window', () => {
    const calm = Array.from({ length: 5 }, () => step(1, 16))
    expect(containersAfter(create(), [step(2, 4), { ...step(4, 4), queued: 4 }, ...calm])).toEqual([
      4, 16, 16, 16, 16, 8, 8,
    ])
  })

  it('lets go of all when nothing came for a window, half at a time', () => {
    const idle = { occupancy01: 0, queued: 0 }
    const warm = [4, 4, 2, 1, 0]
    const steps = [
      step(2, 4),
      ...warm.map((warmContainers) => ({ ...idle, warmContainers, containers: warmContainers })),
    ]
    expect(containersAfter(create(), steps).at(-1)).toBe(0)
  })
})

describe('the histogram of idle times', () => {
  it('has the percentiles of the times, in minutes', () => {
    const histogram = new IdleHistogram()
    const minutes = [3, 3, 3, 4, 4, 5, 9, 9, 30, 90]
    for (const minute of minutes) histogram.add(60 * minute + 20)
    expect(histogram.headSeconds(0.05)).toBe(180)
    expect(histogram.headSeconds(0.5)).toBe(240)
    expect(histogram.tailSeconds(0.5)).toBe(300)
    expect(histogram.tailSeconds(0.99)).toBe(91 * 60)
  })

  it('says nothing without times, when most are out of its four hours, and when they are even', () => {
    const empty = new IdleHistogram()
    expect(empty.isRepresentative).toBe(false)
    const long = new IdleHistogram()
    long.add(600, 3)
    expect(long.isRepresentative).toBe(true)
    long.add(5 * 3600, 4)
    expect(long.isRepresentative).toBe(false)
    const even = new IdleHistogram()
    for (let minute = 0; minute < 240; minute++) even.add(60 * minute)
    expect(even.isRepresentative).toBe(false)
  })
})

describe('the hybrid histogram policy', () => {
  const settings = { margin: 1, windowSteps: 1, shares: 128, head01: 0.05, tail01: 0.99, standardKeepAliveSeconds: 600 }
  const everyMinutes = (period: number, minutes: number) =>
    Array.from({ length: minutes }, (_, minute) => ({
      ...{ stepSeconds: 60, coldStartSeconds: 20 },
      arrivals: minute % period === 0 ? 1 : 0,
      demandContainers: minute % period === 0 ? 0.01 : 0,
    }))

  it('has nothing warm while the next request is far, and a container before it comes', () => {
    const containers = containersAfter(new HistogramRule(settings), everyMinutes(30, 301))
    const afterCall = containers.slice(270, 300) // the decision behind minute 270 + i is for the next minute
    const warm = afterCall.map((count, i) => (count > 0 ? i + 1 : 0)).filter((minute) => minute > 0)
    // prewarmed from .9 of 30 minutes on, and until 1.1 of 31
    expect(warm).toEqual([27, 28, 29, 30])
  })

  it('gives a container up when the request is overdue', () => {
    const rule = new HistogramRule(settings)
    containersAfter(rule, everyMinutes(30, 301))
    const silence = Array.from({ length: 40 }, () => ({ stepSeconds: 60, coldStartSeconds: 20, arrivals: 0 }))
    const containers = containersAfter(rule, silence)
    expect(containers[29]).toBe(1)
    expect(containers.slice(35)).toEqual([0, 0, 0, 0, 0]) // 1.1 × 31 minutes are over
  })

  it('keeps a container for the standard time while it knows nothing', () => {
    const containers = containersAfter(new HistogramRule(settings), everyMinutes(1000, 15))
    expect(containers).toEqual([...Array.from({ length: 11 }, () => 1), 0, 0, 0, 0])
  })

  it('has no container before the first request', () => {
    expect(decide(new HistogramRule(settings), { arrivals: 0 }).containers).toBe(0)
  })
})

describe('foresight', () => {
  it('shows a rule the largest true demand of the steps to come', () => {
    const [demand] = TENANT_RULE_FAMILIES
    const family = withForesight(demand!)
    const ahead = [Number.NaN, 1, 4, 100]
    const settings = { margin: 1, windowSteps: 1, shares: 128, keepAliveSeconds: 0, foresightSteps: 2 }
    const rule = family.create(settings, { sloFactor: 1.15, demandAhead: (steps) => ahead[steps]! })
    expect(decide(rule, { demandContainers: 9 }).containers).toBe(6)
  })
})

describe('the search for settings', () => {
  interface Settings {
    readonly a: number
    readonly b: number
    readonly n: number
  }
  const ranges = {
    a: { low: -1, high: 3 },
    b: { low: 1, high: 1000, isLogarithmic: true },
    n: { low: 1, high: 9, isWhole: true },
  }
  // A hill with its top at a = 1, b = 30, n = 4.
  const heightOf = ({ a, b, n }: Settings): number => -((a - 1) ** 2) - Math.log10(b / 30) ** 2 - ((n - 4) / 4) ** 2

  it('comes near the top, the same for a seed', () => {
    const found = searchSettings<Settings>(core, ranges, 3, heightOf)
    expect(found.score).toBeGreaterThan(-0.1)
    expect(found.score).toBe(heightOf(found.settings))
    expect(searchSettings<Settings>(core, ranges, 3, heightOf)).toEqual(found)
  })

  it('tries what the ranges allow, few of it on everything', () => {
    const parts: number[] = []
    searchSettings<Settings>(core, ranges, 1, (settings, part01) => {
      parts.push(part01)
      expect(settings.a).toBeGreaterThanOrEqual(-1)
      expect(settings.a).toBeLessThanOrEqual(3)
      expect(settings.b).toBeGreaterThanOrEqual(1)
      expect(settings.b).toBeLessThanOrEqual(1000.0001)
      expect(Number.isInteger(settings.n)).toBe(true)
      return heightOf(settings)
    })
    expect(parts.filter((part01) => part01 === 1).length).toBeLessThan(parts.length / 4)
  })
})

it.each(TENANT_RULE_FAMILIES.map((family) => [family.label, family] as const))(
  '%s decides the same after an episode as in the first one',
  (_, family) => {
    const settings = Object.fromEntries(Object.entries(family.ranges).map(([name, { low }]) => [name, low]))
    const rule = family.create(settings, { sloFactor: 1.15, demandAhead: () => 0 })
    const episode = [3, 0, 5, 0, 0].map((demandContainers, i) => ({
      ...{ demandContainers, arrivals: demandContainers, p99Ms: 100 + 50 * i, sloMs: 115, shares: 512, queued: 0 },
      ...{ warmContainers: 3, containers: 3, usedCores: demandContainers / 2, occupancy01: demandContainers / 6 },
    }))
    const first = episode.map((step) => decide(rule, step))
    rule.beginEpisode()
    expect(episode.map((step) => decide(rule, step))).toEqual(first)
    for (const { containers, shares } of first) {
      expect(containers).toBeGreaterThanOrEqual(0)
      expect(shares).toBeGreaterThan(0)
    }
  },
)
