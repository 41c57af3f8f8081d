import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  arenaSpec,
  DemandRule,
  judgeRule,
  SERVERLESS_ARENAS,
  ServerlessPlatform,
  TENANT_RULE_FAMILIES,
  tuneTenantRule,
  VIOLATION_PRICE,
} from '../../src/serverless/index.js'
import { busySpec, paperFunction, steadySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

describe('an arena', () => {
  it.each(SERVERLESS_ARENAS.map((arena) => [arena.name, arena] as const))(
    '%s is a platform of its own for each part and seed, and the same again',
    (_, arena) => {
      const train = arenaSpec(core, arena, 'train', 1)
      const test = arenaSpec(core, arena, 'test', 1)
      expect(train.tenants).toHaveLength(arena.tenants)
      expect(arenaSpec(core, arena, 'train', 1)).toEqual(train)
      expect(Object.values(test.loads)).not.toEqual(Object.values(train.loads))
      expect(Object.values(test.loads)).not.toEqual(Object.values(arenaSpec(core, arena, 'test', 2).loads))
      expect(Object.keys(test.loads).filter((name) => name in train.loads)).toEqual([])
      for (const spec of [train, test]) new ServerlessPlatform(core, spec).dispose() // it can be used
    },
  )

  it.each(['standard-5', 'slow-start-12'])('%s asks for the share of cores that it says', (name) => {
    const arena = SERVERLESS_ARENAS.find((one) => one.name === name)!
    const { tenants, invokers } = arenaSpec(core, arena, 'test', 3)
    const cores = invokers.reduce((sum, invoker) => sum + invoker.count * invoker.cores * invoker.speed, 0)
    expect(tenants.reduce((sum, { meanCores }) => sum + meanCores!, 0) / cores).toBeCloseTo(arena.load01!, 9)
  })
})

describe('judging a rule', () => {
  it('counts all that is there and nothing else, in the terms of J', () => {
    const platform = new ServerlessPlatform(core, busySpec(core, 4, 6, { events: [] }))
    const record = judgeRule(
      platform,
      [1, 2],
      () => new DemandRule({ margin: 1, windowSteps: 3, shares: 512, keepAliveSeconds: 60 }),
    )
    expect(record.score).toBeCloseTo(record.reward - VIOLATION_PRICE * record.violation01, 12)
    expect(record.worstViolation01).toBeGreaterThanOrEqual(record.violation01)
    expect(record.shares).toBeCloseTo(512, 9) // of every step of every tenant: none was left without a decision
    expect(record.coldStartsPerHour).toBeGreaterThan(0)
    platform.dispose()
  })

  it('shows a rule that knows the load what will come', () => {
    const spec = steadySpec([paperFunction('base64')], 1, { arrivals: 'exact' })
    const rates = Array.from({ length: 60 }, (_, step) => (step % 7) / 10) // whole requests a step
    const tenants = [{ functions: ['base64'], loads: ['steady'] }]
    const platform = new ServerlessPlatform(core, { ...spec, tenants, loads: { steady: rates }, episodeSteps: 20 })
    let foreseen = Number.NaN
    judgeRule(platform, [5], (_, { demandAhead }) => ({
      name: 'checks',
      decide({ demandContainers, timeSeconds }, out) {
        if (timeSeconds > 10) expect(demandContainers).toBeCloseTo(foreseen, 9)
        foreseen = demandAhead(1)
        Object.assign(out, { containers: 3, shares: 1024, keepAliveSeconds: 0 })
      },
      beginEpisode() {},
    }))
    expect(foreseen).toBeGreaterThanOrEqual(0)
    platform.dispose()
  })

  it('finds settings that do better than the middle of their ranges', () => {
    const platform = new ServerlessPlatform(core, arenaSpec(core, SERVERLESS_ARENAS[0]!, 'train', 2))
    const [family] = TENANT_RULE_FAMILIES
    const middle = Object.fromEntries(
      Object.entries(family!.ranges).map(([name, { low, high }]) => [name, Math.round((low + high) / 2)]),
    )
    const { score } = judgeRule(platform, [0, 1], (_, site) => family!.create(middle, site))
    const found = tuneTenantRule(core, [platform], family!, [0, 1], 1)
    expect(found.score).toBeGreaterThan(score)
    expect(judgeRule(platform, [0, 1], (_, site) => family!.create(found.settings, site)).score).toBe(found.score)
    platform.dispose()
  })
})
