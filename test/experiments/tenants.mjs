// Many tenants on one platform: the paper's variants and the default beside tuned rules, in arenas whose headroom is known.
import { WorkerPool } from '@trimtab/node'
import { TENANT_VARIANTS } from '@trimtab/studies'
import { bestRule } from './headroom/report.mjs'
import { report } from './tenants/report.mjs'

const ALL = Object.keys(TENANT_VARIANTS).filter((name) => name !== 'priced-prewarm')
const LARGE = ['simppo-full', 'simppo-full-shared', 'priced-scratch', 'priced']
const JUDGED = ['priced-scratch', 'priced']
const ROOMY = [...JUDGED, 'priced-prewarm'] // where knowing the load gains something

/**
 * variants: by arena. seeds: of policies and of the platforms that judge; rules are tuned once and judged on the same. episodes: of
 * learning, fewer where agents share a policy, since each of them adds to what it learns from.
 */
export const SCALES = {
  smoke: {
    variants: { 'standard-5': ['simppo-full', 'priced'] },
    ...{ seeds: [0, 1], trainEpisodes: 2, testEpisodes: 2, imitationEpisodes: 6 },
    episodes: { each: 12, category: 12, all: 12 },
  },
  gate: {
    variants: {
      'standard-5': ALL,
      'standard-12': ALL,
      'standard-30': ALL,
      'standard-110': LARGE,
      'tight-12': JUDGED,
      'quota-12': JUDGED,
      'slow-start-12': ROOMY,
      'rare-30': ROOMY,
      'mixed-invokers-12': JUDGED,
      'churn-12': JUDGED,
    },
    ...{ seeds: [0, 1, 2, 3, 4, 5], trainEpisodes: 4, testEpisodes: 8, imitationEpisodes: 30 },
    episodes: { each: 600, category: 300, all: 150 },
  },
}
SCALES.paper = {
  ...SCALES.gate,
  ...{ seeds: Array.from({ length: 12 }, (_, seed) => seed), testEpisodes: 20 },
  episodes: { each: 3000, category: 1000, all: 600 },
}

/** Runs all cells, on as many cores as there are; the same figures for any number, but for the seconds. */
export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const pool = new WorkerPool({ module: new URL('./tenants/jobs.mjs', import.meta.url) })
  const { seeds, imitationEpisodes, testEpisodes: judgedEpisodes } = scale
  const ofArena = async ([arena, variants]) => {
    const rules = await pool.run('rulesOfArena', { arena, scale })
    progress(`${arena}: rules`)
    const { name: family, settings } = bestRule(rules.rules, ({ trainScore }) => trainScore)
    const cells = variants.flatMap((variant) =>
      seeds.map(async (seed) => {
        const episodes = scale.episodes[TENANT_VARIANTS[variant].sharing]
        const spec = { arena, variant, seed, rule: { family, settings }, episodes, imitationEpisodes, judgedEpisodes }
        const cell = await pool.run('tenantsCell', spec)
        progress(`${arena}: ${TENANT_VARIANTS[variant].label}, seed ${seed}, ${cell.seconds.toFixed(0)} s`)
        return cell
      }),
    )
    return { rules, cells: await Promise.all(cells) }
  }
  const arenas = await Promise.all(Object.entries(scale.variants).map(ofArena))
  await pool.dispose()
  return report({ scaleName, scale, arenas })
}
