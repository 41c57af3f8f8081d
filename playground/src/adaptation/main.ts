// The page of adaptation: where an application that nobody has seen lies among those of the pool, and what that saves it.
import { WHOLE } from '../run/axis.js'
import { createChart } from '../run/charts.js'
import type { Started } from '../run/protocol.js'
import { setUpRunView } from '../run/run-view.js'
import { element, option } from '../shell/dom.js'
import { MapView } from './map-view.js'
import type { AdaptationOptions, AdaptationStart, AdaptationStep } from './protocol.js'
import { RelativesView } from './relatives-view.js'

const STEPS_PER_SECOND = 4
const APPS = Array.from({ length: 60 }, (_, i) => i + 1)

element('app').replaceChildren(...APPS.map((app) => option(String(app), `application ${app}`)))
setUpRunView({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  read(): AdaptationOptions {
    const values = new FormData(element<HTMLFormElement>('controls'))
    return {
      app: Number(values.get('app')),
      episodes: Number(values.get('episodes')),
      seed: Number(values.get('seed')),
    }
  },
  parts(start: Started<AdaptationStart>) {
    const { controllers, pool, shown01 } = start
    element('map-text').textContent =
      `${pool.length} applications of the pool; those that behaved alike lie together; the plane shows ${Math.round(100 * shown01)} % of their differences`
    return {
      map: new MapView(element('map'), start),
      reward: createChart(element('chart-reward'), { controllers, x: WHOLE, range: 'fit' }),
      relatives: new RelativesView(element('relatives'), element('forecast'), start),
    }
  },
  show(step: AdaptationStep, { map, reward, relatives }, { app, episodes }: AdaptationStart) {
    map.show(step)
    reward.push(step.episode, step.rewards)
    relatives.show(step)
    return [`application ${app}, episode ${step.episode} of ${episodes}`, step.episode / episodes]
  },
  end: 'adapted',
})
element('app').addEventListener('change', () => element<HTMLFormElement>('controls').requestSubmit())
