import { createCore } from '@trimtab/core'
import {
  arenaSpec,
  DemandRule,
  judgeRule,
  PlatformTally,
  ServerlessPlatform,
  standardArena,
} from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import { runChurnCell, runTenantsCell, type TenantsCellSpec } from '../../src/index.js'

const core = await createCore()
const rule = { family: 'demand', settings: { margin: 3.5, windowSteps: 6, shares: 128, keepAliveSeconds: 60 } }
const spec = (variant: TenantsCellSpec['variant']): TenantsCellSpec => ({
  ...{ arena: 'standard-5', variant, seed: 3, rule, episodes: 5, imitationEpisodes: 12, judgedEpisodes: 2 },
})

describe('a cell of tenants', () => {
  it('is a function of its spec', () => {
    const cell = runTenantsCell(core, spec('priced'))
    expect(cell).toEqual(runTenantsCell(core, spec('priced')))
    expect(cell).not.toEqual(runTenantsCell(core, { ...spec('priced'), seed: 4 }))
    expect(cell.learning).toHaveLength(5)
  })

  it('is as good as the rule once it has imitated that', () => {
    const { agreement01, judged } = runTenantsCell(core, { ...spec('priced'), episodes: 1 })
    const platform = new ServerlessPlatform(core, arenaSpec(core, standardArena(5), 'test', 3))
    const { score } = judgeRule(platform, [0, 1], () => new DemandRule(rule.settings))
    platform.dispose()
    expect(agreement01).toBeGreaterThan(0.6) // of eight and five levels
    expect(Math.abs(judged.score - score)).toBeLessThan(0.05)
  })

  it('keeps the rule as it is where no correction is better, and does no harm', () => {
    const cell = runTenantsCell(core, { ...spec('corrected'), episodes: 2 })
    const platform = new ServerlessPlatform(core, arenaSpec(core, standardArena(5), 'test', 3))
    const rules = judgeRule(platform, [0, 1], () => new DemandRule(rule.settings))
    platform.dispose()
    expect(cell.keptEpisodes).toBe(0)
    expect(cell.judged).toEqual(rules)
  })

  it.each(['priced', 'corrected', 'simppo-full'] as const)('shows every step by which %s is judged', (variant) => {
    const tally = new PlatformTally()
    const { judged } = runTenantsCell(core, { ...spec(variant), episodes: 2 }, (platform) => tally.note(platform))
    expect(tally.record()).toEqual(judged)
  })

  it.each(['s-rl-alone', 's-rl-run-together', 'cpq-rl', 'simppo-full-category', 'simppo-compact'] as const)(
    'runs %s',
    (variant) => {
      const { judged, learning } = runTenantsCell(core, { ...spec(variant), episodes: 2 })
      expect(learning).toHaveLength(2)
      expect(judged.reward).toBeGreaterThan(0)
      expect(judged.violation01).toBeLessThanOrEqual(judged.worstViolation01)
    },
  )
})

describe('a change of tenants', () => {
  const change = { tenants: 3, seed: 1, rule, imitationEpisodes: 4, episodesBefore: 3, episodesAfter: 12 }

  it.each(['scratch', 'category', 'shared', 'corrected'] as const)('%s: two join, or two leave', (method) => {
    const cell = runChurnCell(core, { ...change, method, changes: [2, -2] })
    const alone = runChurnCell(core, { ...change, method, changes: [2] })
    expect(cell.before).toHaveLength(3)
    expect(cell.before).toEqual(alone.before) // one team
    expect(cell.changes[0]).toEqual(alone.changes[0]) // whose changes know nothing of each other
    for (const { after, drop01, episodesToRecover } of cell.changes) {
      expect(after).toHaveLength(12)
      expect(episodesToRecover).toBeLessThanOrEqual(12)
      const known = cell.before.reduce((sum, reward) => sum + reward, 0) / 3
      const first = after.slice(0, 5).reduce((sum, reward) => sum + reward, 0) / 5
      expect(drop01).toBeCloseTo((known - first) / Math.abs(known), 12)
    }
  })
})
