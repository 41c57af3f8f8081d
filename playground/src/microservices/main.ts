// The page of microservices: the graph as it lives through anomalies, and three ways to mitigate them side by side.
import { timeAxis } from '../run/axis.js'
import { createChart } from '../run/charts.js'
import type { Started } from '../run/protocol.js'
import { setUpRunView } from '../run/run-view.js'
import { element } from '../shell/dom.js'
import { NewestFirst } from '../shell/part.js'
import { GraphView } from './graph-view.js'
import type { MitigationOptions, MitigationStart, MitigationStep } from './protocol.js'

const STEPS_PER_SECOND = 5
const DEEDS_SHOWN = 6

setUpRunView({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  read(): MitigationOptions {
    const values = new FormData(element<HTMLFormElement>('controls'))
    return {
      application: String(values.get('application')) as MitigationOptions['application'],
      world: String(values.get('world')) as MitigationOptions['world'],
      kind: String(values.get('kind')) as MitigationOptions['kind'],
      seconds: Number(values.get('seconds')),
      seed: Number(values.get('seed')),
    }
  },
  parts(start: Started<MitigationStart>) {
    const options = { controllers: start.controllers, x: timeAxis() }
    return {
      graph: new GraphView(element('graph'), start),
      latency: createChart(element('chart-latency'), {
        ...options,
        range: 'logarithmic',
        reference: { value: 1, label: 'SLO' },
      }),
      granted: createChart(element('chart-granted'), options),
      late: createChart(element('chart-late'), options),
      deeds: new NewestFirst(element('deeds'), DEEDS_SHOWN),
    }
  },
  show({ second, ...step }: MitigationStep, { graph, latency, granted, late, deeds }, { seconds }: MitigationStart) {
    latency.push(second, step.p99OverSlo)
    granted.push(second, step.granted)
    late.push(second, step.latePercent)
    graph.show(step.graph)
    deeds.push(step.deeds.map((text) => `${second} s · ${text}`))
    return [`second ${second} of ${seconds}`, second / seconds]
  },
  end: 'all anomalies are over',
})
