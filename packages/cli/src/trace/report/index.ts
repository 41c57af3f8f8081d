import { jsonForScript } from '../../report/format.js'
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
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>Trimtab: ${titleOf(report).toLowerCase()}</title><link rel="icon" href="data:,">
<style>${renderPageStyle()}</style></head>
<body><main>${renderHead(report)}${renderTraceParts(report)}
<footer>Shares add up to the latency: a critical path covers its request without gaps and without overlaps.</footer></main>
<script type="application/json" id="trimtab-trace">${jsonForScript(report)}</script>
<script>${clientScript()}</script></body></html>
`
}

/** Everything between the heading and the foot, for a page that has its own; `mountTraceReport` brings it to life. */
export function renderTraceParts(report: TraceReport): string {
  const colours = new ServiceColours([
    ...report.services.map(({ service }) => service),
    ...report.flame.frames.map(({ service }) => service),
  ])
  return [
    renderTiles(report),
    renderCulprits(report.culprits, colours),
    renderDiff(report.diff, colours),
    renderWaterfalls(report.waterfalls, colours),
    renderFlame(report.flame, colours),
    renderServices(report.services, report.callPaths, colours),
    renderWhatIf(report.whatIf, colours),
    renderTraces(report.traces, report.latency.count, colours),
    renderRepairs(report.repairs),
  ].join('\n')
}
