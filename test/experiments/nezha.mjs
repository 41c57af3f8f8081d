// Real incidents with known culprits: the Nezha traces that lie beside the repository (see ../shared/data/README.md there).
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import {
  baselineRankings,
  CulpritWindow,
  createTraceCore,
  criticalComponents,
  diffProfiles,
  OwnTimes,
  PathFinder,
  Profile,
  rankCulprits,
  readSpanTable,
  UsualTimes,
  WhatIf,
  Workflow,
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

/** group → { window, profile, times, paths }: every fault and every fault-free group of a system's file. */
async function readGroups(core, prefix) {
  const groups = new Map()
  const finder = new PathFinder(core)
  const source = createReadStream(new URL(`nezha_${prefix}_spans.csv.gz`, FOLDER))
  for await (const { trace, labels } of readSpanTable(source)) {
    const group = groups.get(labels.fault_id) ?? newGroup()
    groups.set(labels.fault_id, group)
    const path = finder.find(trace)
    group.window.add(path)
    group.profile.add(path)
    group.times.add(path)
    group.paths.push(path)
  }
  finder.dispose()
  return groups
}

const newGroup = () => ({ window: new CulpritWindow(), profile: new Profile(), times: new OwnTimes(), paths: [] })

/** All groups of these names together; their paths are not needed again. */
function merged(groups, names) {
  const whole = newGroup()
  for (const name of names) {
    const { window, profile, times } = groups.get(name)
    whole.window.merge(window)
    whole.profile.merge(profile)
    whole.times.merge(times)
  }
  return whole
}

/** ns that a request would save if what got slower of a culprit were as in the reference. */
function savedNs({ paths, times }, reference, { slower }) {
  const changes = slower.map(({ owner }) =>
    'service' in owner
      ? { service: owner.service, isAsUsual: true }
      : { service: owner.caller, callee: owner.callee, kind: owner.kind, isAsUsual: true },
  )
  if (changes.length === 0) return 0
  const workflow = new Workflow()
  for (const path of paths) workflow.add(path)
  const answer = new WhatIf(changes, { workflow, usual: new UsualTimes(times, reference.times) })
  for (const path of paths) answer.add(path)
  return answer.savedNs
}

/**
 * Every incident of a system, compared with the fault-free groups of its day where there are any (`N23` is the 23rd),
 * else with all of them.
 * @returns [{ id, service, type, culprits, isInWindow, latency, savedNs, baselines, components }]
 */
export async function readIncidents(system, core = undefined) {
  core ??= await createTraceCore()
  const prefix = SYSTEMS[system]
  const faults = readFaults()
  const groups = await readGroups(core, prefix)
  const healthy = [...groups.keys()].filter((group) => group.startsWith('N'))
  return [...groups]
    .filter(([group]) => faults.has(`${prefix}${group}`))
    .map(([group, incident]) => {
      const { window, profile } = incident
      const { service, type, day } = faults.get(`${prefix}${group}`)
      const sameDay = healthy.filter((name) => name.slice(1) === day.slice(-2))
      const reference = merged(groups, sameDay.length > 0 ? sameDay : healthy)
      const { culprits } = rankCulprits(core, window, reference.window)
      return {
        id: `${prefix}${group}`,
        service,
        type,
        culprits,
        /** Whether any trace of it holds its culprit. */
        isInWindow: profile.services().some((one) => one.service === service),
        /** How the latency differs from the reference's, endpoint by endpoint. */
        latency: diffProfiles(reference.profile, profile).latency,
        /** What it would save to have a culprit as usual. */
        savedNs: (culprit) => savedNs(incident, reference, culprit),
        baselines: baselineRankings(window, reference.window),
        /** The services by Algorithm 3.2 on the window alone. */
        components: () => [...new Set(criticalComponents(profile, { core }).components.map((one) => one.service))],
      }
    })
}
