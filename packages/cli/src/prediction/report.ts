import { renderChart } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale } from '../report/scale.js'
import { BASE, renderThemes } from '../report/style.js'
import { describePredictor } from './format.js'
import type { GroupScores, LengthEvaluation } from './report-types.js'

const CLASSES = ['below p25', 'p25 – p50', 'p50 – p75', 'p75 – p99', 'above p99']

/**
 * The scores as one HTML file that needs nothing else, its numbers as JSON inside
 * (`<script type="application/json" id="trimtab-length">`).
 */
export function renderLengthReport(report: LengthEvaluation): string {
  const { all, sources, models } = report
  const about = `${describePredictor(report)}. Judged on ${all.rows} rows of ${report.file}${report.where ? ` where ${report.where}` : ''}.`
  return renderDocument({
    title: 'Trimtab: lengths of answers',
    style: `${renderThemes((theme) => (theme === 'light' ? '--c-trimtab:#0a5fd0;' : '--c-trimtab:#5fb0ff;'))}.p0{--series:var(--c-trimtab)}${BASE}${STYLE}`,
    body: `<main><header><div><h1>How well lengths of answers are foreseen</h1><p>${escapeHtml(about)}</p></div></header>
<section><h2>Order ${orderOf(all)}, accuracy ${fixed(all.accuracy, 3)}, L1 ${fixed(all.l1, 3)}</h2>
<p class="lead">Order: of two answers of one model, the share put in the right order, ties as halves; 0.5 is chance. A prediction takes ${fixed(report.microseconds320, 1)} µs for 320 characters.</p>
${renderGroups('Source', sources)}${renderGroups('Model', models)}</section>
${renderConfusion(report.confusion)}${renderLearning(report)}
<footer>Classes are those of the percentiles 25, 50, 75 and 99 of each model's own answers.</footer></main>`,
    data: { id: 'trimtab-length', value: report },
  })
}

const orderOf = ({ order }: GroupScores): string => (order === null ? '–' : fixed(order, 3))

function renderGroups(title: string, groups: readonly GroupScores[]): string {
  const rows = groups.map((one) => {
    const bar = one.order === null ? '' : `<i style="width:${fixed(Math.max(0, (one.order - 0.5) * 200), 1)}%"></i>`
    return `<tr><th scope="row">${escapeHtml(one.name)}</th><td>${one.rows}</td><td>${fixed(one.accuracy, 3)}</td><td>${fixed(one.l1, 3)}</td><td>${orderOf(one)}</td><td class="span">${bar}</td></tr>`
  })
  return `<div tabindex="0" class="scroll"><table><thead><tr><th scope="col">${title}</th><th scope="col">Rows</th><th scope="col">Accuracy</th><th scope="col">L1</th><th scope="col">Order</th><th scope="col">0.5 – 1</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function renderConfusion(confusion: LengthEvaluation['confusion']): string {
  const rows = confusion.map((row, i) => {
    const total = Math.max(
      1,
      row.reduce((a, b) => a + b, 0),
    )
    const cells = row.map((count) => `<td class="cell" style="--share:${fixed(count / total, 3)}">${count}</td>`)
    return `<tr><th scope="row">${CLASSES[i]}</th>${cells.join('')}</tr>`
  })
  return `<section><h2>True class (down) and predicted class (across)</h2><div tabindex="0" class="scroll"><table><thead><tr><th></th>${CLASSES.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

function renderLearning({ learning }: LengthEvaluation): string {
  if (!learning) return ''
  const { curve } = learning
  const last = curve.length - 1
  const orders = curve.map(({ order }) => order ?? Number.NaN)
  const shown = orders.filter(Number.isFinite)
  const chart = renderChart({
    title: 'Order on the rows that are judged',
    unit: '',
    description: 'Share of pairs in the right order by finished requests learnt from',
    scale: linearScale(Math.min(0.5, ...shown), Math.max(...shown), 5),
    xTicks: curve.map(({ finished }, i) => ({ at01: i / Math.max(1, last), text: `${finished}` })),
    xUnit: 'finished',
    shape: 'line',
    series: [{ key: 'p0', values: orders, dash: '', width: 2.6 }],
  })
  return `<section><h2>As it learns from ${escapeHtml(learning.file)}</h2><p class="lead">${learning.finished} requests finished one by one; steps of the axis are not even.</p>${chart}</section>`
}

const STYLE = `
.chart{margin:0 0 18px;min-width:0}figcaption{font-weight:600;font-size:13.5px;margin-bottom:8px}
.plot{position:relative;height:280px;margin:0 0 26px 44px}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:hidden}.plot path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--hair);stroke-width:1}.line{stroke:var(--series)}
.y span,.x span{position:absolute;font-size:11.5px;color:var(--muted);line-height:1;white-space:nowrap}.y span{right:100%;margin-right:8px;transform:translateY(50%)}.x span{top:100%;margin-top:7px;transform:translateX(-50%)}.x .end{right:0;transform:none}
td.span{position:relative;min-width:140px}td.span i{position:absolute;top:50%;left:0;height:8px;margin-top:-4px;border-radius:4px;background:var(--c-trimtab);opacity:.6}
td.cell{background:color-mix(in srgb,var(--c-trimtab) calc(var(--share)*60%),transparent)}
`
