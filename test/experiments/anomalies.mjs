// FIRM's 3.3.2: which component broke the SLO? Trained on made-up graphs, judged on others of the papers' sizes.
import { createCore } from '@trimtab/core'
import { WorkerPool } from '@trimtab/node'
import { ANOMALY_KINDS, PRESETS } from '@trimtab/tasks'
import { fitMethods, judge, METHODS, pairsOf, SVM_METHODS } from './anomalies/judge.mjs'
import { report } from './anomalies/report.mjs'

/** seeds: independent repetitions, each with graphs, campaigns and a classifier of its own. */
const SCALES = {
  smoke: { seeds: 1, trainingGraphs: 3, heldOutGraphs: 1, trainingWindows: 8, windows: 6, perKind: 1 },
  gate: { seeds: 3, trainingGraphs: 6, heldOutGraphs: 2, trainingWindows: 24, windows: 24, perKind: 4 },
  paper: { seeds: 5, trainingGraphs: 16, heldOutGraphs: 4, trainingWindows: 60, windows: 120, perKind: 12 },
}

/** Everything to be simulated, in the order in which it is used. */
function jobsOf({ seeds, trainingGraphs, heldOutGraphs, trainingWindows, windows, perKind }) {
  return Array.from({ length: seeds }, (_, repetition) => {
    const base = 1000 * (repetition + 1)
    const made = Array.from({ length: trainingGraphs + heldOutGraphs }, (_, i) => ({
      part: i < trainingGraphs ? 'training' : 'heldOut',
      graph: 'random',
      graphSeed: base + i,
      campaign: 'several',
      size: trainingWindows,
      seed: base + i,
    }))
    const judged = PRESETS.flatMap((graph, i) => [
      { part: 'several', graph, graphSeed: base, campaign: 'several', size: windows, seed: base + 100 + i },
      { part: 'single', graph, graphSeed: base, campaign: 'single', size: perKind, seed: base + 200 + i },
    ])
    return [...made, ...judged].map((job) => ({ ...job, repetition }))
  }).flat()
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const jobs = jobsOf(scale)
  const pool = new WorkerPool({ module: new URL('./anomalies/jobs.mjs', import.meta.url) })
  let done = 0
  const collections = await Promise.all(
    jobs.map(async (job) => {
      const collection = await pool.run('collect', job)
      progress(`${++done}/${jobs.length} ${job.part}: ${collection.graph}, ${collection.windows.length} broken windows`)
      return { ...collection, ...job, graph: collection.graph }
    }),
  )
  await pool.dispose()

  progress('training and judging')
  const core = await createCore()
  const repetitions = Array.from({ length: scale.seeds }, (_, repetition) => {
    const of = (part) => collections.filter((one) => one.repetition === repetition && one.part === part)
    const [training, heldOut, several, single] = ['training', 'heldOut', 'several', 'single'].map(of)
    const judgeAs = (label) => {
      const fitted = fitMethods(core, {
        training: pairsOf(training),
        heldOut: pairsOf(heldOut),
        label,
        seed: repetition,
      })
      const all = (pairs) => Object.fromEntries(fitted.methods.map((one) => [one.method, judge(one, pairs, label)]))
      const results = {
        several: all(pairsOf(several)),
        single: all(pairsOf(single)),
        graphs: Object.fromEntries(
          PRESETS.map((name) => [name, all(pairsOf(several.filter(({ graph }) => graph === name)))]),
        ),
        kinds: Object.fromEntries(
          ANOMALY_KINDS.map((kind) => [kind, all(pairsOf(single).filter(({ kinds }) => kinds.includes(kind)))]),
        ),
      }
      fitted.dispose()
      return results
    }
    return { isResponsible: judgeAs('isResponsible'), isInjected: judgeAs('isInjected') }
  })
  return report({ scaleName, scale, collections, repetitions, methods: METHODS, svms: SVM_METHODS })
}
