// Real incidents with known culprits: the Nezha traces that lie beside the repository (see ../shared/data/README.md there).
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import {
  baselineRankings,
  CulpritWindow,
  createTraceCore,
  criticalComponents,
  EVIDENCE,
  PathFinder,
  Profile,
  rankCulprits,
  readSpanTable,
} from '@trimtab/trace'

const FOLDER = new URL('../../../shared/data/traces/', import.meta.url)

/** name → file prefix; incidents of one system teach, those of the other examine. */
export const SYSTEMS = { 'Online Boutique': 'ob', 'Train-Ticket': 'tt' }

/** Whether the data is there; says so loudly where it is not. */
export function hasIncidents() {
  const present = existsSync(new URL('nezha_faults.csv', FOLDER))
  if (!present) console.error(`${FOLDER.pathname} is absent: nothing real can be judged`)
  return present
}

/** fault_id → { service, type, day } */
function readFaults() {
  const [head, ...rows] = readFileSync(new URL('nezha_faults.csv', FOLDER), 'utf8').trim().split('\n')
  const columns = head.split(',')
  return new Map(
    rows.map((row) => {
      const cells = Object.fromEntries(row.split(',').map((cell, i) => [columns[i], cell]))
      return [cells.fault_id, { service: cells.root_cause_service, type: cells.fault_type, day: cells.day }]
    }),
  )
}

/** group → { window, profile }: every fault and every fault-free group of a system's file. */
async function readGroups(core, prefix) {
  const groups = new Map()
  const finder = new PathFinder(core)
  const source = createReadStream(new URL(`nezha_${prefix}_spans.csv.gz`, FOLDER))
  for await (const { trace, labels } of readSpanTable(source)) {
    const group = groups.get(labels.fault_id) ?? { window: new CulpritWindow(), profile: new Profile() }
    groups.set(labels.fault_id, group)
    const path = finder.find(trace)
    group.window.add(path)
    group.profile.add(path)
  }
  finder.dispose()
  return groups
}

/**
 * Every incident of a system, compared with the fault-free groups of its day where there are any (`N23` is the 23rd),
 * else with all of them.
 * @returns [{ id, service, type, ranking, baselines, components, example }]
 */
export async function readIncidents(system, core = undefined) {
  core ??= await createTraceCore()
  const prefix = SYSTEMS[system]
  const faults = readFaults()
  const groups = await readGroups(core, prefix)
  const healthy = [...groups.keys()].filter((group) => group.startsWith('N'))
  return [...groups]
    .filter(([group]) => faults.has(`${prefix}${group}`))
    .map(([group, { window, profile }]) => {
      const { service, type, day } = faults.get(`${prefix}${group}`)
      const sameDay = healthy.filter((name) => name.slice(1) === day.slice(-2))
      const reference = new CulpritWindow()
      for (const name of sameDay.length > 0 ? sameDay : healthy) reference.merge(groups.get(name).window)
      const { culprits } = rankCulprits(core, window, reference)
      return {
        id: `${prefix}${group}`,
        service,
        type,
        culprits,
        baselines: baselineRankings(window, reference),
        /** The services by Algorithm 3.2 on the window alone. */
        components: () => [...new Set(criticalComponents(profile, { core }).components.map((one) => one.service))],
        example: {
          evidence: Float64Array.from(culprits.flatMap(({ evidence }) => EVIDENCE.map((name) => evidence[name]))),
          culprit: culprits.findIndex((suspect) => suspect.service === service),
        },
      }
    })
}
