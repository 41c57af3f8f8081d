// μ-Serve's 6.4.3 and B.3–B.4: what serving the shortest first does to completion times, with prompts and lengths that are
// real and a server that is simulated. Every policy serves the same requests at the same moments.
import { createServeCore } from '@trimtab/serve'
import { baselines, ordersByModel } from './serving/baselines.mjs'
import { chooseBypass } from './serving/choice.mjs'
import { concurrency } from './serving/concurrency.mjs'
import { BYPASS, readInputs } from './serving/inputs.mjs'
import { highestLoads, overloadedThroughput } from './serving/limits.mjs'
import { mixedModels, onlineLearning, recordedLengths, rounds, singleModels } from './serving/parts.mjs'
import { report } from './serving/report.mjs'

/** count: requests of a run; choiceSeeds: runs, of other seeds than the reported ones, by which the default ageing was chosen. */
export const SCALES = {
  smoke: { count: 300, seeds: 2, choiceSeeds: 1 },
  gate: { count: 4000, seeds: 5, choiceSeeds: 8 },
  paper: { count: 8000, seeds: 20, choiceSeeds: 20 },
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const core = await createServeCore()
  const inputs = await readInputs(core, progress)
  if (!inputs) return { markdown: '# Serving\n\n**Not judged: ../shared/data is absent.**\n', json: {}, isShown: false }
  const figures = {
    bypass: BYPASS,
    pairwiseOrder: inputs.estimator.pairwiseOrder,
    orderByModel: ordersByModel(inputs.valid, inputs.rows.tokens).mean,
    baselines: await baselines(core, inputs, scale, progress),
    mixed: await mixedModels(core, inputs, scale, progress),
    concurrency: concurrency(core, inputs, scale, progress),
    singles: await singleModels(core, inputs, scale, progress),
    recorded: await recordedLengths(core, inputs, scale, progress),
    online: await onlineLearning(core, inputs, scale, progress),
    rounds: await rounds(core, inputs, scale, progress),
    limits: highestLoads(core, inputs, scale, progress),
    overload: overloadedThroughput(core, inputs, scale, progress),
    choice: await chooseBypass(core, inputs, scale, progress),
  }
  return report({ scaleName, scale, figures })
}
