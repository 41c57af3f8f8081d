// AWARE's 5.5.3 and 5.5.4: what early training costs with and without bootstrapping, and what updates of an application cost
// a policy with and without incremental retraining.
import { WorkerPool } from '@trimtab/node'
import { report } from './bootstrapping/report.mjs'

/** apps: generated applications, the first FIRST_APP; episodes: of 100 steps of 15 s. */
export const SCALES = {
  smoke: { apps: 1, seeds: 1, early: 8, serving: { training: 4, episodes: 3, converging: 1 } },
  gate: { apps: 8, seeds: 3, early: 20, serving: { training: 60, episodes: 20, converging: 10 } },
  paper: { apps: 40, seeds: 3, early: 100, serving: { training: 150, episodes: 80, converging: 80 } },
}

const FIRST_APP = 301 // applications that no design was tried on: those from 201 on were looked at

export const CONTROLLERS = ['rule', 'scratch', 'scratch-paper', 'lifecycle-bcq', 'envelope-bcq', 'envelope']

/** Whose policy meets the updates: the papers' agent (absolute limits, reward as printed), and ours. */
export const SETTINGS = { papers: { view: 'absolute', penalty: 0 }, trimtab: { view: 'relative', penalty: 2 } }

/** Whole seeds one after the other. */
function jobsOf({ apps, seeds, early, serving }) {
  const runs = Array.from({ length: apps * seeds }, (_, i) => ({
    app: FIRST_APP + (i % apps),
    seed: 1 + Math.floor(i / apps),
  }))
  return runs.flatMap((run) => [
    ...Object.entries(SETTINGS).map(([setting, world]) => ({ job: 'serving', setting, ...world, ...run, ...serving })),
    ...CONTROLLERS.map((controller) => ({ job: 'early', controller, ...run, episodes: early })),
  ])
}

/** Runs all jobs, on as many cores as there are; the same results for any number. */
export async function measure(scaleName, progress) {
  const pool = new WorkerPool({ module: new URL('./bootstrapping/jobs.mjs', import.meta.url) })
  const jobs = jobsOf(SCALES[scaleName])
  let done = 0
  const results = await Promise.all(
    jobs.map(async ({ job, ...input }) => {
      const result = await pool.run(job, input)
      progress(
        `${++done}/${jobs.length}  ${job}: ${input.controller ?? input.setting}, app ${input.app}, seed ${input.seed}`,
      )
      return { job, ...input, result }
    }),
  )
  await pool.dispose()
  return results
}

export const run = async (scaleName, progress) =>
  report({ scaleName, scale: SCALES[scaleName], results: await measure(scaleName, progress) })
