// The page of adaptation: where an application that nobody has seen lies among those of the pool, and what that saves it.
import { createChart, type LiveChart } from '../run/charts.js'
import { showLegend, showResults } from '../run/controllers.js'
import { setUpRunPage, tell } from '../run/run-page.js'
import { create, element, option } from '../shell/dom.js'
import { MapView } from './map-view.js'
import type { AdaptationEvent, AdaptationOptions } from './protocol.js'

const STEPS_PER_SECOND = 4
const APPS = Array.from({ length: 60 }, (_, i) => i + 1)

type Start = Extract<AdaptationEvent, { type: 'start' }>
type Step = Extract<AdaptationEvent, { type: 'step' }>

let shown: { readonly start: Start; readonly map: MapView; readonly chart: LiveChart } | undefined

function clear(): void {
  shown?.map.dispose()
  shown?.chart.dispose()
  shown = undefined
  element('relatives').replaceChildren()
  element('forecast').textContent = ''
  element('outcome').hidden = true
}

function begin(start: Start): void {
  clear()
  const { controllers } = start
  shown = {
    start,
    map: new MapView(element('map'), start),
    chart: createChart(element('chart-reward'), { controllers, xLabel: String, range: 'fit' }),
  }
  element('map-text').textContent =
    `${start.pool.length} applications of the pool; those that behaved alike lie together; the plane shows ${Math.round(100 * start.shown01)} % of their differences`
  showLegend(controllers)
}

function show(event: AdaptationEvent): void {
  switch (event.type) {
    case 'note':
      tell(event.text)
      break
    case 'start':
      begin(event)
      break
    case 'step':
      showStep(event)
      break
    case 'done':
      showResults(event.table, event.findings)
      tell('adapted: done')
      break
    default:
      event satisfies never
  }
}

function showStep(step: Step): void {
  const { start, map, chart } = shown!
  map.show(step)
  chart.push(step.episode, step.rewards)
  const rows = step.relatives.map(({ pair, similarity }) =>
    create('li', create('b', start.pool[pair]!.name), ` similarity ${similarity.toFixed(2)}`),
  )
  element('relatives').replaceChildren(...rows)
  element('forecast').textContent = `Served as the nearest: ${step.forecast}`
  tell(`application ${start.app}, episode ${step.episode} of ${start.episodes}`, step.episode / start.episodes)
}

function draw(): void {
  shown?.map.draw()
  shown?.chart.draw()
}

function read(): AdaptationOptions {
  const values = new FormData(element<HTMLFormElement>('controls'))
  return { app: Number(values.get('app')), episodes: Number(values.get('episodes')), seed: Number(values.get('seed')) }
}

element('app').replaceChildren(...APPS.map((app) => option(String(app), `application ${app}`)))
setUpRunPage<AdaptationOptions, AdaptationEvent>({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  ...{ read, clear, show, draw },
  redraw() {
    if (shown) showLegend(shown.start.controllers)
    draw()
  },
})
element('app').addEventListener('change', () => element<HTMLFormElement>('controls').requestSubmit())
