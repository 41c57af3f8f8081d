// One request as a waterfall, its critical path drawn through it as one line.
import { escapeHtml } from '../../report/format.js'
import type { ServiceColours } from './colours.js'
import { duration, percent, plural } from './format.js'
import { timeAxis } from './time-axis.js'
import type { WaterfallRow, WaterfallRows, WaterfallView } from './types.js'

/** Pixels; the line through the rows is drawn in units of half a row. */
const ROW_HEIGHT = 24

/** The chooser and every waterfall; all but the first are hidden until chosen. */
export function renderWaterfalls(views: readonly WaterfallView[], colours: ServiceColours): string {
  if (views.length === 0) return ''
  const options = views.map(
    (view, i) =>
      `<option value="${i}">${escapeHtml(view.role)} · ${duration(view.latencyUs)} · ${escapeHtml(view.traceId)}</option>`,
  )
  const chooser =
    views.length > 1
      ? `<label>Request <select data-waterfalls>${options.join('')}</select></label>`
      : `<span class="muted">${escapeHtml(views[0]!.role)} · ${escapeHtml(views[0]!.traceId)}</span>`
  const every = views.some(({ full }) => full)
    ? '<label><input type="checkbox" data-every-span> every span</label>'
    : ''
  const legend =
    '<ul class="keys"><li><i class="key on"></i>on the critical path: what the user waits for</li><li><i class="key off"></i>running, but not waited for just then</li><li><i class="key bg"></i>background: nothing waits for it</li></ul>'
  const bodies = views.flatMap((view, i) => [
    renderWaterfall(view, view, colours, { request: i, isFull: false, isHidden: i > 0 }),
    ...(view.full ? [renderWaterfall(view, view.full, colours, { request: i, isFull: true, isHidden: true })] : []),
  ])
  return `<section class="waterfalls" aria-labelledby="h-waterfall"><h2 id="h-waterfall">Critical path of a request</h2><div class="bar-row">${chooser}${every}</div>${legend}${bodies.join('')}</section>`
}

function renderWaterfall(
  { spans, latencyUs, full }: WaterfallView,
  shown: WaterfallRows,
  colours: ServiceColours,
  { request, isFull, isHidden }: { readonly request: number; readonly isFull: boolean; readonly isHidden: boolean },
): string {
  const { rows, fromUs, toUs } = shown
  const span = Math.max(toUs - fromUs, 1e-3)
  const at = (us: number) => ((us - fromUs) / span) * 100
  const ticks = timeAxis(fromUs, toUs)
  const marks = ticks.map(({ us, text }) => `<span style="left:${at(us).toFixed(3)}%">${text}</span>`)
  const grid = ticks.map(({ us }) => `M${(at(us) * 10).toFixed(1)} 0V${rows.length * 2}`).join('')
  const sections: (readonly [number, number])[][] = rows.map(() => [])
  for (const [row, from, to] of shown.path) sections[row]!.push([from, to])
  const body = rows.map((row, i) => renderRow(row, sections[i]!, latencyUs, at, colours))
  const label = `Waterfall of ${plural(spans, 'span')}, ${duration(latencyUs)}; each row gives the time it owns on the critical path`
  const lines = (layer: string, paths: string) =>
    `<svg class="wf-lines ${layer}" viewBox="0 0 1000 ${rows.length * 2}" preserveAspectRatio="none" style="height:${rows.length * ROW_HEIGHT}px" aria-hidden="true">${paths}</svg>`
  const which = `data-request="${request}" data-view="${isFull ? 'full' : full ? 'compact' : 'only'}"`
  return `<div class="waterfall" tabindex="0" role="table" aria-label="${escapeHtml(label)}" ${which}${isHidden ? ' hidden' : ''}>
<div class="wf-head" role="row"><span role="columnheader">service and operation</span><span role="columnheader" class="axis">${marks.join('')}</span><span role="columnheader" class="num">lasts</span><span role="columnheader" class="num">on path</span></div>
<div class="wf-body" role="rowgroup">${lines('wf-grid', `<path d="${grid}"/>`)}${lines('wf-route', routeOf(shown, at))}${body.join('')}</div></div>`
}

function renderRow(
  row: WaterfallRow,
  sections: readonly (readonly [number, number])[],
  latencyUs: number,
  at: (us: number) => number,
  colours: ServiceColours,
): string {
  const { startUs, endUs, selfUs } = row
  const place = (from: number, to: number) =>
    `left:${at(from).toFixed(3)}%;width:${Math.max(at(to) - at(from), 0).toFixed(3)}%`
  const name =
    row.kind === 'folded'
      ? `<em>+ ${plural(row.spans, 'more span')}</em>`
      : `<b>${escapeHtml(row.service)}</b> ${escapeHtml(row.operation)}`
  const flags = [row.isError ? 'error' : '', row.isBackground ? 'background' : ''].filter(Boolean)
  const lasts = endUs - startUs
  const title = [
    row.kind === 'folded' ? `${plural(row.spans, 'span')} not shown one by one` : `${row.service}: ${row.operation}`,
    `starts at ${duration(startUs)}, lasts ${duration(lasts)}`,
    selfUs > 0 ? `owns ${duration(selfUs)} of the path, ${percent(selfUs / latencyUs)}` : 'owns nothing of the path',
    ...flags,
  ]
    .map(escapeHtml)
    .join('\n')
  const pieces = sections.map(([from, to]) => `<i class="on" style="${place(from, to)}"></i>`)
  const classes = ['wf-row', row.kind, selfUs > 0 ? 'is-on' : '', ...flags].filter(Boolean).join(' ')
  return `<div class="${classes}" role="row" style="${colours.style(row.service)}" title="${title}"><span role="cell" class="name" style="--d:${Math.min(row.depth, 24)}">${name}${row.isError ? '<span class="tag bad">error</span>' : ''}${row.isBackground ? '<span class="tag">background</span>' : ''}</span><span role="cell" class="lane"><i class="whole" style="${place(startUs, endUs)}"></i>${pieces.join('')}</span><span role="cell" class="num">${duration(lasts)}</span><span role="cell" class="num own">${selfUs > 0 ? duration(selfUs) : ''}</span></div>`
}

/** The path as one stepped line: along the row that owns the moment, then (paler) up or down to the next. Rows are 2 high. */
function routeOf({ path }: WaterfallRows, at: (us: number) => number): string {
  const x = (us: number) => (at(us) * 10).toFixed(1)
  let stays = ''
  let moves = ''
  let before: number | undefined
  for (const [row, from, to] of path) {
    const y = row * 2 + 1
    if (before !== undefined && before !== y) moves += `M${x(from)} ${before}V${y}`
    stays += `M${x(from)} ${y}H${x(to)}`
    before = y
  }
  return `<path d="${stays}"/><path class="moves" d="${moves}"/>`
}
