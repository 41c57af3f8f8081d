import type { PlatformRecord } from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import { chooseDefault, type JudgedRule, type TenantsCell, type TenantVariantName } from '../../src/index.js'

const recordOf = (score: number, more: Partial<PlatformRecord> = {}): PlatformRecord => ({
  ...{ score, reward: score, violation01: 0.1, worstViolation01: 0.2, p99OverSlo: 1, p95P99OverSlo: 1 },
  ...{ shares: 128, containers: 1, coldStartsPerHour: 0, memoryMiB: 256, ...more },
})
const PLATFORMS = [0.7, 0.8, 0.6, 0.9] // the rule's J on each: they differ more than any gain
const RULE: JudgedRule = {
  ...{ name: 'a', label: 'a rule', knowsLoad: false, settings: {}, trainScore: 0.9 },
  ...{ validation: PLATFORMS.map((score) => recordOf(score)), records: [recordOf(0.7), recordOf(0.72)] },
}

/** A policy that was judged at .75 and gained so much on each platform set aside. */
const cellOf = (variant: TenantVariantName, gains: readonly number[], more?: Partial<PlatformRecord>): TenantsCell => ({
  spec: {
    ...{ arena: 'standard-5', variant, seed: 1, rule: { family: 'a', settings: {} } },
    ...{ episodes: 1, imitationEpisodes: 1, judgedEpisodes: 1 },
  },
  ...{ judged: recordOf(0.75), learning: [], keptEpisodes: 1 },
  validation: gains.map((gain, i) => recordOf(PLATFORMS[i]! + gain, more)),
})
const chosen = (...cells: readonly TenantsCell[]) => chooseDefault(RULE, cells, 1).chosen

describe('the default', () => {
  it('is what gained most where platforms agree that it gains', () => {
    const [some, more] = [cellOf('priced', [0.01, 0.02, 0.01, 0.02]), cellOf('corrected', [0.03, 0.02, 0.03, 0.04])]
    expect(chosen(some)).toBe('priced')
    expect(chosen(some, more)).toBe('corrected')
    expect(chooseDefault(RULE, [some], 1).judged).toEqual(recordOf(0.75))
  })

  it('is the rule where a gain may be chance, as judged with the same seed', () => {
    const lucky = cellOf('corrected', [0.2, -0.01, 0, -0.01]) // mean .045, standard error .052
    expect(chooseDefault(RULE, [lucky], 1)).toEqual({ chosen: 'rule', judged: recordOf(0.72) })
    expect(chosen(cellOf('corrected', [0, 0, 0, 0]))).toBe('rule')
    expect(chosen()).toBe('rule')
  })

  it('is the rule where a gain costs violations, or a tenant', () => {
    const gains = [0.03, 0.02, 0.03, 0.04]
    expect(chosen(cellOf('corrected', gains, { violation01: 0.11 }))).toBe('rule')
    expect(chosen(cellOf('corrected', gains, { worstViolation01: 0.21 }))).toBe('rule')
  })

  it('is not one that could not be tried on other platforms', () => {
    const { validation: _, ...cell } = cellOf('corrected', [0.1, 0.1, 0.1, 0.1])
    expect(chosen(cell)).toBe('rule')
  })
})
