import { type ConfigError, type Core, createCore } from '@trimtab/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  ClusterSimulator,
  generateApplication,
  generateLoad,
  type OperatingRecord,
  operate,
  pickCheapest,
  RULE_FAMILIES,
  type RuleFamily,
  tuneRule,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})
const open: { dispose(): void }[] = []
afterEach(() => {
  for (const owned of open.splice(0)) owned.dispose()
})

const HOUR = 3600
const simulate = (seed: number): ClusterSimulator => {
  const simulator = new ClusterSimulator(core, generateApplication(core, seed), generateLoad(core, seed, 4))
  open.push(simulator)
  return simulator
}
const familyOf = (name: string): RuleFamily => RULE_FAMILIES.find((family) => family.name === name)!
const some = (family: RuleFamily, every: number): RuleFamily => ({
  ...family,
  settings: family.settings.filter((_, i) => i % every === 0),
})

describe('the search', () => {
  const part = { fromSeconds: 0, toSeconds: 36 * HOUR, seed: 3 }

  it('finds the best of the grid, as trying all of it through the whole part shows', () => {
    for (const seed of [1, 6]) {
      const simulator = simulate(seed)
      const family = some(familyOf('resize'), 5)
      const found = tuneRule(core, simulator, family, part)
      const tried = family.settings.map((settings) => {
        const rule = family.create(core, simulator.options, settings)
        simulator.reset(0, part.seed)
        const outcome: OperatingRecord = operate(simulator, rule, { steps: (36 * HOUR) / 15 - 1 })
        return { settings, outcome }
      })
      const best = pickCheapest(tried, 0.5)
      expect(found.record).toEqual(tried.find(({ settings }) => settings === found.settings)!.outcome)
      expect(found.settings).toEqual(best.settings)
    }
  })

  it('is a function of its seed, and of no run before it', () => {
    const family = some(familyOf('hpa-headroom'), 4)
    const first = tuneRule(core, simulate(2), family, part)
    const used = simulate(2)
    used.reset(50_000, 7)
    expect(tuneRule(core, used, family, part)).toEqual(first)
  })

  it('says what is wrong with a part', () => {
    const tune = () =>
      tuneRule(core, simulate(2), familyOf('resize'), { fromSeconds: -1, toSeconds: Number.NaN, seed: 1 })
    expect(tune).toThrow(expect.objectContaining({ code: 'config_invalid' }) as ConfigError)
  })
})

describe('pickCheapest', () => {
  const tried = (...list: [dollarsPerHour: number, violationPercent: number][]) =>
    list.map(([dollarsPerHour, violationPercent]) => ({ outcome: { dollarsPerHour, violationPercent } }))
  it.each([
    ['the cheapest within the budget', tried([1, 0.6], [2, 0.5], [3, 0.1]), 2],
    ['the cheapest of about the fewest where none is', tried([1, 3], [2, 1.05], [3, 1]), 2],
    ['the first of equals', tried([2, 0], [2, 0.1]), 2],
  ])('takes %s', (_, list, dollars) => {
    expect(pickCheapest(list, 0.5).outcome.dollarsPerHour).toBe(dollars)
  })
})
