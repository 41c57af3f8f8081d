// One row an application, one column a controller, each cell a number and its bar: exact values and the shape at once.
import type { AutoscalerResult, AutoscalingReport } from '@trimtab/studies'
import { escapeHtml, fixed } from './format.js'
import { cssKey } from './palette.js'

interface BarTable {
  readonly caption: string
  /** Where bars start, percent of the cell's width: 0, or 50 when they go both ways. */
  readonly origin: 0 | 50
  /** The amount that fills the space beside the origin; longer bars are cut. */
  readonly limit: number
  amount(result: AutoscalerResult): number
  text(result: AutoscalerResult): string
  title(result: AutoscalerResult): string
}

const MOST_VIOLATIONS_SHOWN = 5 // percent; above it only the number matters

export function renderApps(report: AutoscalingReport): string {
  const worst = Math.max(...report.results.map(({ violationPercent }) => violationPercent))
  const limit = Math.min(MOST_VIOLATIONS_SHOWN, Math.max(1, worst))
  const violations: BarTable = {
    caption: `SLO violations, % of judged steps; the budget is ${report.settings.budgetPercent} %${worst > limit ? `; bars are cut at ${limit} %` : ''}`,
    origin: 0,
    limit,
    amount: ({ violationPercent }) => violationPercent,
    text: ({ violationPercent }) => fixed(violationPercent, 2),
    title: ({ violationPercent, learningViolationPercent }) =>
      `${fixed(violationPercent, 2)} % of judged steps, ${fixed(learningViolationPercent, 2)} % while learning`,
  }
  return `<section><h2>By application</h2>${renderTable(report, costTable(report))}${renderTable(report, violations)}</section>`
}

/** Against the strongest rule of each application: costs of .41 and .44 dollars look the same as bars from zero. */
const costTable = ({ results }: AutoscalingReport): BarTable => ({
  caption: 'Cost against the strongest rule of the application, in the middle; bars show the difference, cut at half',
  origin: 50,
  limit: Math.min(0.5, Math.max(0.05, ...results.map(({ relativeCost }) => Math.abs(relativeCost - 1)))),
  amount: ({ relativeCost }) => relativeCost - 1,
  text: ({ relativeCost }) => fixed(relativeCost, 3),
  title: ({ dollarsPerHour, relativeCost }) =>
    `$${fixed(dollarsPerHour, 4)} an hour, ${fixed(relativeCost, 3)} of the strongest rule`,
})

function renderTable({ settings, controllers, results }: AutoscalingReport, table: BarTable): string {
  const { caption, origin, limit } = table
  const cell = (app: string, name: string) => {
    const result = results.find((one) => one.app === app && one.controller === name)
    if (!result) return '<td class="none">–</td>'
    const share = table.amount(result) / limit
    const tip = origin + Math.min(1, Math.max(-1, share)) * (100 - origin)
    const [from, to] = [Math.min(origin, tip), Math.max(origin, tip)]
    const bar = `<i class="bar ${cssKey(name)}" style="margin-left:${from.toFixed(1)}%;width:${(to - from).toFixed(1)}%"></i>`
    return `<td title="${escapeHtml(table.title(result))}"><span>${table.text(result)}</span><i class="track from-${origin}">${bar}</i></td>`
  }
  const heads = controllers.map(({ label, kind }) => `<th scope="col" class="${kind}">${escapeHtml(label)}</th>`)
  const rows = settings.apps.map(
    (app) =>
      `<tr><th scope="row">${escapeHtml(app)}</th>${controllers.map(({ name }) => cell(app, name)).join('')}</tr>`,
  )
  return `<div tabindex="0" class="scroll"><table class="apps"><caption>${escapeHtml(caption)}</caption><thead><tr><th scope="col">application</th>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}
