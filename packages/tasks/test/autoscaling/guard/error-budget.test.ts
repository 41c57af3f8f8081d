import { type Core, createCore, Random } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTelemetry, ErrorBudget, type Telemetry } from '../../../src/autoscaling/index.js'

const DAY = 5760

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** A step whose true p99 is `ratio` of the SLO, measured from `requests` with an exponential tail; busier where it is slower. */
function measured(random: Random, ratio: number, requests: number): Telemetry {
  const rank = Math.ceil(0.99 * requests)
  const p = random.beta(rank, requests - rank + 1)
  const used = 2 * (1 - 0.3 / (ratio + 0.1)) * (1 + 0.03 * random.normal())
  return {
    ...createTelemetry(),
    ...{ sloMs: 100, p99Ms: (100 * ratio * Math.log(1 - p)) / Math.log(0.01) },
    ...{ requests, readyReplicas: 1, coresPerReplica: 2, usedCores: used },
  }
}

/** What the second of two days spends. */
function spentInADay(ratioAt: (step: number) => number, requests: number): number {
  const random = new Random(core, 7, 1)
  const budget = new ErrorBudget(core.math)
  for (let step = 0; step < 2 * DAY; step++) budget.charge(budget.weigh(measured(random, ratioAt(step), requests)))
  random.dispose()
  return budget.spentSteps
}

describe('an error budget', () => {
  it.each([50, 100, 200, 300])(
    'is not spent by scatter: true p99 at .85 of the SLO, %d requests a step',
    (requests) => {
      expect(spentInADay(() => 0.85, requests)).toBeLessThan(0.75 * 0.005 * DAY)
    },
  )

  it.each([
    ['ten times the SLO, 20 times', 10, 288, 50, 20],
    ['1.3 of it, 58 times, isolated', 1.3, 100, 50, 58],
    ['1.1 of it, 288 times', 1.1, 20, 100, 288],
    ['1.1 of it in every tenth step', 1.1, 10, 300, 576],
  ])('does not under-count %s', (_, ratio, every, requests, truly) => {
    expect(spentInADay((step) => (step % every === 0 ? ratio : 0.6), requests)).toBeGreaterThan(0.95 * truly)
  })

  it('counts a p99 held just above the SLO', () => {
    expect(spentInADay(() => 1.05, 100)).toBeGreaterThan(0.9 * DAY)
  })

  it('counts kills and dropped requests in full, whatever p99 was, and nothing where nothing came', () => {
    const budget = new ErrorBudget(core.math)
    const quiet = { ...createTelemetry(), sloMs: 100 }
    expect(budget.weigh({ ...quiet, oomKills: 1 })).toBe(1)
    expect(budget.weigh({ ...quiet, droppedRequests: 0.1 })).toBe(1)
    expect(budget.weigh(quiet)).toBe(0)
    expect(budget.weigh({ ...quiet, requests: 9, p99Ms: Number.POSITIVE_INFINITY })).toBe(1)
  })

  it('is in debt once it is spent, within the hour or the day, until the reserve is back', () => {
    const budget = new ErrorBudget(core.math, { share: 0.1, stepsPerDay: 240, strictness: 1 }) // 24 a day, 6 in 10 steps
    for (let i = 0; i < 5; i++) budget.charge(1)
    expect(budget.isInDebt).toBe(false)
    budget.charge(1)
    expect(budget.isInDebt).toBe(true)
    for (let i = 0; i < 5; i++) budget.charge(0)
    expect(budget.isInDebt).toBe(true) // one of six is back: less than a fifth
    budget.charge(0)
    expect(budget.isInDebt).toBe(false)
    for (let i = 0; i < 18; i++) {
      budget.charge(1)
      for (let j = 0; j < 3; j++) budget.charge(0)
    }
    expect(budget).toMatchObject({ spentSteps: 24, leftSteps: 0, isInDebt: true })
    for (let i = 0; i < 240; i++) budget.charge(0)
    expect(budget).toMatchObject({ spentSteps: 0, isInDebt: false })
  })

  it('spends what was charged in the last day and no more, forever', () => {
    const charges = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 200 })
    fc.assert(
      fc.property(charges, (list) => {
        const budget = new ErrorBudget(core.math, { stepsPerDay: 48, strictness: 1 })
        for (const charge of list) budget.charge(charge)
        const sum = list.slice(-48).reduce((a, b) => a + b, 0)
        expect(Math.abs(budget.spentSteps - sum)).toBeLessThan(48 / 1024)
      }),
    )
  })

  it('goes on elsewhere from what was saved, and refuses what is none', () => {
    const random = new Random(core, 1, 1)
    const [first, second] = [new ErrorBudget(core.math), new ErrorBudget(core.math)]
    const live = (budget: ErrorBudget, at: number): void =>
      budget.charge(budget.weigh(measured(random, at % 9 === 0 ? 1.2 : 0.8, 100)))
    for (let i = 0; i < 500; i++) live(first, i)
    const saved = first.save()
    second.load(saved)
    const state = random.save()
    for (let i = 0; i < 100; i++) live(first, i)
    random.load(state)
    for (let i = 0; i < 100; i++) live(second, i)
    expect(second.save()).toEqual(first.save())
    const before = second.save()
    for (const bad of [saved.slice(1), [...saved, 0], saved.with(0, Number.NaN), saved.with(4, DAY)]) {
      expect(() => second.load(bad)).toThrow(expect.objectContaining({ code: 'guard_state_invalid' }))
    }
    expect(second.save()).toEqual(before)
    random.dispose()
  })

  it('refuses options that cannot be, all at once', () => {
    const make = () => new ErrorBudget(core.math, { share: 1, stepsPerDay: 3, hourShare: 0, strictness: 0 })
    expect(make).toThrow(/share.*stepsPerDay.*hourShare.*strictness/)
  })
})
