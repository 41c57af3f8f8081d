import { renderDocument } from '../../report/document.js'
import { clientScript } from './client.js'
import { ServiceColours } from './colours.js'
import { renderFlame } from './flame.js'
import { renderHead, renderTiles, titleOf } from './head.js'
import { renderPageStyle } from './style.js'
import { renderCulprits, renderDiff, renderRepairs, renderServices, renderTraces, renderWhatIf } from './tables.js'
import type { TraceReport } from './types.js'
import { renderWaterfalls } from './waterfall.js'

export { mountTraceReport } from './client.js'
export { renderPartsStyle } from './style.js'
export type * from './types.js'

/**
 * What was found as one HTML file that needs nothing else: no network, no server, its numbers as JSON inside
 * (`<script type="application/json" id="trimtab-trace">`).
 *
 * @example
 * await writeFile('trimtab-trace.html', renderTraceReport(report))
 */
export function renderTraceReport(report: TraceReport): string {
  return renderDocument({
    title: `Trimtab: ${titleOf(report).toLowerCase()}`,
    style: renderPageStyle(),
    body: `<main>${renderHead(report)}${renderTraceParts(report)}
<footer>Shares add up to the latency: a critical path covers its request without gaps and without overlaps.</footer></main>`,
    data: { id: 'trimtab-trace', value: report },
    script: clientScript(),
  })
}

/** Everything between the heading and the foot, for a page that has its own; `mountTraceReport` brings it to life. */
export function renderTraceParts(report: TraceReport): string {
  const colours = new ServiceColours([
    ...report.services.map(({ service, callee }) => callee ?? service),
    ...report.flame.frames.map(({ service }) => service),
  ])
  return [
    renderTiles(report),
    renderCulprits(report.culprits, colours),
    renderDiff(report.diff, colours),
    renderWaterfalls(report.waterfalls, colours),
    renderFlame(report.flame, colours),
    renderServices(report.services, report.callPaths, colours),
    renderWhatIf(report.whatIf, report.latency, colours),
    renderTraces(report.traces, report.latency.count, colours),
    renderRepairs(report.repairs),
  ].join('\n')
}
