// Table 4.4: what it costs when functions join a platform that others have learned to share, or leave it.
import { WorkerPool } from '@trimtab/node'
import { CHURN_METHODS } from '@trimtab/studies'
import { keptJobs } from './cells/kept-jobs.mjs'
import { report } from './churn/report.mjs'

const ALL = Object.keys(CHURN_METHODS)
const GATE = {
  ...{ tenants: [5, 10, 20, 50, 110], changes: [5, -5, 10, -10], methods: ALL, seeds: [0, 1] },
  ...{ episodesBefore: 100, episodesAfter: 60, imitationEpisodes: 30 },
}

export const SCALES = {
  smoke: {
    ...{ tenants: [5], changes: [5], methods: ['scratch', 'corrected'], seeds: [0] },
    ...{ episodesBefore: 12, episodesAfter: 12, imitationEpisodes: 4 },
  },
  gate: GATE,
  paper: {
    ...GATE,
    tenants: [5, 10, 20, 40, 60, 80, 110],
    seeds: [0, 1, 2, 3, 4, 5],
    episodesBefore: 600,
    episodesAfter: 400,
  },
}

/** R + 3.5√R at the fewest shares: about what tuning finds in the standard arenas. */
const RULE = { family: 'demand', settings: { margin: 3.5, windowSteps: 6, shares: 128, keepAliveSeconds: 60 } }

/** Runs all cells, on as many cores as there are; the same figures for any number. */
export async function run(scaleName, progress, { keep }) {
  const scale = SCALES[scaleName]
  const { episodesBefore, episodesAfter, imitationEpisodes } = scale
  const pool = new WorkerPool({ module: new URL('./churn/jobs.mjs', import.meta.url) })
  const runOnce = keptJobs(pool, keep)
  const changes = scale.tenants.flatMap((tenants) =>
    scale.changes.filter((change) => tenants + change > 0).map((change) => ({ tenants, change })),
  )
  const cells = changes.flatMap(({ tenants, change }) =>
    scale.methods.flatMap((method) =>
      scale.seeds.map(async (seed) => {
        const spec = { method, tenants, change, seed, rule: RULE, episodesBefore, episodesAfter, imitationEpisodes }
        const cell = await runOnce('churnCell', spec)
        progress(`N = ${tenants}, ${change > 0 ? '+' : '−'}${Math.abs(change)}: ${method}, seed ${seed}`)
        return cell
      }),
    ),
  )
  const results = await Promise.all(cells)
  await pool.dispose()
  return report({ scaleName, scale, cells: results })
}
