// FIRM's 3.3.2: which component broke the SLO? Trained on made-up graphs, judged on others of the papers' sizes.
import { createCore } from '@trimtab/core'
import { WorkerPool } from '@trimtab/node'
import { ANOMALY_KINDS, PRESETS } from '@trimtab/tasks/microservices'
import { fitMethods, judge, pairsOf } from './anomalies/judge.mjs'
import { report } from './anomalies/report.mjs'

/** seeds: independent repetitions, each with graphs, campaigns and a classifier of its own. */
export const SCALES = {
  smoke: { seeds: 1, trainingGraphs: 3, heldOutGraphs: 1, trainingWindows: 6, windows: 4, perKind: 1 },
  gate: { seeds: 3, trainingGraphs: 6, heldOutGraphs: 2, trainingWindows: 20, windows: 20, perKind: 3 },
  paper: { seeds: 5, trainingGraphs: 16, heldOutGraphs: 4, trainingWindows: 40, windows: 80, perKind: 10 },
}

/** Everything to be simulated. */
function jobsOf({ seeds, trainingGraphs, heldOutGraphs, trainingWindows, windows, perKind }) {
  return Array.from({ length: seeds }, (_, repetition) => {
    const base = 1000 * (repetition + 1)
    const made = Array.from({ length: trainingGraphs + heldOutGraphs }, (_, i) => ({
      part: i < trainingGraphs ? 'training' : 'heldOut',
      ...{ graph: 'random', graphSeed: base + i, campaign: 'several', size: trainingWindows, seed: base + i },
    }))
    const judged = PRESETS.flatMap((graph, i) => [
      { part: 'several', graph, graphSeed: base, campaign: 'several', size: windows, seed: base + 100 + i },
      { part: 'single', graph, graphSeed: base, campaign: 'single', size: perKind, seed: base + 200 + i },
    ])
    return [...made, ...judged].map((job) => ({ ...job, repetition }))
  }).flat()
}

async function collectAll(jobs, progress) {
  const pool = new WorkerPool({ module: new URL('./anomalies/jobs.mjs', import.meta.url) })
  let done = 0
  const collections = await Promise.all(
    jobs.map(async (job) => {
      const collection = await pool.run('collect', job)
      progress(`${++done}/${jobs.length}  ${job.part}: ${collection.graph}`)
      return { ...job, ...collection }
    }),
  )
  await pool.dispose()
  return collections
}

/** setting → method → what `judge` says, for one repetition. */
function judgeRepetition(core, collections, seed) {
  const of = (part) => collections.filter((one) => one.part === part)
  const [training, heldOut, several, single] = ['training', 'heldOut', 'several', 'single'].map(of)
  const judgeAll = (scope, label, settings) => {
    const fitted = fitMethods(core, {
      ...{ training: pairsOf(training, scope), heldOut: pairsOf(heldOut, scope) },
      ...{ label, seed },
    })
    const results = Object.entries(settings).map(([setting, pairs]) => [
      setting,
      Object.fromEntries(fitted.methods.map((one) => [one.method, judge(one, pairs, label)])),
    ])
    fitted.dispose()
    return Object.fromEntries(results)
  }
  const singles = pairsOf(single)
  return {
    ...judgeAll('path', 'isResponsible', {
      several: pairsOf(several),
      single: singles,
      sampled: pairsOf(several, 'sampled'),
      ...Object.fromEntries(PRESETS.map((name) => [name, pairsOf(several.filter(({ graph }) => graph === name))])),
      ...Object.fromEntries(ANOMALY_KINDS.map((kind) => [kind, singles.filter(({ kinds }) => kinds.includes(kind))])),
    }),
    ...judgeAll('window', 'isResponsible', { window: pairsOf(several, 'window') }),
    ...judgeAll('path', 'isInjected', { severalInjected: pairsOf(several), singleInjected: singles }),
  }
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const collections = await collectAll(jobsOf(scale), progress)
  const core = await createCore()
  const repetitions = Array.from({ length: scale.seeds }, (_, repetition) => {
    progress(`training and judging, repetition ${repetition + 1}`)
    return judgeRepetition(
      core,
      collections.filter((one) => one.repetition === repetition),
      repetition,
    )
  })
  return report({ scaleName, scale, collections, repetitions })
}
