// FLASH's 5.6: runtimes of unseen workloads on configurations that were not tried, from a few that were. Where does the gain of
// an embedding come from? Everything is printed beside what the same labels give without one.
import { WorkerPool } from '@trimtab/node'
import { jobsOf } from './rightsizing/plan.mjs'
import { report } from './rightsizing/report.mjs'

/**
 * repeats: each with folds, draws and weights of its own, of statistical predictors and of networks; `readings`: how else the
 * papers' "L2 0.01" can be understood.
 */
export const SCALES = {
  smoke: {
    repeats: 1,
    networkRepeats: 1,
    paperRepeats: 0,
    readings: false,
    epochs: 2,
    functions: 40,
    functionEpochs: 2,
  },
  gate: {
    repeats: 3,
    networkRepeats: 2,
    paperRepeats: 1,
    readings: false,
    epochs: 200,
    functions: 1000,
    functionEpochs: 120,
  },
  paper: {
    repeats: 10,
    networkRepeats: 10,
    paperRepeats: 3,
    readings: true,
    epochs: 200,
    functions: 2000,
    functionEpochs: 200,
  },
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const jobs = jobsOf(scale, progress)
  const pool = new WorkerPool({ module: new URL('./rightsizing/jobs.mjs', import.meta.url) })
  let done = 0
  const results = await Promise.all(
    jobs.map(async (job) => {
      const errors = await pool.run('judge', job)
      progress(
        `${++done}/${jobs.length}  ${job.table}: ${job.predictor}, ${job.labels} labels, repeat ${job.repeat + 1}`,
      )
      return { ...job, errors }
    }),
  )
  await pool.dispose()
  return report({ scaleName, scale, results })
}
