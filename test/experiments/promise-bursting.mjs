// The promise once more, under the law that was fitted to real pods: one more column of cells beside those of `promise`.

import { report } from './promise/report.mjs'
import { measure, SCALES as PROMISE } from './promise.mjs'

const LAW = { law: 'bursting', slo: [2], elsewhere: [], perturbed: { apps: 0, loads: [] } }
export const SCALES = {
  smoke: { ...PROMISE.smoke, ...LAW },
  gate: { ...PROMISE.gate, ...LAW },
  paper: { ...PROMISE.paper, ...LAW },
}

export const run = async (scaleName, progress) => {
  const scale = SCALES[scaleName]
  return report({ scaleName, scale, ...(await measure(scale, progress)) })
}
