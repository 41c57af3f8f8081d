import type { Batching } from '@trimtab/serve'
import { renderChart, type Series } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale, logScale, maxOf, minOf, type Tick } from '../report/scale.js'
import { BASE, renderThemes } from '../report/style.js'
import { BATCHING_LABELS, change, describeRun, POLICY_LABELS, short } from './format.js'
import type { PolicyCurves, PolicyName, PolicyResult, ScheduleReport } from './report-types.js'

const LINES: Readonly<
  Record<PolicyName, { readonly light: string; readonly dark: string; readonly dash: string; readonly width: number }>
> = {
  fcfs: { light: '#d4690a', dark: '#ffab5c', dash: '', width: 2 },
  class: { light: '#b03a86', dark: '#f08cc8', dash: '9 3 2 3', width: 1.8 },
  ssjf: { light: '#0a5fd0', dark: '#5fb0ff', dash: '', width: 2.6 },
  'ssjf-unaged': { light: '#00825f', dark: '#3fd0a4', dash: '2 3', width: 1.8 },
  oracle: { light: '#30353d', dark: '#e3e7ee', dash: '3 3', width: 1.5 },
}

/**
 * The findings as one HTML file that needs nothing else, its numbers as JSON inside
 * (`<script type="application/json" id="trimtab-schedule">`).
 */
export function renderScheduleReport(report: ScheduleReport): string {
  const policies = Object.entries(LINES)
  const tokens = (theme: 'light' | 'dark') => policies.map(([name, style]) => `--c-${name}:${style[theme]};`).join('')
  const colours = policies.map(([name]) => `.s-${name}{--series:var(--c-${name})}`).join('')
  const [what, how] = describeRun(report)
  const { batchings, sloScale } = report.settings
  return renderDocument({
    title: 'Trimtab: who is served next',
    style: `${renderThemes((theme) => `${tokens(theme)}--c-trimtab:var(--c-ssjf);`)}${colours}${BASE}${STYLE}`,
    body: `<main><header><div><h1>Who is served next</h1><p>${escapeHtml(what)}</p><p>${escapeHtml(how)}</p></div></header>
${batchings.map((batching) => renderBatching(report, batching)).join('')}
<footer>JCT: from arrival to the last token. ρ: arrivals beside what first come, first served can do under the same batching. SLO: ${sloScale} × what the request takes alone. ± is the standard deviation over seeds; everything is simulated.</footer></main>`,
    data: { id: 'trimtab-schedule', value: report },
  })
}

function renderBatching(report: ScheduleReport, batching: Batching): string {
  const results = report.results.filter((one) => one.batching === batching)
  const curves = report.curves.filter((one) => one.batching === batching)
  const { loads } = report.settings
  const groups = loads.map((load) => {
    const rows = results.filter((one) => one.load === load).map(renderRow)
    const head =
      loads.length > 1 ? `<tr class="group"><th colspan="8" scope="rowgroup">ρ = ${fixed(load, 2)}</th></tr>` : ''
    return head + rows.join('')
  })
  const highest = fixed(Math.max(...loads), 2)
  return `<section><h2>${BATCHING_LABELS[batching]}${loads.length > 1 ? '' : `, ρ = ${highest}`}</h2>
<div tabindex="0" class="scroll"><table><thead><tr><th scope="col">Policy</th><th scope="col">Mean JCT <small>s</small></th><th scope="col">against FCFS</th><th scope="col">p50 <small>s</small></th><th scope="col">p99 <small>s</small></th><th scope="col">Longest wait <small>s</small></th><th scope="col">against FCFS</th><th scope="col">In SLO <small>%</small></th></tr></thead><tbody>${groups.join('')}</tbody></table></div>
<div class="grid-2">${loads.length > 1 ? loadChart(results, loads) : ''}${percentileChart(curves, highest)}${lengthChart(curves, highest)}</div></section>`
}

function renderRow(one: PolicyResult): string {
  const { dash } = LINES[one.policy]
  const swatch = `<svg class="swatch s-${one.policy}" viewBox="0 0 28 10" aria-hidden="true"><path d="M1 5H27" stroke-width="2.4" stroke-dasharray="${dash}"/></svg>`
  const isBase = one.policy === 'fcfs'
  const cells = [
    `${short(one.meanJctSeconds.mean)} <small>± ${short(one.meanJctSeconds.deviation)}</small>`,
    isBase ? '' : change(one.meanJctOverFcfs.mean),
    short(one.p50JctSeconds.mean),
    short(one.p99JctSeconds.mean),
    short(one.maxWaitSeconds.mean),
    isBase ? '' : `${fixed(one.maxWaitOverFcfs.mean, 2)}× <small>worst ${fixed(one.maxWaitOverFcfs.worst, 2)}×</small>`,
    fixed(100 * one.attainment01.mean, 1),
  ]
  return `<tr${one.policy === 'ssjf' ? ' class="chosen"' : ''}><th scope="row">${swatch}${POLICY_LABELS[one.policy]}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

const seriesOf = (policy: PolicyName, values: readonly number[]): Series => {
  const { dash, width } = LINES[policy]
  return { key: `s-${policy}`, values, dash, width }
}

const ticksAt = (texts: readonly (readonly [at01: number, text: string])[]): Tick[] =>
  texts.map(([at01, text]) => ({ at01, text }))

function percentileChart(curves: readonly PolicyCurves[], load: string): string {
  const lists = curves.map(({ jctPercentiles }) => jctPercentiles)
  return renderChart({
    title: 'Completion time by percentile',
    unit: `s, ρ = ${load}`,
    description: 'Completion time of each percentile of the requests, one line a policy, logarithmic',
    scale: logScale(Math.max(0.05, minOf(lists)), maxOf(lists)),
    xTicks: ticksAt([0, 25, 50, 75, 100].map((percent) => [percent / 100, `${percent}`])),
    xUnit: '%',
    shape: 'line',
    series: curves.map(({ policy, jctPercentiles }) => seriesOf(policy, jctPercentiles)),
  })
}

function lengthChart(curves: readonly PolicyCurves[], load: string): string {
  const lists = curves.map(({ meanJctByLength }) => meanJctByLength)
  const last = (lists[0]?.length ?? 1) - 1
  return renderChart({
    title: 'Completion time by length of the answer',
    unit: `mean s, ρ = ${load}`,
    description: 'Mean completion time of each tenth of the requests by true length, shortest first, one line a policy',
    scale: logScale(Math.max(0.05, minOf(lists)), maxOf(lists)),
    xTicks: ticksAt([
      [0, 'shortest'],
      [0.5, ''],
      [1, 'longest'],
    ]),
    xUnit: last > 0 ? 'tenth' : '',
    shape: 'line',
    series: curves.map(({ policy, meanJctByLength }) => seriesOf(policy, meanJctByLength)),
  })
}

function loadChart(results: readonly PolicyResult[], loads: readonly number[]): string {
  const policies = [...new Set(results.map(({ policy }) => policy))]
  const valuesOf = (policy: PolicyName) =>
    loads.map((load) => results.find((one) => one.policy === policy && one.load === load)!.meanJctSeconds.mean)
  return renderChart({
    title: 'Mean completion time by load',
    unit: 's',
    description: 'Mean completion time at each load, one line a policy',
    scale: linearScale(0, maxOf(policies.map(valuesOf)), 5),
    xTicks: ticksAt(loads.map((load, i) => [loads.length > 1 ? i / (loads.length - 1) : 0, `${load}`])),
    xUnit: 'ρ',
    shape: 'line',
    series: policies.map((policy) => seriesOf(policy, valuesOf(policy))),
  })
}

const STYLE = `
.chart{margin:18px 0 0;min-width:0}figcaption{font-weight:600;font-size:13.5px;margin-bottom:8px}
.grid-2{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:8px 34px}
.plot{position:relative;height:240px;margin:0 0 26px 44px}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:hidden}.plot path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--hair);stroke-width:1}.line{stroke:var(--series)}
.y span,.x span{position:absolute;font-size:11.5px;color:var(--muted);line-height:1;white-space:nowrap}.y span{right:100%;margin-right:8px;transform:translateY(50%)}.x span{top:100%;margin-top:7px;transform:translateX(-50%)}.x .end{right:0;transform:none}
.swatch{width:28px;height:10px;margin-right:9px;vertical-align:middle}.swatch path{stroke:var(--series);fill:none}
tr.chosen>*{background:var(--mark);font-weight:600}.group th{font-size:12px;padding-top:16px;color:var(--muted)}
`
