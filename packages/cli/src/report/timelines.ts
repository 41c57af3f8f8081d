// What every controller did on the judged stretch of time, one block of charts an application.
import type { AutoscalingReport, Timeline } from '@trimtab/studies'
import { type Chart, renderChart } from './chart.js'
import { escapeHtml, fixed } from './format.js'
import { cssKey, styleOf, swatch } from './palette.js'
import { linearScale, logScale, maxOf, minOf, timeTicks } from './scale.js'

export function renderTimelines(report: AutoscalingReport): string {
  const apps = report.settings.apps.filter((app) => report.timelines.some((timeline) => timeline.app === app))
  if (apps.length === 0) return ''
  const options = apps.map((app, i) => `<option value="${i}">${escapeHtml(app)}</option>`).join('')
  const toggles = report.controllers.map(
    (controller) =>
      `<label><input type="checkbox" data-series="${cssKey(controller.name)}"${controller.kind === 'bound' ? '' : ' checked'}>${swatch(controller)}${escapeHtml(controller.label)}</label>`,
  )
  return `<section id="timelines"><h2>Over time</h2><p class="lead">One judged stretch under every controller. Point at a chart, or focus it and use the arrow keys, to read values.</p>
<div class="toolbar"><label>Application <select id="app">${options}</select></label><fieldset class="legend"><legend>Shown</legend>${toggles.join('')}</fieldset></div>
${apps.map((app, i) => renderApp(report, app, i)).join('')}
<div id="readout" role="status" hidden></div></section>`
}

function renderApp(report: AutoscalingReport, app: string, index: number): string {
  const timelines = report.controllers.flatMap(({ name }) => {
    const timeline = report.timelines.find((one) => one.app === app && one.controller === name)
    return timeline ? [timeline] : []
  })
  const first = timelines[0]!
  const steps = first.requestsPerSecond.length
  const time = timeTicks((steps - 1) * first.stepSeconds)
  const common = { xTicks: time.ticks, xUnit: time.unit }
  const lists = (read: (timeline: Timeline) => readonly number[]) => timelines.map(read)
  const seriesOf = (read: (timeline: Timeline) => readonly number[]) =>
    timelines.map((timeline) => {
      const controller = report.controllers.find(({ name }) => name === timeline.controller)!
      const { dash, width } = styleOf(controller)
      return { key: cssKey(controller.name), values: read(timeline), dash, width }
    })
  const latencies = lists(({ p99Ms }) => p99Ms.filter((value) => value > 0 && Number.isFinite(value)))
  const cores = lists(({ requestedCores }) => requestedCores.filter((value) => value > 0))
  const percent = (values: readonly number[]) => values.map((value) => value * 100)
  const charts: readonly Chart[] = [
    {
      ...common,
      title: 'Load',
      unit: 'requests a second',
      description: `Load of ${app} over time, the same for every controller`,
      scale: linearScale(0, maxOf([first.requestsPerSecond]), 3),
      shape: 'line',
      series: [{ key: 'load', values: first.requestsPerSecond, dash: '', width: 1.6 }],
      field: 'requestsPerSecond',
    },
    {
      ...common,
      title: 'p99 latency',
      unit: 'ms, logarithmic',
      description: `True p99 latency of ${app} over time by controller; the SLO is ${fixed(first.sloMs, 0)} ms`,
      scale: logScale(Math.min(minOf(latencies), first.sloMs) * 0.9, Math.max(maxOf(latencies), first.sloMs) * 1.1),
      shape: 'line',
      series: seriesOf(({ p99Ms }) => p99Ms),
      references: [{ value: first.sloMs, label: `SLO ${fixed(first.sloMs, 0)} ms` }],
      field: 'p99Ms',
    },
    {
      ...common,
      title: 'Replicas',
      unit: 'pods',
      description: `Replicas of ${app} over time by controller`,
      scale: linearScale(0, maxOf(lists(({ replicas }) => replicas)), 3),
      shape: 'step',
      series: seriesOf(({ replicas }) => replicas),
      field: 'replicas',
    },
    {
      ...common,
      title: 'Requested cores',
      unit: 'logarithmic',
      description: `Requested CPU cores of ${app} over time by controller`,
      scale: logScale(minOf(cores) * 0.9, maxOf(cores) * 1.1),
      shape: 'step',
      series: seriesOf(({ requestedCores }) => requestedCores),
      field: 'requestedCores',
    },
    {
      ...common,
      title: 'CPU utilisation',
      unit: '% of requested',
      description: `CPU utilisation of ${app} over time by controller`,
      scale: linearScale(0, 100, 4),
      shape: 'line',
      series: seriesOf(({ cpuUtilisation01 }) => percent(cpuUtilisation01)),
      field: 'cpuUtilisation01',
    },
    {
      ...common,
      title: 'Memory utilisation',
      unit: '% of requested',
      description: `Memory utilisation of ${app} over time by controller`,
      scale: linearScale(0, 100, 4),
      shape: 'line',
      series: seriesOf(({ memoryUtilisation01 }) => percent(memoryUtilisation01)),
      field: 'memoryUtilisation01',
    },
  ]
  return `<div class="app grid-2" data-app="${index}" data-name="${escapeHtml(app)}"><h3>${escapeHtml(app)}</h3>${charts.map(renderChart).join('')}</div>`
}
