// How p99 follows from a pod's size and load: real pods, one at a time, against the two laws that simulated clusters obey. The constants of
// the law `bursting` are fitted here. Time and processes are real, so that figures differ from run to run; the machine must have nothing
// else to do.
import { createCore } from '@trimtab/core'
import { fitConstants, judgeLaws } from './latency-law/fit.mjs'
import { measurePoints } from './latency-law/measure.mjs'
import { render } from './latency-law/report.mjs'

/** requests: to be judged of each cell, for no less and no more than `seconds`. */
export const SCALES = {
  smoke: { cores: [0.25, 0.5], utilisations: [0.5], worksMs: [2], requests: 100, seconds: [2, 4] },
  gate: {
    ...{ cores: [0.125, 0.25, 0.5, 0.9], utilisations: [0.35, 0.55, 0.7, 0.85], worksMs: [2] },
    ...{ requests: 700, seconds: [12, 26] },
  },
  paper: {
    ...{
      cores: [0.125, 0.25, 0.4, 0.6, 0.9],
      utilisations: [0.2, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85],
      worksMs: [2, 4, 8],
    },
    ...{ requests: 5000, seconds: [30, 240] },
  },
}

export async function run(scaleName, progress) {
  const measured = await measurePoints(SCALES[scaleName], progress)
  const core = await createCore()
  const constants = fitConstants(core, measured.points)
  const laws = judgeLaws(core, measured.points, constants)
  return {
    markdown: render({ scaleName, measured, constants, laws }),
    json: { scale: scaleName, ...measured, constants, laws },
    isShown: measured.busy === undefined,
  }
}
