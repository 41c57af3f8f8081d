// The comparison as a person reads it on a terminal.

import type { AutoscalerSummary, AutoscalingReport } from '@trimtab/studies'
import { cellOf, factsOf, MARK_HELP, markOf, SUMMARY_COLUMNS, titleOf } from '../report/format.js'
import { type Column, formatTable, type Paint, type Row } from '../terminal.js'

/** Heading, one row a controller with mean ± spread over seeds, the bounds apart, the findings, the verdict. */
export function formatReport(report: AutoscalingReport, paint: Paint): string {
  const { controllers, findings, verdict } = report
  const columns: readonly Column[] = [
    { title: 'controller', align: 'left' },
    ...SUMMARY_COLUMNS.map((column) => ({ title: titleOf(column), align: 'right' as const })),
  ]
  const row = (controller: AutoscalerSummary): readonly string[] => toRow(controller, report)
  const rivals = controllers.filter(({ kind }) => kind !== 'bound').map(row)
  const bounds = controllers.filter(({ kind }) => kind === 'bound').map(row)
  const rows: readonly Row[] =
    bounds.length > 0 ? [...rivals, { caption: 'bounds: they know what no controller can know' }, ...bounds] : rivals
  const ours = controllers.find(({ name }) => name === 'trimtab')
  const table = formatTable(columns, rows, paint)
    .split('\n')
    .map((line) => (ours && line.startsWith(ours.label) ? paint.accent(line) : line))
  const heading = factsOf(report)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' · ')
  return [
    paint.dim(heading),
    '',
    ...table,
    paint.dim(MARK_HELP),
    '',
    ...findings.map((text) => `• ${text}`),
    ...(verdict ? [`${verdict.isFor ? '✓' : '✗'} ${verdict.text}`] : []),
    '',
  ].join('\n')
}

function toRow(controller: AutoscalerSummary, { settings }: AutoscalingReport): readonly string[] {
  const cells = SUMMARY_COLUMNS.map((column) => {
    const { mean, deviation } = cellOf(column, controller, settings.seeds.length)
    return `${mean} ± ${deviation}`
  })
  return [`${controller.label}${markOf(controller, settings.apps.length)}`, ...cells]
}
