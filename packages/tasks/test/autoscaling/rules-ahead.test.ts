import { type Core, createCore } from '@trimtab/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  bestOracle,
  bestStaticAllocation,
  type ClusterOptions,
  ClusterSimulator,
  createLoad,
  DEFAULT_BOUNDS,
  ForecastRule,
  generateApplication,
  generateLoad,
  HpaHeadroomRule,
  type LoadSeries,
  OracleAllocator,
  operate,
  RULE_FAMILIES,
  StaticAllocator,
  TargetBandit,
  type TargetBanditSettings,
  tuneRule,
} from '../../src/autoscaling/index.js'
import { SeasonalForecast } from '../../src/autoscaling/rules/seasonal-forecast.js'
import { appOf, flatLoad } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})
const open: { dispose(): void }[] = []
const keep = <T extends { dispose(): void }>(owned: T): T => {
  open.push(owned)
  return owned
}
afterEach(() => {
  for (const owned of open.splice(0)) owned.dispose()
})

const HOUR = 3600
const DAY = 24 * HOUR
const simulate = (load: LoadSeries, options: Partial<ClusterOptions> = {}): ClusterSimulator => {
  const simulator = keep(new ClusterSimulator(core, appOf(['json', 'file-read']), load, options))
  simulator.reset(0, 1)
  return simulator
}
/** A fifth of the peak, but from noon to two the peak itself; `days` of them. */
const daily = (days: number): LoadSeries =>
  createLoad(
    'daily',
    Array.from({ length: 1440 * days }, (_, i) => (i % 1440 >= 720 && i % 1440 < 840 ? 1 : 0.2)),
  )

describe('the seasonal forecast', () => {
  const feed = (forecast: SeasonalForecast, from: number, to: number, rate: (second: number) => number) => {
    for (let t = from + 15; t <= to; t += 15) forecast.observe(t, rate(t - 7.5))
  }
  const wave = (t: number) => 100 + 80 * Math.sin((2 * Math.PI * t) / DAY)

  it('says nothing before it has a day', () => {
    const forecast = new SeasonalForecast(15)
    feed(forecast, 0, DAY - 600, wave)
    expect(forecast.peak(60)).toBeUndefined()
  })

  it('tells a wave that comes back, higher or lower than the days before', () => {
    for (const level of [0.8, 1, 1.5]) {
      const forecast = new SeasonalForecast(15)
      feed(forecast, 0, 2 * DAY, wave)
      feed(forecast, 2 * DAY, 2 * DAY + 3 * HOUR, (t) => level * wave(t))
      expect(forecast.peak(600)! / (level * wave(3 * HOUR + 600))).toBeCloseTo(1, 1.5)
    }
  })

  it('adds what the last minute departs by, and its trend, and forgets a gap', () => {
    const forecast = new SeasonalForecast(15)
    feed(forecast, 0, 2 * DAY, () => 50)
    for (let i = 1; i <= 4; i++) forecast.observe(2 * DAY + 15 * i, 70)
    expect(forecast.peak(60)).toBeCloseTo(90, 6) // 20 above, and 20 more than a minute before
    feed(forecast, 2 * DAY + 60, 2 * DAY + 180, () => 70)
    expect(forecast.peak(60)).toBeCloseTo(70, 0)
    forecast.observe(4 * DAY + HOUR, 60)
    expect(forecast.peak(60)).toBeCloseTo(60, 6) // as three days before, and 10 above
    forecast.observe(6 * DAY, 50)
    expect(forecast.peak(60)).toBeUndefined()
  })

  it('starts over when the clock goes back', () => {
    const forecast = new SeasonalForecast(15)
    feed(forecast, 0, 2 * DAY, wave)
    forecast.observe(15, 1)
    expect(forecast.peak(60)).toBeUndefined()
  })
})

describe('HPA on a forecast', () => {
  const settings = { podCores: 1, targetPercent: 60, leadSeconds: 180, headroom: 2 }
  const podsAt = (rule: ForecastRule | HpaHeadroomRule, minute: number): number => {
    const simulator = simulate(daily(3))
    operate(simulator, rule, { steps: 4 * minute - 1 })
    return simulator.allocation.replicas
  }

  it('scales out before a daily step, from the second day on', () => {
    const plain = podsAt(new HpaHeadroomRule({ ...simulate(daily(3)).options }, settings), 1440 + 719)
    expect(plain).toBeLessThanOrEqual(2) // 0.8 cores of work
    expect(podsAt(new ForecastRule(simulate(daily(3)).options, settings), 719)).toBe(plain)
    expect(podsAt(new ForecastRule(simulate(daily(3)).options, settings), 1440 + 719)).toBeGreaterThanOrEqual(5) // 4 cores
  })

  it('breaks the SLO less than plain HPA on days like the ones before', () => {
    const simulator = simulate(daily(4))
    const violations = [
      new HpaHeadroomRule(simulator.options, settings),
      new ForecastRule(simulator.options, settings),
    ].map((rule) => {
      simulator.reset(0, 1)
      operate(simulator, rule, { steps: (1.2 * DAY) / 15 })
      return operate(simulator, rule, { steps: (2.5 * DAY) / 15 }).violationPercent
    })
    expect(violations[0]).toBeGreaterThan(0)
    expect(violations[1]).toBeLessThan(violations[0]!)
  })

  it('is plain HPA on its first day', () => {
    const simulator = simulate(generateLoad(core, 4, 2))
    const records = [
      new HpaHeadroomRule(simulator.options, settings),
      new ForecastRule(simulator.options, settings),
    ].map((rule) => {
      simulator.reset(0, 1)
      return operate(simulator, rule, { steps: 5000 })
    })
    expect(records[1]).toEqual(records[0])
  })
})

describe('the bandit', () => {
  const banditOf = (settings: Partial<TargetBanditSettings>, { options }: ClusterSimulator): TargetBandit =>
    keep(
      new TargetBandit(core, options, {
        podCores: 1,
        targetsPercent: [10, 40],
        holdSeconds: HOUR,
        penalty: 100,
        headroom: 1.5,
        seed: 1,
        ...settings,
      }),
    )
  const shareOf = (bandit: TargetBandit, simulator: ClusterSimulator, target: number): number => {
    let held = 0
    const steps = (2 * DAY) / 15
    operate(simulator, bandit, { steps: DAY / 15 })
    operate(simulator, bandit, { steps, onStep: () => (held += bandit.targetPercent === target ? 1 : 0) })
    return held / steps
  }

  it.each([
    ['the cheaper one where both keep the SLO', [10, 40], 3, 40],
    ['the safer one where the other breaks it', [15, 50], 2, 15],
  ])('finds the better of two targets: %s', (_, targetsPercent, sloFactor, better) => {
    const simulator = simulate(flatLoad(0.5), { sloFactor })
    expect(shareOf(banditOf({ targetsPercent }, simulator), simulator, better)).toBeGreaterThan(0.85)
  })

  it('tries upwards and stops at the first target that breaks the SLO all the time', () => {
    const simulator = simulate(flatLoad(0.5))
    const bandit = banditOf({ targetsPercent: [10, 15, 50, 95] }, simulator)
    const tried = new Set<number>()
    operate(simulator, bandit, { steps: DAY / 15, onStep: () => tried.add(bandit.targetPercent) })
    expect([...tried].sort((a, b) => a - b)).toEqual([10, 15, 50])
  })

  it('is a function of its seed', () => {
    const simulator = simulate(generateLoad(core, 4, 2))
    const run = (seed: number) => {
      simulator.reset(0, 1)
      return operate(simulator, banditOf({ seed, podCores: 2, targetsPercent: [20, 30, 40, 50] }, simulator), {
        steps: 8000,
      })
    }
    expect(run(1)).toEqual(run(1))
    expect(run(1)).not.toEqual(run(2))
  })
})

describe('the bounds', () => {
  const part = { fromSeconds: DAY, toSeconds: 2 * DAY, seed: 5 }
  const world = (seed: number, options: Partial<ClusterOptions> = {}) =>
    keep(new ClusterSimulator(core, generateApplication(core, seed), generateLoad(core, seed, 2), options))

  it.each([1, 3])(
    'an oracle keeps the budget for less than every tuned rule and every fixed allocation (app %d)',
    (seed) => {
      const simulator = world(seed)
      const oracle = bestOracle(core, simulator, part)
      expect(oracle.record.violationPercent).toBeLessThanOrEqual(0.5)
      const fixed = bestStaticAllocation(core, simulator, part)
      expect(fixed.record.violationPercent).toBeLessThanOrEqual(0.5)
      expect(oracle.record.dollarsPerHour).toBeLessThan(fixed.record.dollarsPerHour)
      for (const family of RULE_FAMILIES) {
        const few = { ...family, settings: family.settings.filter((_, i) => i % 10 === 1) }
        const { record } = tuneRule(core, simulator, few, part)
        if (record.violationPercent > 0.5) continue
        expect(oracle.record.dollarsPerHour).toBeLessThan(record.dollarsPerHour)
      }
    },
  )

  it.each(['restart', 'none'] as const)(
    'an oracle never changes the size of a pod where that is dear or impossible (%s)',
    (resize) => {
      const simulator = world(1, { resize })
      const { record, allocator } = bestOracle(core, simulator, part)
      expect(allocator.settings.podCores).toBeGreaterThan(0)
      expect(record.violationPercent).toBeLessThanOrEqual(0.5)
      expect(record.resizesPerHour).toBeLessThan(0.1) // the first one
    },
  )

  it.each([
    ['resizes that take a step', { resizeSteps: 1 }],
    ['memory that is never given back', { memoryShrinks: false }],
    ['at least two pods', { bounds: { ...DEFAULT_BOUNDS, replicas: [2, 20] } }],
  ] as [string, Partial<ClusterOptions>][])('an oracle keeps the budget with %s', (_, options) => {
    for (const seed of [3, 6]) {
      expect(bestOracle(core, world(seed, options), part).record.violationPercent).toBeLessThanOrEqual(0.5)
    }
  })

  it('a fixed allocation costs what its price says, and less of it breaks the budget', () => {
    const simulator = world(2)
    const { allocator, record } = bestStaticAllocation(core, simulator, part)
    const { coresPerReplica, memoryMiBPerReplica, replicas } = allocator.allocation
    expect(record.dollarsPerHour).toBeCloseTo(
      replicas * (0.0335 * coresPerReplica + (0.0045 * memoryMiBPerReplica) / 1024),
      9,
    )
    simulator.reset(part.fromSeconds, part.seed)
    const less = new StaticAllocator({ ...allocator.allocation, coresPerReplica: 0.8 * coresPerReplica })
    expect(operate(simulator, less, { steps: DAY / 15 - 1 }).violationPercent).toBeGreaterThan(0.5)
  })

  it('more margin costs more and breaks less', () => {
    const simulator = world(1)
    const records = [0, 2, 6].map((margin) => {
      simulator.reset(part.fromSeconds, part.seed)
      return operate(simulator, new OracleAllocator(core, simulator, { margin }), { steps: 2000 })
    })
    const dollars = records.map(({ dollarsPerHour }) => dollarsPerHour)
    const violations = records.map(({ violationPercent }) => violationPercent)
    expect(dollars).toEqual(dollars.toSorted((a, b) => a - b))
    expect(violations).toEqual(violations.toSorted((a, b) => b - a))
    expect(violations[2]).toBeLessThan(0.1)
  })
})
