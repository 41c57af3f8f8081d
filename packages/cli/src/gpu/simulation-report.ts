import { type Chart, renderChart } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale, timeTicks } from '../report/scale.js'
import { BASE, CHARTS, renderThemes } from '../report/style.js'
import type { Simulation } from './simulation.js'

/** A simulated cluster as one HTML file that needs nothing else; its numbers stand as JSON inside (`id="trimtab-gpu-simulation"`). */
export function renderSimulationReport(simulation: Simulation): string {
  const { gpu, devices, models, sloScale, ratePerSecond, durationSeconds, policies } = simulation
  const still = policies[0]!
  const tiles = policies.map(({ name, watts, attainment }): [string, string, string] => [
    name,
    `${fixed(watts, 0)} W`,
    `${fixed(still.watts / watts, 2)}× less, ${fixed(100 * attainment, 2)} % within the SLO`,
  ])
  const facts: [string, string][] = [
    ['GPUs', `${devices} simulated ${gpu}`],
    ['models', String(models.length)],
    ['load', `${ratePerSecond} requests/s for ${durationSeconds} s`],
    ['SLO scale', String(sloScale)],
  ]
  return renderDocument({
    title: 'Trimtab: power of a GPU cluster, simulated',
    style: `${renderThemes((theme) => `--c-g0:${theme === 'light' ? '#0a5fd0' : '#5fb0ff'};--c-trimtab:var(--c-g0);`)}.g0{--series:var(--c-g0)}.devices{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:20px 34px}${CHARTS}${BASE}`,
    body: `<main><header><div><h1>Power of a GPU cluster, simulated</h1></div>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl></header>
<section class="tiles">${tiles.map(([name, value, note]) => `<div><h3>${name}</h3><p><b>${value}</b></p><p>${note}</p></div>`).join('')}</section>
<section><h2>Clocks, placed by sensitivity</h2><p class="lead">One step down a second while every partition has slack, doubled when one has not.</p><div class="devices">${clockCharts(simulation).map(renderChart).join('')}</div></section>
<footer>Everything here was simulated, by laws fitted to measurements of a V100; no GPU was touched.</footer></main>`,
    data: { id: 'trimtab-gpu-simulation', value: simulation },
  })
}

function clockCharts({ devices, deployment, maximumMhz, ticks, durationSeconds, policies }: Simulation): Chart[] {
  const time = timeTicks(durationSeconds)
  return Array.from({ length: devices }, (_, device) => {
    const names = [...new Set(deployment[device]!.map(({ model }) => model))].join(', ') || 'empty'
    const clocks = ticks.filter((tick) => tick.device === device && tick.seconds <= durationSeconds)
    return {
      title: `GPU ${device}`,
      unit: `MHz; ${fixed(policies.at(-1)!.deviceWatts[device]!, 0)} W; ${names}`,
      description: `Clock of GPU ${device} over time`,
      scale: linearScale(0, maximumMhz),
      xTicks: time.ticks,
      xUnit: time.unit,
      shape: 'step',
      series: [{ key: 'g0', values: clocks.map(({ clockMhz }) => clockMhz), dash: '', width: 1.8 }],
    }
  })
}
