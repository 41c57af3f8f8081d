// The page of tenants: every controller's platform as a map of who is served, and what each comes to.
import { createChart, type LiveChart } from '../run/charts.js'
import { showLegend, showResults } from '../run/controllers.js'
import { setUpRunPage, tell } from '../run/run-page.js'
import { create, element } from '../shell/dom.js'
import { HeatMap } from './heat-map.js'
import type { TenantsEvent, TenantsOptions } from './protocol.js'

const STEPS_PER_SECOND = 8

type Start = Extract<TenantsEvent, { type: 'start' }>

interface Shown {
  readonly start: Start
  readonly maps: readonly HeatMap[]
  readonly charts: Readonly<Record<'broken' | 'containers' | 'score', LiveChart>>
}

let shown: Shown | undefined

function clear(): void {
  if (shown) for (const chart of Object.values(shown.charts)) chart.dispose()
  shown = undefined
  element('outcome').hidden = true
}

function begin(start: Start): void {
  clear()
  const { controllers, tenants, steps, stepSeconds } = start
  const minutes = (step: number): string => `${Number(((step * stepSeconds) / 60).toFixed(1))} min`
  const options = { controllers, xLabel: minutes }
  const places = controllers.map(() => create('div'))
  element('maps').replaceChildren(...places)
  shown = {
    start,
    maps: controllers.map(({ label }, i) => new HeatMap(places[i]!, label, tenants, steps)),
    charts: {
      broken: createChart(element('chart-broken'), options),
      containers: createChart(element('chart-containers'), options),
      score: createChart(element('chart-score'), { ...options, range: 'fit' }),
    },
  }
  showLegend(controllers)
}

function show(event: TenantsEvent): void {
  switch (event.type) {
    case 'note':
      tell(event.text)
      break
    case 'start':
      begin(event)
      break
    case 'step': {
      const { charts, maps, start } = shown!
      for (const [i, map] of maps.entries()) map.push(event.p99OverSlo[i]!)
      charts.broken.push(event.step, event.brokenPercent)
      charts.containers.push(event.step, event.containers)
      charts.score.push(event.step, event.score)
      tell(`step ${event.step} of ${start.steps}`, event.step / start.steps)
      break
    }
    case 'done':
      showResults(event.table, event.findings)
      tell('judged on a platform that nobody has seen: done')
      break
    default:
      event satisfies never
  }
}

function draw(): void {
  if (!shown) return
  for (const one of [...shown.maps, ...Object.values(shown.charts)]) one.draw()
}

function read(): TenantsOptions {
  const values = new FormData(element<HTMLFormElement>('controls'))
  return {
    arena: String(values.get('arena')),
    episodes: Number(values.get('episodes')),
    seed: Number(values.get('seed')),
  }
}

setUpRunPage<TenantsOptions, TenantsEvent>({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  ...{ read, clear, show, draw },
  redraw() {
    if (shown) showLegend(shown.start.controllers)
    draw()
  },
})
addEventListener('resize', draw)
