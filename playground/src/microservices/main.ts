// The page of microservices: the graph as it lives through anomalies, and three ways to mitigate them side by side.
import { createChart, type LiveChart } from '../run/charts.js'
import { showLegend, showResults } from '../run/controllers.js'
import { setUpRunPage, tell } from '../run/run-page.js'
import { create, element } from '../shell/dom.js'
import { GraphView } from './graph-view.js'
import type { MitigationEvent, MitigationOptions } from './protocol.js'

const STEPS_PER_SECOND = 5
const DEEDS_SHOWN = 6

type Start = Extract<MitigationEvent, { type: 'start' }>

interface Shown {
  readonly start: Start
  readonly graph: GraphView
  readonly charts: Readonly<Record<'latency' | 'granted' | 'late', LiveChart>>
  readonly deeds: string[]
}

let shown: Shown | undefined

function clear(): void {
  if (shown) for (const one of [shown.graph, ...Object.values(shown.charts)]) one.dispose()
  shown = undefined
  element('deeds').replaceChildren()
  element('outcome').hidden = true
}

function begin(start: Start): void {
  clear()
  const options = { controllers: start.controllers, xLabel: (second: number) => `${second} s` }
  shown = {
    ...{ start, deeds: [] },
    graph: new GraphView(element('graph'), start),
    charts: {
      latency: createChart(element('chart-latency'), {
        ...options,
        range: 'logarithmic',
        reference: { value: 1, label: 'SLO' },
      }),
      granted: createChart(element('chart-granted'), options),
      late: createChart(element('chart-late'), options),
    },
  }
  showLegend(start.controllers)
}

function show(event: MitigationEvent): void {
  switch (event.type) {
    case 'note':
      tell(event.text)
      break
    case 'start':
      begin(event)
      break
    case 'step': {
      const { charts, graph, deeds, start } = shown!
      charts.latency.push(event.second, event.p99OverSlo)
      charts.granted.push(event.second, event.granted)
      charts.late.push(event.second, event.latePercent)
      graph.show(event.graph)
      deeds.unshift(...event.deeds.map((text) => `${event.second} s · ${text}`))
      deeds.splice(DEEDS_SHOWN)
      tell(`second ${event.second} of ${start.seconds}`, event.second / start.seconds)
      break
    }
    case 'done':
      showResults(event.table, event.findings)
      tell('the whole campaign lived through: done')
      break
    default:
      event satisfies never
  }
}

function draw(): void {
  if (!shown) return
  shown.graph.draw()
  for (const chart of Object.values(shown.charts)) chart.draw()
  element('deeds').replaceChildren(...shown.deeds.map((text) => create('li', text)))
}

function read(): MitigationOptions {
  const values = new FormData(element<HTMLFormElement>('controls'))
  return {
    application: String(values.get('application')) as MitigationOptions['application'],
    world: String(values.get('world')) as MitigationOptions['world'],
    kind: String(values.get('kind')) as MitigationOptions['kind'],
    seconds: Number(values.get('seconds')),
    seed: Number(values.get('seed')),
  }
}

setUpRunPage<MitigationOptions, MitigationEvent>({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  ...{ read, clear, show, draw },
  redraw() {
    if (shown) showLegend(shown.start.controllers)
    draw()
  },
})
