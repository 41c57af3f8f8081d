// The comparison as a person reads it on a terminal.

import type { AutoscalerSummary, AutoscalingReport } from '@trimtab/studies'
import { cellOf, fixed, SUMMARY_COLUMNS, titleOf } from '../report/format.js'
import { rivalsOf } from '../report/summary.js'
import { type Column, formatTable, type Paint, type Row } from '../terminal.js'

/** Heading, one row a controller with mean ± spread over seeds, the bounds apart, the findings. */
export function formatReport(report: AutoscalingReport, paint: Paint): string {
  const { settings, controllers, findings } = report
  const columns: readonly Column[] = [
    { title: 'controller', align: 'left' },
    ...SUMMARY_COLUMNS.map((column) => ({ title: titleOf(column), align: 'right' as const })),
  ]
  const rivals = controllers.filter(({ kind }) => kind !== 'bound').map(toRow)
  const bounds = controllers.filter(({ kind }) => kind === 'bound').map(toRow)
  const rows: readonly Row[] =
    bounds.length > 0 ? [...rivals, { caption: 'bounds: they know what no controller can know' }, ...bounds] : rivals
  const ours = controllers.find(({ name }) => name === 'trimtab')
  const table = formatTable(columns, rows, paint)
    .split('\n')
    .map((line) => (ours && line.startsWith(ours.label) ? paint.accent(line) : line))
  const heading = `${countOf(settings.apps, 'application')} × ${countOf(settings.seeds, 'seed')} · load: ${settings.load} · ${settings.episodes} learning episodes · SLO ${settings.sloFactor} × ample p99 · ${settings.world}`
  return [
    paint.dim(heading),
    '',
    ...table,
    ...(findings.length > 0 ? ['', ...findings.map((text) => `• ${text}`)] : []),
    '',
  ].join('\n')
}

const countOf = (list: readonly unknown[], unit: string): string =>
  `${list.length} ${unit}${list.length === 1 ? '' : 's'}`

function toRow(controller: AutoscalerSummary): readonly string[] {
  const cells = SUMMARY_COLUMNS.map((column) => {
    const cell = cellOf(column, controller)
    return cell ? `${cell.mean} ± ${cell.deviation}` : '–'
  })
  return [controller.label, ...cells]
}

const TOLERATED_VIOLATION_PERCENT = 1

/**
 * Why the learned policy should not replace the rule on this load, or undefined when it may (or when one was not run).
 * The bar: at least the rule's reward, and no more violations than the rule or 1 % of steps.
 */
export function objectionTo(report: AutoscalingReport): string | undefined {
  const { ours, rule } = rivalsOf(report)
  if (!ours || !rule) return undefined
  const reasons: string[] = []
  if (ours.reward.mean < rule.reward.mean)
    reasons.push(`its reward is ${fixed(ours.reward.mean, 1)}, the rule's ${fixed(rule.reward.mean, 1)}`)
  const allowed = Math.max(rule.violationPercent.mean, TOLERATED_VIOLATION_PERCENT)
  if (ours.violationPercent.mean > allowed)
    reasons.push(
      `it violates the SLO in ${fixed(ours.violationPercent.mean, 2)} % of steps, at most ${fixed(allowed, 2)} % are tolerated`,
    )
  return reasons.length > 0 ? `${ours.label} should not replace ${rule.label} here: ${reasons.join('; ')}` : undefined
}
