import { type Chart, renderChart } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale, maxOf, timeTicks } from '../report/scale.js'
import { BASE, CHARTS, renderThemes } from '../report/style.js'
import type { RunTick } from './drive.js'
import type { RunSummary } from './run-record.js'

export interface RunReport {
  readonly gpu: string
  readonly isDryRun: boolean
  readonly sloMs: number
  readonly latencySource: string
  readonly maximumMhz: number
  readonly summary: RunSummary
  readonly notices: readonly string[]
  readonly ticks: readonly RunTick[]
}

const COLOURS = [
  { light: '#0a5fd0', dark: '#5fb0ff' },
  { light: '#d4690a', dark: '#ffab5c' },
] as const

/** A run as one HTML file that needs nothing else; its numbers stand as JSON inside (`id="trimtab-gpu"`). */
export function renderRunReport(report: RunReport): string {
  const { gpu, isDryRun, sloMs, latencySource, summary, notices, ticks } = report
  const tokens = (theme: 'light' | 'dark') => COLOURS.map((colour, i) => `--c-g${i}:${colour[theme]};`).join('')
  const tiles = [
    [
      'SLO kept',
      `${fixed((summary.sloAttainment01 ?? Number.NaN) * 100, 1)} %`,
      `of ${summary.ticks} decisions; latency not known in ${summary.unknownTicks}`,
    ],
    ['Mean clock', `${fixed(summary.meanClockMhz ?? Number.NaN, 0)} MHz`, `of ${report.maximumMhz} MHz`],
    ['Mean power', `${fixed(summary.meanPowerWatts ?? Number.NaN, 0)} W`, 'as the GPU tells it'],
    ['Energy', `${fixed((summary.energyJoules ?? Number.NaN) / 1000, 1)} kJ`, `in ${fixed(summary.seconds, 0)} s`],
  ]
  const title = isDryRun ? 'What the clock would have done' : 'The clock, by the slack of the SLO'
  const facts = [
    ['GPU', gpu],
    ['SLO', `${sloMs} ms`],
    ['latency', latencySource === '-' ? 'stdin' : latencySource],
    ['clock', isDryRun ? 'dry run: nothing was set' : 'driven'],
  ]
  return renderDocument({
    title: `Trimtab: ${title.toLowerCase()}`,
    style: `${renderThemes((theme) => `${tokens(theme)}--c-trimtab:var(--c-g0);`)}.g0{--series:var(--c-g0)}.g1{--series:var(--c-g1)}${CHARTS}${BASE}`,
    body: `<main><header><div><h1>${escapeHtml(title)}</h1></div>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value!)}</dd></div>`).join('')}</dl></header>
<section class="tiles">${tiles.map(([name, value, note]) => `<div><h3>${name}</h3><p><b>${value}</b></p><p>${escapeHtml(note!)}</p></div>`).join('')}</section>
<section>${chartsOf(report).map(renderChart).join('')}<ul class="legend"><li><i class="g0"></i>${isDryRun ? 'would be locked' : 'locked'}</li><li><i class="g1"></i>measured</li></ul></section>
${notices.length > 0 ? `<section><h2>What should be known</h2><ul class="findings">${notices.map((notice) => `<li>${escapeHtml(notice)}</li>`).join('')}</ul></section>` : ''}
<footer>${isDryRun ? 'Nothing was set, so latency and power are those of the clock as it was: both would have moved with it.' : 'The clock was given back to the driver at the end.'}</footer></main>`,
    data: { id: 'trimtab-gpu', value: { ...report, ticks } },
  })
}

function chartsOf({ sloMs, maximumMhz, ticks }: RunReport): Chart[] {
  const time = timeTicks(Math.max(1, ticks.at(-1)?.seconds ?? 1))
  const column = (read: (tick: RunTick) => number | undefined) => ticks.map((tick) => read(tick) ?? Number.NaN)
  const finite = (values: readonly number[]) => values.filter(Number.isFinite)
  const latency = column(({ latencyMs }) => latencyMs)
  const watts = column(({ powerWatts }) => powerWatts)
  const measured = { key: 'g1', dash: '', width: 1.6 }
  const shared = { xTicks: time.ticks, xUnit: time.unit, shape: 'step' } as const
  return [
    {
      ...shared,
      ...{ title: 'Latency', unit: 'ms', description: 'Latency over time beside the SLO' },
      scale: linearScale(0, maxOf([finite(latency), [sloMs]])),
      series: [{ ...measured, values: latency }],
      references: [{ value: sloMs, label: 'SLO' }],
    },
    {
      ...shared,
      ...{ title: 'Clock', unit: 'MHz', description: 'Clock asked for and clock measured over time' },
      scale: linearScale(0, maximumMhz),
      series: [
        { ...measured, values: column(({ clockMhz }) => clockMhz) },
        { key: 'g0', dash: '', width: 2.2, values: column(({ wantedMhz }) => wantedMhz) },
      ],
    },
    {
      ...shared,
      ...{ title: 'Power', unit: 'W', description: 'Power over time' },
      scale: linearScale(0, maxOf([finite(watts), [1]])),
      series: [{ ...measured, values: watts }],
    },
  ]
}
