// Each application: what every controller did on a judged day, what it broke while learning, how its decisions come about.
import type { AutoscalerSummary, AutoscalingReport, ExplainedDecision, LearningDays, Timeline } from '@trimtab/studies'
import { type Chart, renderChart, type Series } from './chart.js'
import { escapeHtml, fixed } from './format.js'
import { cssKey, styleOf, swatch } from './palette.js'
import { kneeScale, linearScale, logScale, maxOf, minOf, timeTicks } from './scale.js'

const isShownFirst = ({ name, strongestIn }: AutoscalerSummary): boolean =>
  strongestIn > 0 || ['trimtab', 'hpa-vpa', 'oracle'].includes(name)

export function renderTimelines(report: AutoscalingReport): string {
  const apps = report.settings.apps.filter((app) => report.timelines.some((timeline) => timeline.app === app))
  if (apps.length === 0) return ''
  const options = apps.map((app, i) => `<option value="${i}">${escapeHtml(app)}</option>`).join('')
  const toggles = report.controllers.map(
    (controller) =>
      `<label><input type="checkbox" data-series="${cssKey(controller.name)}"${isShownFirst(controller) ? ' checked' : ''}>${swatch(controller)}${escapeHtml(controller.label)}</label>`,
  )
  return `<section id="timelines"><h2>Over time</h2><p class="lead">A judged day under every controller, with the first seed. Point at a chart, or focus it and use the arrow keys, to read values.</p>
<div class="toolbar"><label>Application <select id="app">${options}</select></label><fieldset class="legend"><legend>Shown</legend>${toggles.join('')}</fieldset></div>
${apps.map((app, i) => renderApp(report, app, i)).join('')}
<div id="readout" role="status" hidden></div></section>`
}

function renderApp(report: AutoscalingReport, app: string, index: number): string {
  const charts = [...dayCharts(report, app), ...learningChart(report, app)].map(renderChart)
  return `<div class="app grid-2" data-app="${index}" data-name="${escapeHtml(app)}"><h3>${escapeHtml(app)}</h3>${charts.join('')}${renderGuard(report, app)}${renderDecisions(report, app)}</div>`
}

type Read<T> = (one: T) => readonly number[]

/** One line a controller, in the order of the table. */
function linesOf<T extends { readonly app: string; readonly controller: string }>(
  { controllers }: AutoscalingReport,
  all: readonly T[],
  app: string,
): { readonly lists: (read: Read<T>) => readonly (readonly number[])[]; readonly series: (read: Read<T>) => Series[] } {
  const present = controllers.flatMap((controller) => {
    const one = all.find((line) => line.app === app && line.controller === controller.name)
    return one ? [{ controller, one }] : []
  })
  return {
    lists: (read) => present.map(({ one }) => read(one)),
    series: (read) =>
      present.map(({ controller, one }) => {
        const { dash, width } = styleOf(controller)
        return { key: cssKey(controller.name), values: read(one), dash, width }
      }),
  }
}

function dayCharts(report: AutoscalingReport, app: string): Chart[] {
  const { lists, series } = linesOf<Timeline>(report, report.timelines, app)
  const first = report.timelines.find((timeline) => timeline.app === app)!
  const time = timeTicks((first.requestsPerSecond.length - 1) * first.stepSeconds)
  const common = { xTicks: time.ticks, xUnit: time.unit }
  const upTo = (read: Read<Timeline>) => linearScale(0, maxOf(lists(read)), 3)
  const ratios = lists(({ p99OverSlo }) => p99OverSlo.filter((value) => value > 0 && Number.isFinite(value)))
  return [
    {
      ...common,
      title: 'Load',
      unit: 'requests a second',
      description: `Load of ${app} over a judged day, the same for every controller`,
      scale: linearScale(0, maxOf([first.requestsPerSecond]), 3),
      shape: 'line',
      series: [{ key: 'load', values: first.requestsPerSecond, dash: '', width: 1.6 }],
      field: 'requestsPerSecond',
    },
    {
      ...common,
      title: 'Cost',
      unit: 'US dollars an hour',
      description: `What was paid for ${app} over a judged day by controller, and what the oracle pays`,
      scale: upTo(({ dollarsPerHour }) => dollarsPerHour),
      shape: 'line',
      series: series(({ dollarsPerHour }) => dollarsPerHour),
      field: 'dollarsPerHour',
    },
    {
      ...common,
      title: 'p99 / SLO',
      unit: `worst of every ${fixed(first.stepSeconds / 60, 0)} min, logarithmic`,
      description: `True p99 latency of ${app} over its SLO, over a judged day by controller; above 1 the SLO is broken`,
      scale: logScale(Math.min(minOf(ratios), 1) * 0.9, Math.max(maxOf(ratios), 1) * 1.1),
      shape: 'line',
      series: series(({ p99OverSlo }) => p99OverSlo),
      references: [{ value: 1, label: 'SLO' }],
      field: 'p99OverSlo',
    },
    {
      ...common,
      title: 'Requested cores',
      unit: '',
      description: `Requested CPU cores of ${app} over a judged day by controller`,
      scale: upTo(({ cores }) => cores),
      shape: 'line',
      series: series(({ cores }) => cores),
      field: 'cores',
    },
    {
      ...common,
      title: 'Requested memory',
      unit: 'GiB',
      description: `Requested memory of ${app} over a judged day by controller`,
      scale: upTo(({ memoryGiB }) => memoryGiB),
      shape: 'line',
      series: series(({ memoryGiB }) => memoryGiB),
      field: 'memoryGiB',
    },
    {
      ...common,
      title: 'Replicas',
      unit: 'pods',
      description: `Replicas of ${app} over a judged day by controller`,
      scale: upTo(({ replicas }) => replicas),
      shape: 'line',
      series: series(({ replicas }) => replicas),
      field: 'replicas',
    },
  ]
}

/** What everybody broke in each day of the learning part, against the budget. */
function learningChart(report: AutoscalingReport, app: string): Chart[] {
  const { lists, series } = linesOf<LearningDays>(report, report.days, app)
  const violations = lists(({ violationPercent }) => violationPercent)
  if (violations.length === 0) return []
  const { budgetPercent } = report.settings
  const time = timeTicks((violations[0]!.length - 1) * 86_400)
  return [
    {
      title: 'Violations while learning',
      unit: '% of the steps of each day, mean over seeds',
      description: `SLO violations of ${app} in each day of the learning part by controller, against the budget`,
      scale: kneeScale(Math.max(1, maxOf(violations)), 0.1),
      xTicks: violations[0]!.length > 1 ? time.ticks : [],
      xUnit: time.unit,
      shape: 'line',
      series: series(({ violationPercent }) => violationPercent),
      references: [{ value: budgetPercent, label: `budget ${budgetPercent} %` }],
    },
  ]
}

const REASONS: Readonly<Record<string, string>> = {
  floor: 'less than the least share of the rule’s',
  cost: 'costs more than allowed',
  debt: 'the error budget is used up',
  recovering: 'the SLO was broken a moment ago',
  'new-load': 'more load than ever seen',
  unknown: 'the learner does not know',
  'late-resize': 'resizes come late',
  'not-finite': 'no answer',
  'not-measured': 'not measured',
}

/** What the guard served, and why something else than what the learner asked for. */
function renderGuard({ guard }: AutoscalingReport, app: string): string {
  const rows = guard
    .filter((one) => one.app === app)
    .map(({ part, served, reasons }) => {
      const shares = [served.allocator, served.clamped, served.rule].map((share) => `<td>${fixed(share, 1)} %</td>`)
      const why = Object.entries(reasons)
        .sort(([, a], [, b]) => b - a)
        .map(([reason, share]) => `${escapeHtml(REASONS[reason] ?? reason)} ${fixed(share, 1)} %`)
      return `<tr><th scope="row">${part}</th>${shares.join('')}<td>${why.join(', ') || '–'}</td></tr>`
    })
  if (rows.length === 0) return ''
  return `<div tabindex="0" class="scroll explained"><table><caption>What the guard served, of all steps</caption><thead><tr>${['', 'the learner’s', 'brought to the bounds', 'the rule’s', 'why'].map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** Some decisions of the learner, in its own words and against what came. */
function renderDecisions({ decisions }: AutoscalingReport, app: string): string {
  const rows = decisions.filter((one) => one.app === app).map(renderDecision)
  if (rows.length === 0) return ''
  const heads = [
    'at',
    'load expected, provided for',
    'it came',
    'decided',
    'p99/SLO predicted, 95 %',
    'it was',
    'the next cheaper',
  ]
  return `<div tabindex="0" class="scroll explained"><table><caption>Decisions of the learner alone, explained</caption><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function renderDecision(one: ExplainedDecision): string {
  const { minute, expectedRate, providedRate, requestsPerSecond, interval, cheaper } = one
  const size = `${one.replicas} × ${fixed(one.coresPerReplica, 2)} cores, ${fixed(one.memoryMiBPerReplica, 0)} MiB`
  const risk = cheaper
    ? `${fixed(cheaper.coresPerReplica, 2)} cores: ${fixed(100 * cheaper.breach01, 1)} % breach`
    : 'none is smaller'
  const cells = [
    `${fixed(expectedRate, 1)}/s, ${fixed(providedRate, 1)}/s`,
    `${fixed(requestsPerSecond, 1)}/s`,
    size,
    `${fixed(one.predicted, 2)} (${fixed(interval[0], 2)} to ${fixed(interval[1], 2)})`,
    fixed(one.truth, 2),
    risk,
  ]
  return `<tr><th scope="row">${fixed(minute / 60, 0)} h</th>${cells.map((text) => `<td>${text}</td>`).join('')}</tr>`
}
