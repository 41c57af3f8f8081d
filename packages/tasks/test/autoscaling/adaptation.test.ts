import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AUTOSCALING_ADAPTATION,
  AUTOSCALING_HIDDEN_WEIGHT,
  type AutoscalingPair,
  multisetKey,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

describe('the pool', () => {
  it('has each of the 968 multisets of segments once before any comes again', () => {
    const keys = AUTOSCALING_ADAPTATION.pool(core, 0, 969).map(({ application }) => multisetKey(application))
    expect(new Set(keys).size).toBe(968)
    expect(keys[968]).toBe(keys[0])
  })

  it('spreads memory and demand evenly over their scales', () => {
    const pairs = AUTOSCALING_ADAPTATION.pool(core, 0, 400)
    const [floors, peaks] = [
      pairs.map(({ application }) => application.baseMemoryMiB),
      pairs.map(({ application }) => application.peakRatePerSecond * application.workSeconds),
    ]
    const quartile = (values: number[], share: number): number => values.toSorted((a, b) => a - b)[400 * share]!
    // Log-uniform: the middle is the geometric mean of the ends, 346 MiB and 3.16 cores.
    expect(quartile(floors, 0.5)).toBeGreaterThan(300)
    expect(quartile(floors, 0.5)).toBeLessThan(400)
    expect(Math.min(...floors)).toBeGreaterThan(100)
    expect(Math.max(...floors)).toBeLessThan(1200)
    expect(quartile(peaks, 0.5)).toBeGreaterThan(2.5)
    expect(quartile(peaks, 0.5)).toBeLessThan(4)
  })

  it('hides a weight in the second task only, the applications being the same', () => {
    const [plain, hidden] = [AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT].map((task) => task.pool(core, 0, 100))
    expect(plain!.map((pair) => pair.application)).toEqual(hidden!.map((pair) => pair.application))
    expect(new Set(plain!.map((pair) => pair.sloWeight))).toEqual(new Set([0.7]))
    const weights = hidden!.map((pair) => pair.sloWeight)
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.05)
    expect(Math.max(...weights)).toBeLessThanOrEqual(0.9)
    expect(new Set(weights).size).toBe(100)
  })

  it('refuses a pair with every problem named', () => {
    const [pair] = AUTOSCALING_HIDDEN_WEIGHT.pool(core, 0, 1) as [AutoscalingPair]
    const broken = { ...pair, sloWeight: 1.5, application: { ...pair.application, workSeconds: Number.NaN } }
    expect(() => AUTOSCALING_HIDDEN_WEIGHT.environment(core, broken)).toThrow(/sloWeight.*1\.5.*workSeconds.*NaN/)
  })
})

it('pays by the pair’s own weight', () => {
  const [pair] = AUTOSCALING_HIDDEN_WEIGHT.pool(core, 0, 1) as [AutoscalingPair]
  const rewardAt = (sloWeight: number): number => {
    const world = AUTOSCALING_HIDDEN_WEIGHT.environment(core, { ...pair, sloWeight })
    world.reset(1)
    const { reward } = world.step(Float32Array.of(0, 0.5, 0))
    world.dispose()
    return reward
  }
  // Linear in the weight: the SLO's part at 1, utilisation's at 0.
  expect(rewardAt(0.25)).toBeCloseTo(0.25 * rewardAt(1) + 0.75 * rewardAt(0), 12)
  expect(rewardAt(1)).not.toBeCloseTo(rewardAt(0), 2)
})

// What makes adapting worth anything; measured with 20 pairs on a finer grid: 50 % and 88 %.
it('asks for another action from each application', () => {
  const levels = [-1, -0.6, -0.2, 0.2, 0.6, 1]
  const actions = levels.flatMap((a) => levels.flatMap((b) => levels.map((c) => Float32Array.of(a, b, c))))
  const worth = AUTOSCALING_ADAPTATION.pool(core, 0, 10).map((pair) => {
    const world = AUTOSCALING_ADAPTATION.environment(core, pair)
    const rewards = actions.map((action) => {
      world.reset(1)
      let sum = 0
      for (let i = 0; i < 100; i++) sum += world.step(action).reward
      return sum
    })
    world.dispose()
    return rewards.map((reward) => reward / Math.max(...rewards))
  })
  const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length
  const best = worth.map((row) => row.indexOf(1))
  const losses = worth.flatMap((row, i) => best.filter((_, j) => j !== i).map((action) => 1 - row[action]!))
  expect(mean(losses)).toBeGreaterThan(0.3)
  const singles = actions.map((_, action) => mean(worth.map((row) => row[action]!)))
  expect(Math.max(...singles)).toBeLessThan(0.92)
})
