// Mitigation of broken SLOs: what traces, speed, replacement and learning are worth, beside what needs none of them.
import { WorkerPool } from '@trimtab/node'
import { VARIANTS } from './mitigation/agents.mjs'
import { report } from './mitigation/report.mjs'

const APPS = ['hotel-reservation', 'social-network', 'train-ticket']
const PROBE = ['none', 'fixed', 'hpa', 'aimd', 'aimd-generous', 'random', 'truth', 'localised', 'localised-queue']
const STANDARD = [
  'none',
  'fixed',
  'hpa',
  'aimd',
  'localised',
  'localised-queue',
  'replace',
  'default',
  'scale-out',
  'queue',
]
const MORE = ['hpa', 'localised', 'default', 'scale-out']
const SINGLES = ['none', 'hpa', 'aimd', 'localised', 'localised-queue', 'queue', 'oracle']
const seedsFrom = (first, count) => Array.from({ length: count }, (_, i) => first + i)

/**
 * seeds: of the campaigns that judge; agents learn on others. A campaign of an agent is one of them, by its own seed. more: further
 * campaigns of the standard world, for differences that a few leave open. campaigns: an application's, that agents learn from or are
 * tried on.
 */
export const SCALES = {
  smoke: {
    ...{ apps: APPS.slice(0, 1), seeds: [900, 901], seconds: 20, agentSeeds: [0, 1], episodes: 1 },
    campaigns: { moves: 1, foresight: 1, trial: 2 },
    more: { seeds: [902], arms: ['hpa', 'localised'] },
    singleSeeds: [900, 901],
    arms: {
      probe: ['none', 'hpa', 'aimd', 'random', 'truth', 'localised'],
      standard: ['none', 'hpa', 'aimd', 'localised', 'replace', 'localised-queue', 'default', 'scale-out'],
      singles: ['none', 'hpa', 'aimd', 'localised', 'localised-queue'],
    },
  },
  gate: {
    ...{ apps: APPS, seeds: seedsFrom(900, 3), seconds: 150, agentSeeds: seedsFrom(0, 5), episodes: 8 },
    campaigns: { moves: 4, foresight: 2, trial: 3 },
    more: { seeds: seedsFrom(903, 12), arms: MORE },
    singleSeeds: seedsFrom(903, 6),
    arms: { probe: [...PROBE, 'queue', 'oracle'], standard: [...STANDARD, 'oracle'], singles: SINGLES },
  },
}
SCALES.paper = {
  ...{ ...SCALES.gate, seeds: seedsFrom(900, 12), seconds: 300, agentSeeds: seedsFrom(0, 8), episodes: 300 },
  more: { ...SCALES.gate.more, seeds: seedsFrom(912, 24) },
}

/** Runs all cells, on as many cores as there are; the same figures for any number. */
export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const { apps, seeds, seconds, agentSeeds, episodes, campaigns, more, singleSeeds } = scale
  const pool = new WorkerPool({ module: new URL('./mitigation/jobs.mjs', import.meta.url) })
  const judged = async (spec) => ({ ...spec, ...(await pool.run('mitigationCell', { ...spec, seconds })) })
  const table = async (world, campaign, arms, judging = seeds) => {
    const cells = arms.flatMap((arm) =>
      apps.flatMap((app) => judging.map((seed) => judged({ app, world, arm, campaign, seed }))),
    )
    const done = await Promise.all(cells)
    progress(`${world}, ${campaign}: ${done.length} runs`)
    return done
  }
  const agent = async (variant, seed) => {
    const learned = await pool.run('agentOf', { apps, variant, seed, seconds, episodes, campaigns })
    const { world, arm } = VARIANTS[variant]
    const spec = { world, campaign: 'many', arm, learned, seed: seeds[seed % seeds.length] }
    const runs = await Promise.all(apps.map((app) => judged({ app, ...spec })))
    progress(`${variant}, seed ${seed}${learned ? '' : ': the rule'}`)
    return runs.map(({ learned: _, ...record }) => ({ ...record, variant, agentSeed: seed, serves: Boolean(learned) }))
  }
  const [probe, standard, further, singles] = await Promise.all([
    table('probe', 'many', scale.arms.probe),
    table('standard', 'many', scale.arms.standard),
    table('standard', 'many', more.arms, more.seeds),
    table('probe', 'singles', scale.arms.singles, singleSeeds),
  ])
  const agents = await Promise.all(
    Object.keys(VARIANTS).flatMap((variant) => agentSeeds.map((seed) => agent(variant, seed))),
  )
  await pool.dispose()
  return report({ scaleName, scale, probe, standard, further, singles, agents: agents.flat() })
}
