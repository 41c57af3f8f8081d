// Many tenants on one platform: the paper's variants and the default beside tuned rules, in arenas whose headroom is known.
import { WorkerPool } from '@trimtab/node'
import { compareTenants, DEFAULT_CANDIDATES, TENANT_VARIANTS } from '@trimtab/studies'
import { keptJobs } from './cells/kept-jobs.mjs'
import { report } from './tenants/report.mjs'

const ALL = Object.keys(TENANT_VARIANTS).filter((name) => name !== 'priced-prewarm')
const PRINTED = ['simppo-full', ...DEFAULT_CANDIDATES]
const DESIGNS = ['priced-prewarm', ...DEFAULT_CANDIDATES] // where knowing the load gains much

/**
 * arenas: who learns there, for how many episodes. seeds: of policies and of the platforms that judge, none of which any choice has
 * seen; rules are tuned once and judged on the same.
 */
export const SCALES = {
  smoke: {
    arenas: { 'standard-5': { variants: PRINTED, episodes: 12 } },
    ...{ seeds: [0, 1], trainEpisodes: 1, judgedEpisodes: 2, imitationEpisodes: 6 },
  },
  gate: {
    arenas: {
      'standard-5': { variants: ALL, episodes: 400 },
      'standard-12': { variants: ALL, episodes: 250 },
      'standard-30': { variants: ALL, episodes: 100 },
      'standard-110': { variants: PRINTED, episodes: 100 },
      'tight-12': { variants: DEFAULT_CANDIDATES, episodes: 400 },
      'quota-12': { variants: DEFAULT_CANDIDATES, episodes: 400 },
      'slow-start-12': { variants: DESIGNS, episodes: 800 },
      'rare-30': { variants: DEFAULT_CANDIDATES, episodes: 600 },
      'mixed-invokers-12': { variants: DEFAULT_CANDIDATES, episodes: 400 },
      'churn-12': { variants: DEFAULT_CANDIDATES, episodes: 400 },
    },
    ...{ seeds: [12, 13, 14, 15, 16, 17], trainEpisodes: 2, judgedEpisodes: 8, imitationEpisodes: 30 },
  },
}
SCALES.paper = {
  ...SCALES.gate,
  arenas: Object.fromEntries(
    Object.entries(SCALES.gate.arenas).map(([name, { variants, episodes }]) => [
      name,
      { variants, episodes: 5 * episodes },
    ]),
  ),
  ...{ seeds: Array.from({ length: 12 }, (_, i) => 12 + i), judgedEpisodes: 20 },
}

/** Runs all cells, on as many cores as there are; the same figures for any number, but for the seconds. */
export async function run(scaleName, progress, { keep }) {
  const scale = SCALES[scaleName]
  const pool = new WorkerPool({ module: new URL('./tenants/jobs.mjs', import.meta.url) })
  const runOnce = keptJobs(pool, keep)
  const arenas = await compareTenants(scale, {
    rules: (spec) => runOnce('arenaRules', spec),
    cell: (spec) => runOnce('tenantsCell', spec),
    onProgress: ({ label }) => progress(label),
  })
  await pool.dispose()
  return report({ scaleName, scale, arenas })
}
