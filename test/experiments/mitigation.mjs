// Mitigation of broken SLOs: what traces, speed, replacement and learning are worth, beside what needs none of them.
import { WorkerPool } from '@trimtab/node'
import { VARIANTS } from './mitigation/agents.mjs'
import { report } from './mitigation/report.mjs'

const APPS = ['hotel-reservation', 'social-network', 'train-ticket']
const PROBE = ['none', 'fixed', 'hpa', 'aimd', 'aimd-generous', 'random', 'truth', 'localised', 'localised-queue']
const STANDARD = ['none', 'fixed', 'hpa', 'aimd', 'localised', 'localised-queue', 'replace', 'default', 'queue']
const SINGLES = ['none', 'hpa', 'aimd', 'localised', 'localised-queue', 'queue', 'oracle']
const seedsFrom = (first, count) => Array.from({ length: count }, (_, i) => first + i)

/** seeds: of the campaigns that judge; agents learn on others. A campaign of an agent is one of them, by its own seed. */
export const SCALES = {
  smoke: {
    ...{ apps: APPS.slice(0, 1), seeds: [900, 901], seconds: 20, agentSeeds: [0, 1], episodes: 1 },
    arms: {
      probe: ['none', 'hpa', 'aimd', 'random', 'truth', 'localised'],
      standard: ['none', 'hpa', 'aimd', 'localised', 'replace', 'localised-queue', 'default'],
      singles: ['none', 'hpa', 'aimd', 'localised'],
    },
  },
  gate: {
    ...{ apps: APPS, seeds: seedsFrom(900, 3), seconds: 150, agentSeeds: seedsFrom(0, 5), episodes: 8 },
    arms: { probe: [...PROBE, 'queue', 'oracle'], standard: [...STANDARD, 'oracle'], singles: SINGLES },
  },
}
SCALES.paper = { ...SCALES.gate, seeds: seedsFrom(900, 12), seconds: 300, agentSeeds: seedsFrom(0, 8), episodes: 300 }

/** Runs all cells, on as many cores as there are; the same figures for any number. */
export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const { apps, seeds, seconds, agentSeeds, episodes } = scale
  const pool = new WorkerPool({ module: new URL('./mitigation/jobs.mjs', import.meta.url) })
  const judged = async (spec) => ({ ...spec, ...(await pool.run('mitigationCell', { ...spec, seconds })) })
  const table = async (world, campaign, arms) => {
    const cells = arms.flatMap((arm) =>
      apps.flatMap((app) => seeds.map((seed) => judged({ app, world, arm, campaign, seed }))),
    )
    const done = await Promise.all(cells)
    progress(`${world}, ${campaign}: ${done.length} runs`)
    return done
  }
  const agent = async (variant, seed) => {
    const policyFile = await pool.run('agentOf', { apps, variant, seed, episodes })
    const world = { world: 'probe', campaign: 'many', arm: 'agent', policyFile, seed: seeds[seed % seeds.length] }
    const runs = await Promise.all(apps.map((app) => judged({ app, ...world })))
    progress(`${variant}, seed ${seed}`)
    return runs.map(({ policyFile: _, ...record }) => ({ ...record, variant, agentSeed: seed }))
  }
  const [probe, standard, singles] = await Promise.all([
    table('probe', 'many', scale.arms.probe),
    table('standard', 'many', scale.arms.standard),
    table('probe', 'singles', scale.arms.singles),
  ])
  const agents = await Promise.all(
    Object.keys(VARIANTS).flatMap((variant) => agentSeeds.map((seed) => agent(variant, seed))),
  )
  await pool.dispose()
  return report({ scaleName, scale, probe, standard, singles, agents: agents.flat() })
}
