// The top of the report: what was run, the answer in four figures, the findings, the table.
import type { AutoscalerSummary, AutoscalingReport } from '@trimtab/studies'
import { cellOf, escapeHtml, fixed, SUMMARY_COLUMNS, signed } from './format.js'
import { cssKey, swatch } from './palette.js'

/** The controllers that the report is about: ours, and the rule it would replace. */
export function rivalsOf(report: AutoscalingReport): { ours?: AutoscalerSummary; rule?: AutoscalerSummary } {
  const find = (name: string) => report.controllers.find((controller) => controller.name === name)
  const [ours, rule] = [find('trimtab'), find('hpa-vpa')]
  return { ...(ours && { ours }), ...(rule && { rule }) }
}

export function renderHead({ settings }: AutoscalingReport): string {
  const facts: readonly (readonly [string, string])[] = [
    ['load', settings.load],
    ['applications', String(settings.apps.length)],
    ['seeds', String(settings.seeds.length)],
    ['learning episodes', String(settings.episodes)],
    ['steps', `${settings.stepsPerEpisode} × ${settings.stepSeconds} s`],
    ['SLO', `${settings.sloFactor} × p99 at ample resources`],
    ['world', settings.world],
  ]
  return `<header><div><h1>Autoscaling, side by side</h1><p>A learned policy beside the rules it would replace, on the same load.</p></div>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl></header>`
}

/** Four figures of Trimtab beside the rule's; nothing when either was not run. */
export function renderTiles(report: AutoscalingReport): string {
  const { ours, rule } = rivalsOf(report)
  if (!ours || !rule) return ''
  const learning = ours.learningViolationPercent
  const gain = ours.reward.mean - rule.reward.mean
  const coresPercent = (ours.requestedCores.mean / rule.requestedCores.mean - 1) * 100
  const name = escapeHtml(rule.label)
  const tiles = [
    {
      title: 'Reward',
      value: fixed(ours.reward.mean, 1),
      unit: 'of 200',
      note: `${signed(gain, 1)} against ${name} (${fixed(rule.reward.mean, 1)})`,
    },
    {
      title: 'SLO violations',
      value: fixed(ours.violationPercent.mean, 2),
      unit: '% of steps',
      note: `${name}: ${fixed(rule.violationPercent.mean, 2)} %`,
    },
    {
      title: 'Violations while learning',
      value: learning ? fixed(learning.mean, 2) : '–',
      unit: '% of steps',
      note: `${name}: ${fixed((rule.learningViolationPercent ?? rule.violationPercent).mean, 2)} %`,
    },
    {
      title: 'Requested cores',
      value: fixed(ours.requestedCores.mean, 1),
      unit: 'mean',
      note: `${signed(coresPercent, 0)} % against ${name} (${fixed(rule.requestedCores.mean, 1)})`,
    },
  ]
  return `<section class="tiles" aria-label="${escapeHtml(ours.label)} in four figures">${tiles
    .map(
      ({ title, value, unit, note }) =>
        `<div><h3>${title}</h3><p><b>${value}</b> ${unit}</p><small>${note}</small></div>`,
    )
    .join('')}</section>`
}

export function renderFindings({ findings }: AutoscalingReport): string {
  if (findings.length === 0) return ''
  return `<section><h2>Findings</h2><ul class="findings">${findings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul></section>`
}

export function renderSummary(report: AutoscalingReport): string {
  const rivals = report.controllers.filter(({ kind }) => kind !== 'bound')
  const bounds = report.controllers.filter(({ kind }) => kind === 'bound')
  const heads = SUMMARY_COLUMNS.map(
    ({ title, unit, help }) =>
      `<th scope="col" title="${escapeHtml(help)}">${title}${unit ? ` <small>${unit}</small>` : ''}</th>`,
  )
  const caption = `<tr class="group"><th colspan="${SUMMARY_COLUMNS.length + 1}" scope="rowgroup">Bounds: they know what no controller can know</th></tr>`
  return `<section><h2>Summary</h2><p class="lead">Mean over applications (${report.settings.apps.length}) and seeds (${report.settings.seeds.length}) ± standard deviation over seeds.</p>
<div class="scroll"><table class="summary"><thead><tr><th scope="col">controller</th>${heads.join('')}</tr></thead>
<tbody>${rivals.map(renderRow).join('')}</tbody>${bounds.length > 0 ? `<tbody class="bounds">${caption}${bounds.map(renderRow).join('')}</tbody>` : ''}</table></div>
<details><summary>What the columns mean</summary><dl class="help">${SUMMARY_COLUMNS.map(({ title, help }) => `<dt>${title}</dt><dd>${escapeHtml(help)}</dd>`).join('')}</dl></details></section>`
}

function renderRow(controller: AutoscalerSummary): string {
  const cells = SUMMARY_COLUMNS.map((column) => {
    const cell = cellOf(column, controller)
    return cell ? `<td>${cell.mean}<small> ± ${cell.deviation}</small></td>` : '<td class="none">–</td>'
  })
  return `<tr class="${cssKey(controller.name)}"><th scope="row">${swatch(controller)}${escapeHtml(controller.label)}</th>${cells.join('')}</tr>`
}
