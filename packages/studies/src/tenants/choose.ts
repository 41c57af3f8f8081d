import { mean } from '@trimtab/core'
import type { PlatformRecord } from '@trimtab/tasks/serverless'
import type { JudgedRule } from './arena-rules.js'
import type { TenantsCell } from './cell.js'
import type { TenantVariantName } from './variants.js'

/** What the default is chosen from, beside the tuned rule. */
export const DEFAULT_CANDIDATES: readonly TenantVariantName[] = ['corrected', 'priced']

/** What runs where nobody says what should. */
export interface DefaultChoice {
  /** `rule`: nothing that was learned is surely better. */
  readonly chosen: TenantVariantName | 'rule'
  readonly judged: PlatformRecord
}

const STANDARD_ERRORS = 2

/**
 * Chooses what runs: of the policies whose J in validation is above the rule's by more than two standard errors (of the differences by
 * platform), with no more violations and no worse worst tenant, the best; else the rule.
 * @param cells  those of one seed
 * @param seedIndex  where that seed's record stands among the rule's
 */
export function chooseDefault(rule: JudgedRule, cells: readonly TenantsCell[], seedIndex: number): DefaultChoice {
  const best = cells
    .map((cell) => ({ cell, gain: surelyGained(cell.validation ?? [], rule.validation) }))
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .at(0)?.cell
  return best
    ? { chosen: best.spec.variant, judged: best.judged }
    : { chosen: 'rule', judged: rule.records[seedIndex]! }
}

/** Mean gain of J; 0 where it may be chance, or does harm. */
function surelyGained(ours: readonly PlatformRecord[], rules: readonly PlatformRecord[]): number {
  if (ours.length === 0) return 0
  const differences = (figure: keyof PlatformRecord) => ours.map((record, i) => record[figure] - rules[i]![figure])
  if (mean(differences('violation01')) > 0 || mean(differences('worstViolation01')) > 0) return 0
  const gains = differences('score')
  const gain = mean(gains)
  const variance = gains.reduce((sum, one) => sum + (one - gain) ** 2, 0) / Math.max(1, gains.length - 1)
  return gain > STANDARD_ERRORS * Math.sqrt(variance / gains.length) ? gain : 0
}
