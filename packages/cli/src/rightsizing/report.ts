import { renderChart, type Series } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale, maxOf } from '../report/scale.js'
import { BASE, renderThemes } from '../report/style.js'
import { describeTable, intervalOf, short } from './format.js'
import type { AdviceReport, EvaluationReport, ForecastRow, PredictorErrors } from './report-types.js'

const LINES = [
  { light: '#0a5fd0', dark: '#5fb0ff', dash: '', width: 2.6 },
  { light: '#d4690a', dark: '#ffab5c', dash: '6 3', width: 1.8 },
  { light: '#00825f', dark: '#3fd0a4', dash: '2 3', width: 1.8 },
  { light: '#b03a86', dark: '#f08cc8', dash: '9 3 2 3', width: 1.8 },
  { light: '#6b51b5', dark: '#b7a3f7', dash: '4 2', width: 1.8 },
  { light: '#6f7785', dark: '#9aa4b5', dash: '1 4', width: 1.8 },
]

/**
 * The findings as one HTML file that needs nothing else, its numbers as JSON inside
 * (`<script type="application/json" id="trimtab-rightsize">`).
 */
export function renderRightsizeReport(report: EvaluationReport | AdviceReport): string {
  const isAdvice = report.format === 'trimtab-rightsize-advice'
  const title = isAdvice ? `Where to run ${report.workload}` : 'Runtimes of unseen workloads'
  const tokens = (theme: 'light' | 'dark') => LINES.map((style, i) => `--c-p${i}:${style[theme]};`).join('')
  const colours = LINES.map((_, i) => `.p${i}{--series:var(--c-p${i})}`).join('')
  return renderDocument({
    title: `Trimtab: ${title.toLowerCase()}`,
    style: `${renderThemes((theme) => `${tokens(theme)}--c-trimtab:var(--c-p0);`)}${colours}${BASE}${STYLE}`,
    body: `<main><header><div><h1>${escapeHtml(title)}</h1><p>${escapeHtml(describeTable(report.table))}</p></div></header>
${isAdvice ? renderAdvice(report) : renderEvaluation(report)}
<footer>${isAdvice ? 'Intervals hold for workloads that are like those of the table.' : 'Errors are of workloads, and of groups of like workloads, that were not learnt from.'}</footer></main>`,
    data: { id: 'trimtab-rightsize', value: report },
  })
}

function renderEvaluation({ predictors, settings }: EvaluationReport): string {
  const labels = settings.labels.filter((count) =>
    predictors.some(({ errors }) => errors.some((e) => e.labels === count)),
  )
  const find = ({ errors }: PredictorErrors, count: number) => errors.find((one) => one.labels === count)
  const series = predictors.map((one, i): Series => {
    const { dash, width } = LINES[i % LINES.length]!
    return {
      ...{ key: `p${i % LINES.length}`, dash, width },
      values: labels.map((count) => find(one, count)?.mape ?? Number.NaN),
      spread: labels.map((count) => find(one, count)?.deviation ?? 0),
    }
  })
  const shown = series.map(({ values }) => values.filter(Number.isFinite))
  const chart = renderChart({
    title: 'Mean absolute percentage error',
    unit: '1 = 100 %',
    description: 'Error by the number of measured configurations, one line a predictor',
    scale: linearScale(0, maxOf(shown), 5),
    xTicks: labels.map((count, i) => ({ at01: labels.length > 1 ? i / (labels.length - 1) : 0, text: `${count}` })),
    xUnit: 'measured',
    shape: 'line',
    series,
  })
  const rows = predictors.map((one, i) => {
    const { dash } = LINES[i % LINES.length]!
    const cells = labels.map((count) => {
      const error = find(one, count)
      return `<td>${error ? `${fixed(error.mape, 3)} <small>± ${fixed(error.deviation, 3)}</small>` : '–'}</td>`
    })
    const swatch = `<svg class="swatch p${i % LINES.length}" viewBox="0 0 28 10" aria-hidden="true"><path d="M1 5H27" stroke-width="2.4" stroke-dasharray="${dash}"/></svg>`
    return `<tr${one.isChosen ? ' class="chosen"' : ''}><th scope="row">${swatch}${escapeHtml(one.name)}</th>${cells.join('')}</tr>`
  })
  return `<section><h2>Error by what was measured</h2><p class="lead">${settings.folds} folds × ${settings.repeats} repeats, ${settings.draws} choices of the measured configurations; every predictor is given the same.</p>${chart}
<div tabindex="0" class="scroll"><table><thead><tr><th scope="col">Predictor</th>${labels.map((count) => `<th scope="col">${count} measured</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

function renderAdvice({ forecasts, best, settings, predictor, pool, measured }: AdviceReport): string {
  const most = Math.max(...forecasts.map((one) => one.high ?? one.seconds))
  const rows = forecasts.map((one) => {
    const isBest = one.configuration === best?.configuration
    return `<tr${isBest ? ' class="chosen"' : ''}><th scope="row">${escapeHtml(one.configuration)}</th><td>${short(one.seconds)}</td><td>${escapeHtml(intervalOf(one))}</td><td class="span">${renderSpan(one, most)}</td><td>${one.usd === null ? '–' : short(one.usd)}</td></tr>`
  })
  const limit = settings.maxSeconds === null ? '' : ` of those within ${settings.maxSeconds} s`
  const answer = best
    ? `The ${best.usd === null ? 'fastest' : 'cheapest'}${limit}: <b>${escapeHtml(best.configuration)}</b>, ${short(best.seconds)} s${best.fit === 'likely' ? ', though its interval reaches beyond' : ''}.`
    : `Nothing is predicted to take ${settings.maxSeconds} s or less.`
  return `<section><h2>${answer}</h2><p class="lead">${measured} configurations measured, the rest predicted by ${escapeHtml(predictor)} from ${pool} workloads; bars are ${settings.confidencePercent} % intervals.</p>
<div tabindex="0" class="scroll"><table><thead><tr><th scope="col">Configuration</th><th scope="col">Seconds</th><th scope="col">Interval</th><th scope="col"></th><th scope="col">USD a run</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

/** From 0 to `most` seconds: the interval as a bar, the prediction as a mark in it. */
function renderSpan({ low, high, seconds }: ForecastRow, most: number): string {
  const at = (value: number) => fixed((100 * value) / most, 2)
  const bar = low === null || high === null ? '' : `<i style="left:${at(low)}%;width:${at(high - low)}%"></i>`
  return `${bar}<b style="left:${at(seconds)}%"></b>`
}

const STYLE = `
.chart{margin:0 0 18px;min-width:0}figcaption{font-weight:600;font-size:13.5px;margin-bottom:8px}
.plot{position:relative;height:280px;margin:0 0 26px 44px}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:hidden}.plot path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--hair);stroke-width:1}.line{stroke:var(--series)}.plot path.band{fill:var(--series);opacity:.15;stroke:none}
.y span,.x span{position:absolute;font-size:11.5px;color:var(--muted);line-height:1;white-space:nowrap}.y span{right:100%;margin-right:8px;transform:translateY(50%)}.x span{top:100%;margin-top:7px;transform:translateX(-50%)}.x .end{right:0;transform:none}
.swatch{width:28px;height:10px;margin-right:9px;vertical-align:middle}.swatch path{stroke:var(--series);fill:none}
tr.chosen>*{background:var(--mark);font-weight:600}
td.span{position:relative;min-width:180px}td.span i{position:absolute;top:50%;height:8px;margin-top:-4px;border-radius:4px;background:var(--c-p0);opacity:.35}td.span b{position:absolute;top:50%;height:14px;width:2px;margin:-7px 0 0 -1px;background:var(--c-p0)}
`
