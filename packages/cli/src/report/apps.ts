// One row an application, one column a controller, each cell a number and its bar: exact values and the shape at once.
import type { AutoscalerResult, AutoscalingReport } from '@trimtab/studies'
import { escapeHtml, fixed, signed } from './format.js'
import { cssKey } from './palette.js'
import { rivalsOf } from './summary.js'

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
  const rewards = rewardTable(report)
  const worst = Math.max(...report.results.map(({ violationPercent }) => violationPercent))
  const limit = Math.min(MOST_VIOLATIONS_SHOWN, Math.max(1, worst))
  const violations: BarTable = {
    caption: `SLO violations, % of steps${worst > limit ? `; bars are cut at ${limit} %` : ''}`,
    origin: 0,
    limit,
    amount: ({ violationPercent }) => violationPercent,
    text: ({ violationPercent }) => fixed(violationPercent, 2),
    title: ({ violationPercent }) => `${fixed(violationPercent, 2)} % of steps`,
  }
  return `<section><h2>By application</h2>${renderTable(report, rewards)}${renderTable(report, violations)}</section>`
}

/** Differences to the rule where the rule was run: rewards of 168 and 172 look the same as bars from zero. */
function rewardTable(report: AutoscalingReport): BarTable {
  const { rule } = rivalsOf(report)
  const text = ({ reward }: AutoscalerResult) => fixed(reward, 1)
  if (!rule) {
    const title = ({ reward }: AutoscalerResult) => `${fixed(reward, 1)} of 200`
    return { caption: 'Reward, of 200', origin: 0, limit: 200, amount: ({ reward }) => reward, text, title }
  }
  const base = new Map(
    report.results.flatMap(({ app, controller, reward }) => (controller === rule.name ? [[app, reward]] : [])),
  )
  const gain = ({ app, reward }: AutoscalerResult) => reward - (base.get(app) ?? reward)
  return {
    caption: `Reward, of 200; bars show the difference to ${rule.label}, cut at the largest gain`,
    origin: 50,
    limit: Math.max(1, ...report.results.map(gain)),
    amount: gain,
    text,
    title: (result) => `${fixed(result.reward, 1)} of 200, ${signed(gain(result), 1)} against ${rule.label}`,
  }
}

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
  return `<div class="scroll"><table class="apps"><caption>${escapeHtml(caption)}</caption><thead><tr><th scope="col">application</th>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}
