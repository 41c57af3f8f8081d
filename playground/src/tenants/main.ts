// The page of tenants: every controller's platform as a map of who is served, and what each comes to.
import { timeAxis } from '../run/axis.js'
import { createChart } from '../run/charts.js'
import type { Started } from '../run/protocol.js'
import { setUpRunView } from '../run/run-view.js'
import { element } from '../shell/dom.js'
import { HeatMaps } from './heat-map.js'
import type { TenantsOptions, TenantsStart, TenantsStep } from './protocol.js'

const STEPS_PER_SECOND = 8

setUpRunView({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  pace: () => STEPS_PER_SECOND,
  read(): TenantsOptions {
    const values = new FormData(element<HTMLFormElement>('controls'))
    return {
      arena: String(values.get('arena')),
      episodes: Number(values.get('episodes')),
      seed: Number(values.get('seed')),
    }
  },
  parts({ controllers, tenants, steps, stepSeconds }: Started<TenantsStart>) {
    const options = { controllers, x: timeAxis(stepSeconds) }
    const titles = controllers.map(({ label }) => label)
    return {
      maps: new HeatMaps(element('maps'), titles, tenants, steps),
      broken: createChart(element('chart-broken'), options),
      containers: createChart(element('chart-containers'), options),
      score: createChart(element('chart-score'), { ...options, range: 'fit' }),
    }
  },
  show({ step, ...now }: TenantsStep, { maps, broken, containers, score }, { steps }: TenantsStart) {
    maps.push(now.p99OverSlo)
    broken.push(step, now.brokenPercent)
    containers.push(step, now.containers)
    score.push(step, now.score)
    return [`step ${step} of ${steps}`, step / steps]
  },
  end: 'judged on a platform that nobody has seen',
})
