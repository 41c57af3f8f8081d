// Must show 5: power of a GPU cluster that serves the models of Table 6.1, simulated, with and without frequency scaling.
import { createServeCore, paperModels, V100 } from '@trimtab/serve'
import { median, report } from './power/report.mjs'
import { runPoint, traceMiad } from './power/study.mjs'

const GRID = { sloScales: [1, 1.5, 2, 3, 4, 5], rates: [2.5, 5, 10, 15, 20], devices: [8, 12] }
const BASE = { slo: 4, rate: 10, cluster: 16, planSeconds: 180 }

/** seeds: of the loads that plans are judged with; plans are made for a load of their own. */
export const SCALES = {
  smoke: {
    ...BASE,
    ...{ sloScales: [2, 4], rates: [5], devices: [] },
    cluster: 8,
    planSeconds: 40,
    seconds: 60,
    seeds: [1],
  },
  gate: { ...BASE, ...GRID, seconds: 300, seeds: [1, 2, 3] },
  paper: { ...BASE, ...GRID, seconds: 1200, seeds: [1, 2, 3, 4, 5] },
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const core = await createServeCore()
  const models = paperModels(V100)
  const known = new Map()
  const at = (more) => {
    const point = { slo: scale.slo, rate: scale.rate, devices: scale.cluster, ...more }
    const key = JSON.stringify(point)
    if (!known.has(key)) {
      progress(`SLO scale ${point.slo}, ${point.rate} requests/s, ${point.devices} GPUs`)
      known.set(key, runPoint(core, models, point, scale))
    }
    return known.get(key)
  }
  const bySlo = scale.sloScales.map((slo) => at({ slo }))
  const byRate = scale.rates.map((rate) => at({ rate }))
  const byDevices = scale.devices.map((devices) => at({ devices }))
  const main = at({})
  progress('MIAD trace')
  const trace = traceMiad(core, models, main.plans.sensitivityAware.deployment, scale)
  const saving = median(main.runs.map(({ ratio }) => ratio))
  const attained = main.runs.every(({ aware }) => aware.attainment >= 0.99)
  return report({ scaleName, scale, models, bySlo, byRate, byDevices, main, trace, isShown: saving >= 1.5 && attained })
}
