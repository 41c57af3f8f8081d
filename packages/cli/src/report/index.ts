// Comparisons as HTML pages that need nothing else.
import type { AutoscalingReport } from '@trimtab/studies'
import { renderApps } from './apps.js'
import { clientScript } from './client.js'
import { renderDocument } from './document.js'
import { renderStyle } from './style.js'
import { renderFindings, renderHead, renderSummary, renderTiles } from './summary.js'
import { renderTimelines } from './timelines.js'

export type {
  AutoscalerResult,
  AutoscalerSummary,
  AutoscalerWorld,
  AutoscalingReport,
  AutoscalingVerdict,
  Comparison,
  ExplainedDecision,
  GuardShares,
  LearningDays,
  Spread,
  Timeline,
} from '@trimtab/studies'
export { comparisonTable, renderComparison } from './comparison.js'
export { cellOf, SUMMARY_COLUMNS, type SummaryColumn, titleOf } from './format.js'
export { type ControllerStyle, styleOf } from './palette.js'

/**
 * A comparison as one HTML file that needs nothing else: no network, no server, its numbers as JSON inside
 * (`<script type="application/json" id="trimtab-report">`).
 *
 * @example
 * await writeFile('trimtab-report.html', renderReport(report))
 */
export function renderReport(report: AutoscalingReport): string {
  return renderDocument({
    title: 'Trimtab: autoscaling, side by side',
    style: renderStyle(report.controllers),
    body: `<main>${renderHead(report)}${renderTiles(report)}${renderFindings(report)}${renderSummary(report)}${renderApps(report)}${renderTimelines(report)}
<footer>Everything here was measured in a simulator: applications, latencies and pods are modelled, the controllers are the real ones. The oracle and the best static allocation know what no controller can know.</footer></main>`,
    data: { id: 'trimtab-report', value: report },
    script: clientScript(),
  })
}
