// The top of the report: what was run, the answer in four figures, the verdict and the findings, the table.
import type { AutoscalerSummary, AutoscalingReport } from '@trimtab/studies'
import { cellOf, escapeHtml, factsOf, fixed, MARK_HELP, markOf, SUMMARY_COLUMNS, signed } from './format.js'
import { cssKey, swatch } from './palette.js'

export function renderHead(report: AutoscalingReport): string {
  const facts = factsOf(report).map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  return `<header><div><h1>Autoscaling, side by side</h1><p>A learner with a guarantee beside the rules it would replace, on the same load: dollars under an SLO.</p></div>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
<dl class="facts">${facts.join('')}</dl></header>`
}

/** Four figures of Trimtab beside the strongest rule's; nothing when it was not run. */
export function renderTiles({ settings, controllers, worlds, results }: AutoscalingReport): string {
  const ours = controllers.find(({ name }) => name === 'trimtab')
  const rules = worlds.flatMap(({ app, strongest }) =>
    results.filter((one) => one.app === app && one.controller === strongest),
  )
  if (!ours || rules.length === 0) return ''
  const mean = (of: (rule: (typeof rules)[number]) => number) =>
    rules.reduce((sum, rule) => sum + of(rule), 0) / rules.length
  const budget = `budget\u00a0${fixed(settings.budgetPercent, 2)}\u00a0%`
  const cores = mean((rule) => rule.cores)
  const tiles = [
    {
      title: 'Cost',
      value: `$${fixed(ours.dollarsPerHour.mean, 4)}`,
      unit: 'an hour',
      note: `${signed((ours.relativeCost.mean - 1) * 100, 0)} % against the strongest rule`,
    },
    {
      title: 'SLO violations',
      value: fixed(ours.violationPercent.mean, 2),
      unit: '% of steps',
      note: `strongest rule: ${fixed(
        mean((rule) => rule.violationPercent),
        2,
      )}\u00a0%, ${budget}`,
    },
    {
      title: 'Violations while learning',
      value: fixed(ours.learningViolationPercent.mean, 2),
      unit: '% of steps',
      note: `strongest rule: ${fixed(
        mean((rule) => rule.learningViolationPercent),
        2,
      )}\u00a0%, ${budget}`,
    },
    {
      title: 'Requested cores',
      value: fixed(ours.cores.mean, 2),
      unit: 'mean',
      note: `${signed((ours.cores.mean / cores - 1) * 100, 0)} % against the strongest rule (${fixed(cores, 2)})`,
    },
  ]
  return `<section class="tiles" aria-label="${escapeHtml(ours.label)} in four figures">${tiles
    .map(
      ({ title, value, unit, note }) =>
        `<div><h3>${title}</h3><p><b>${value}</b> ${unit}</p><small>${note}</small></div>`,
    )
    .join('')}</section>`
}

export function renderFindings({ findings, verdict }: AutoscalingReport): string {
  if (findings.length === 0 && !verdict) return ''
  const answer = verdict ? `<p class="lead">${verdict.isFor ? '✓' : '✗'} ${escapeHtml(verdict.text)}</p>` : ''
  return `<section><h2>Findings</h2>${answer}<ul class="findings">${findings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul></section>`
}

export function renderSummary(report: AutoscalingReport): string {
  const { controllers, settings } = report
  const row = (controller: AutoscalerSummary) => renderRow(controller, report)
  const rivals = controllers.filter(({ kind }) => kind !== 'bound')
  const bounds = controllers.filter(({ kind }) => kind === 'bound')
  const heads = SUMMARY_COLUMNS.map(
    ({ title, unit, help }) =>
      `<th scope="col" title="${escapeHtml(help)}">${title}${unit ? ` <small>${unit}</small>` : ''}</th>`,
  )
  const caption = `<tr class="group"><th colspan="${SUMMARY_COLUMNS.length + 1}" scope="rowgroup">Bounds: they know what no controller can know</th></tr>`
  const spread = settings.seeds.length > 1 ? ' ± standard deviation over seeds' : '; one seed has no spread'
  return `<section><h2>Summary</h2><p class="lead">Mean over applications (${settings.apps.length}) and seeds (${settings.seeds.length})${spread}. ${escapeHtml(MARK_HELP)}.</p>
<div tabindex="0" class="scroll"><table class="summary"><thead><tr><th scope="col">controller</th>${heads.join('')}</tr></thead>
<tbody>${rivals.map(row).join('')}</tbody>${bounds.length > 0 ? `<tbody class="bounds">${caption}${bounds.map(row).join('')}</tbody>` : ''}</table></div>
<details><summary>What the columns mean</summary><dl class="help">${SUMMARY_COLUMNS.map(({ title, help }) => `<dt>${title}</dt><dd>${escapeHtml(help)}</dd>`).join('')}</dl></details></section>`
}

function renderRow(controller: AutoscalerSummary, { settings }: AutoscalingReport): string {
  const cells = SUMMARY_COLUMNS.map((column) => {
    const { mean, deviation } = cellOf(column, controller, settings.seeds.length)
    return `<td>${mean}<small> ± ${deviation}</small></td>`
  })
  const name = `${escapeHtml(controller.label)}${markOf(controller, settings.apps.length)}`
  return `<tr class="${cssKey(controller.name)}"><th scope="row">${swatch(controller)}${name}</th>${cells.join('')}</tr>`
}
