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

/**
 * Chooses what runs: of the policies that gain more than chance in validation, the best; else the rule. More than chance: J is above the
 * rule's by more than the standard error of the differences by platform, and neither violations nor the worst tenant's are above by more
 * than theirs.
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
  const difference = (figure: keyof PlatformRecord) =>
    meanAndError(ours.map((one, i) => one[figure] - rules[i]![figure]))
  const gain = difference('score')
  const harms = [difference('violation01'), difference('worstViolation01')]
  return gain.mean > gain.error && harms.every((harm) => harm.mean <= harm.error) ? gain.mean : 0
}

/** With the standard error of the mean. */
function meanAndError(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const average = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0)
  return { mean: average, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) }
}
