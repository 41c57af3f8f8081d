import type { PlatformRecord } from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import {
  type ArenaRules,
  compareTenants,
  headroomOf,
  type JudgedRule,
  type StudyProgress,
  type TenantsCell,
  type TenantsCellSpec,
  type TenantsPlan,
} from '../../src/index.js'

const recordOf = (score: number): PlatformRecord => ({
  ...{ score, reward: score, violation01: 0, worstViolation01: 0, p99OverSlo: 1, p95P99OverSlo: 1 },
  ...{ shares: 128, containers: 1, coldStartsPerHour: 0, memoryMiB: 256 },
})
const rule = (name: string, knowsLoad: boolean, seen: number, scores: readonly number[]): JudgedRule => ({
  ...{ name, label: name, knowsLoad, trainScore: seen, validation: [recordOf(seen)], settings: { of: name } },
  records: scores.map(recordOf),
})
const RULES: ArenaRules = {
  ...{ name: 'standard-5', label: 'five', tenants: 5 },
  rules: [
    rule('trained', false, 0.9, [0.5, 0.6]),
    rule('judged', false, 0.1, [0.6, 0.7]),
    rule('trained-knows', true, 0.9, [0.65, 0.74]),
    rule('judged-knows', true, 0.8, [0.9, 0.9]),
  ],
}
const PLAN: TenantsPlan = {
  arenas: { 'standard-5': { variants: ['simppo-full', 'priced'], episodes: 10 } },
  seeds: [4, 5],
  ...{ trainEpisodes: 1, judgedEpisodes: 2, imitationEpisodes: 3 },
}
const cellOf = async (spec: TenantsCellSpec): Promise<TenantsCell> => ({
  ...{ spec, judged: recordOf(spec.seed), learning: [], keptEpisodes: 0 },
})

describe('a comparison of tenants', () => {
  it('learns each variant for each seed, for as long as its arena says, of the rule that did best in validation', async () => {
    const told: StudyProgress[] = []
    const [arena] = await compareTenants(PLAN, {
      ...{ rules: async () => RULES, cell: cellOf, onProgress: (progress) => told.push(progress) },
    })
    expect(arena!.variants.map(({ name, cells }) => [name, ...cells.map(({ spec }) => spec)])).toEqual(
      (['simppo-full', 'priced'] as const).map((variant) => [
        variant,
        ...[4, 5].map((seed) => ({
          ...{ arena: 'standard-5', variant, seed, episodes: 10, imitationEpisodes: 3, judgedEpisodes: 2 },
          rule: { family: 'trained', settings: { of: 'trained' } },
        })),
      ]),
    )
    expect(told.map(({ done, total }) => [done, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]))
    expect(arena!.headroom).toEqual(headroomOf(RULES))
    expect(arena!.choices).toEqual([0.5, 0.6].map((score) => ({ chosen: 'rule', judged: recordOf(score) })))
  })

  it('knows what there is to gain: the best rule as judged, and the one that knows the load as trained', () => {
    const { best, clairvoyant, gains, headroom } = headroomOf(RULES)
    expect([best.name, clairvoyant.name, ...gains.map((gain) => gain.toFixed(3))]).toEqual([
      ...['judged', 'trained-knows', '0.050', '0.040'],
    ])
    expect(headroom).toBeCloseTo(0.045, 12)
  })

  it('refuses names that are none, all at once, before any work', async () => {
    let calls = 0
    const count = async (): Promise<never> => {
      calls++
      throw new Error('no work was to be done')
    }
    const of = (variant: string) => ({ variants: [variant], episodes: 1 })
    const arenas = { 'standard-6': of('prized'), moon: of('priced') } as unknown as TenantsPlan['arenas']
    await expect(compareTenants({ ...PLAN, arenas, seeds: [] }, { rules: count, cell: count })).rejects.toThrow(
      /"standard-6" is no arena: standard-5, .*"moon" is no arena.*"prized" is no variant: .*simppo-full.*seeds/s,
    )
    expect(calls).toBe(0)
  })
})
