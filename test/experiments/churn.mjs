// Table 4.4: what it costs when functions join a platform that others have learned to share, or leave it.
import { WorkerPool } from '@trimtab/node'
import { CHURN_METHODS } from '@trimtab/studies'
import { keptJobs } from './cells/kept-jobs.mjs'
import { report } from './churn/report.mjs'

const ALL = Object.keys(CHURN_METHODS)
const CHANGES = [5, -5, 10, -10]

/** teams: tenants that learn together, and the seeds they do it with; the largest first, which take longest. */
export const SCALES = {
  smoke: {
    ...{ teams: { 5: [0] }, changes: [5], methods: ['scratch', 'corrected'] },
    ...{ episodesBefore: 12, episodesAfter: 12, imitationEpisodes: 4 },
  },
  gate: {
    ...{ teams: { 110: [0], 50: [0, 1], 20: [0, 1], 10: [0, 1], 5: [0, 1] }, changes: CHANGES, methods: ALL },
    ...{ episodesBefore: 600, episodesAfter: 100, imitationEpisodes: 30 },
  },
  paper: {
    teams: Object.fromEntries([110, 80, 60, 40, 20, 10, 5].map((tenants) => [tenants, [0, 1, 2, 3, 4, 5]])),
    ...{ changes: CHANGES, methods: ALL },
    ...{ episodesBefore: 600, episodesAfter: 400, imitationEpisodes: 30 },
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
  const teams = Object.entries(scale.teams)
    .map(([tenants, seeds]) => ({ tenants: Number(tenants), seeds }))
    .sort((a, b) => b.tenants - a.tenants)
  const cells = teams.flatMap(({ tenants, seeds }) =>
    scale.methods.flatMap((method) =>
      seeds.map(async (seed) => {
        const changes = scale.changes.filter((change) => tenants + change > 0)
        const spec = { method, tenants, changes, seed, rule: RULE, episodesBefore, episodesAfter, imitationEpisodes }
        const cell = await runOnce('churnCell', spec)
        progress(`N = ${tenants}: ${method}, seed ${seed}`)
        return cell
      }),
    ),
  )
  const results = await Promise.all(cells)
  await pool.dispose()
  return report({ scaleName, scale, teams, cells: results })
}
