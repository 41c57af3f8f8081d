import type { LiveBlock, PeriodRecord } from '@trimtab/local/live'
import { renderChart, type Series } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml } from '../report/format.js'
import { cssKey, styleOf, swatch } from '../report/palette.js'
import { linearScale, logScale, maxOf, minOf, type Scale, timeTicks } from '../report/scale.js'
import { BASE, CHARTS, renderThemes } from '../report/style.js'
import type { LiveReport } from './run-live.js'
import { FIGURE_COLUMNS, factsOf, flawsOf, labelOf, sentencesOf } from './words.js'

const named = (arm: string) => ({ name: arm, kind: 'rule' }) as const

/** A live run as one HTML file that needs nothing else, its numbers as JSON inside (`<script type="application/json" id="trimtab-live">`). */
export function renderLivePage(report: LiveReport): string {
  const { arms } = report.settings
  const tokens = (theme: 'light' | 'dark') =>
    arms.map((arm) => `--${cssKey(arm)}:${styleOf(named(arm))[theme]};`).join('')
  const colours = arms.map((arm) => `.${cssKey(arm)}{--series:var(--${cssKey(arm)})}`).join('')
  const facts = factsOf(report)
    .split(' · ')
    .map((fact) => `<div><dd>${escapeHtml(fact)}</dd></div>`)
  return renderDocument({
    title: 'Trimtab: live',
    style: `${renderThemes(tokens)}${colours}${BASE}${CHARTS}`,
    body: `<main><header><div><h1>Live: one machine, real processes</h1></div><dl class="facts">${facts.join('')}</dl></header>
${renderArms(report)}${renderGates(report)}${renderPeriods(report)}
<footer>Periods left out: ${escapeHtml(flawsOf(report))}. p99 counts from when requests were meant to go out.</footer></main>`,
    data: { id: 'trimtab-live', value: report },
  })
}

function renderArms(report: LiveReport): string {
  const heads = ['scaled by', ...FIGURE_COLUMNS.map(({ title }) => title)]
  const rows = report.verdict.figures.map((one) => {
    const cells = FIGURE_COLUMNS.map(({ cellOf }) => `<td>${cellOf(one)}</td>`)
    return `<tr><th scope="row">${swatch(named(one.arm))}${escapeHtml(labelOf(one.arm))}</th>${cells.join('')}</tr>`
  })
  const findings = sentencesOf(report).map((text) => `<li>${escapeHtml(text)}</li>`)
  return `<section><h2>What each came to</h2><ul class="findings">${findings.join('')}</ul>
<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
}

function renderGates({ verdict }: LiveReport): string {
  const rows = verdict.gates.map(
    ({ name, holds, says }) =>
      `<tr><th scope="row">${holds ? '✓' : '✗'} ${escapeHtml(name)}</th><td>${escapeHtml(says)}</td></tr>`,
  )
  return `<section><h2>What the machinery did</h2><table><tbody>${rows.join('')}</tbody></table></section>`
}

/** All rounds side by side; a period that was left out leaves a gap. */
function renderPeriods({ measured, settings }: LiveReport): string {
  const linesOf = (read: (period: PeriodRecord) => number): Series[] =>
    settings.arms.map((arm) => {
      const blocks = measured.blocks.filter((block) => block.arm === arm).sort(byRound)
      const values = blocks.flatMap(({ periods }) => periods.map((one) => (one.flaw ? Number.NaN : read(one))))
      const { dash, width } = styleOf(named(arm))
      return { key: cssKey(arm), values, dash, width }
    })
  const time = timeTicks(settings.blocks * settings.blockPeriods * settings.periodSeconds)
  const chart = (title: string, unit: string, series: readonly Series[], scale: Scale, sloMs?: number) =>
    renderChart({
      ...{ title, unit, series, scale, xTicks: time.ticks, xUnit: time.unit, shape: 'step' },
      description: `${title} of each period, one line an arm`,
      ...(sloMs !== undefined && { references: [{ value: sloMs, label: 'SLO' }] }),
    })
  const known = (series: readonly Series[]) => series.map(({ values }) => values.filter((value) => value > 0))
  const p99 = linesOf(({ p99Ms }) => p99Ms)
  const cores = linesOf(({ coreSeconds, lengthMs }) => (1000 * coreSeconds) / lengthMs)
  const lists = [...known(p99), [measured.sloMs]]
  return `<section><h2>Period by period</h2><p class="lead">${settings.blocks} rounds one after the other; every arm met each of them.</p>
${chart('p99', 'ms', p99, logScale(minOf(lists), maxOf(lists)), measured.sloMs)}${chart('Limits of all pods', 'cores', cores, linearScale(0, maxOf(known(cores))))}</section>`
}

const byRound = (a: LiveBlock, b: LiveBlock): number => a.round - b.round
