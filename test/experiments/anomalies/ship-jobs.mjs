// Job of the worker pool: the labelled components of a campaign, as a user's windows would show them.
import { createCore } from '@trimtab/core'
import {
  faultFreeSlosMs,
  generateGraph,
  generateSingleCampaign,
  generateWindowCampaign,
  groundTruth,
  MicroserviceSimulator,
} from '@trimtab/tasks'
import { FEATURE_SETS, measureComponents, PathFinder, Profile } from '@trimtab/trace'

const WINDOW_SECONDS = 10
const REFERENCE_SECONDS = 60
const WARM_UP_SECONDS = 5
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a campaign

let core

/**
 * Components on the critical paths of every window, broken SLO or not: of each type of requests alone, of all together and
 * of a sample, for windows come in all these kinds.
 * @param input  { seed, campaign: 'several' | 'single', size: windows | anomalies of a kind }
 * @returns for each feature set { features, isCritical }[]; critical is what was responsible for a broken SLO
 */
export async function label({ seed, campaign: style, size }) {
  core ??= await createCore()
  const graph = generateGraph(core, seed)
  const slosMs = faultFreeSlosMs(core, graph, { seed: REFERENCE_SEED + seed })
  const campaign =
    style === 'single'
      ? generateSingleCampaign(core, graph, { seed, slosMs, perKind: size })
      : generateWindowCampaign(core, graph, { seed, windows: size })
  const last = Math.max(
    ...campaign.anomalies.map(({ startSeconds, durationSeconds }) => startSeconds + durationSeconds),
  )
  const finder = new PathFinder(core)
  const reference = new Views(graph)
  const simulator = new MicroserviceSimulator(core, graph, { seed: REFERENCE_SEED + seed })
  simulator.run(WARM_UP_SECONDS)
  simulator.run(WARM_UP_SECONDS + REFERENCE_SECONDS, (trace) => reference.add(finder.find(trace)))
  simulator.dispose()
  const windows = []
  const truths = groundTruth(core, graph, campaign, {
    seed,
    slosMs,
    windows: Math.round(last / WINDOW_SECONDS),
    onTrace(trace, window) {
      windows[window] ??= new Views(graph)
      windows[window].add(finder.find(trace))
    },
  })
  finder.dispose()
  const sets = Object.keys(FEATURE_SETS)
  const labelled = Object.fromEntries(sets.map((set) => [set, []]))
  for (const { window, anomalies } of truths) {
    for (const [view, profile] of windows[window].profiles.entries()) {
      const isToBlame = ({ isResponsible }) =>
        view < graph.requests.length ? isResponsible[view] : isResponsible.includes(1)
      const critical = new Set(anomalies.filter(isToBlame).flatMap(({ instances }) => instances))
      for (const component of measureComponents(core, profile, reference.profiles[view])) {
        if (!component.isOnPath) continue
        for (const set of sets) {
          const features = FEATURE_SETS[set].of(core.math, component)
          if (features) labelled[set].push({ features, isCritical: critical.has(component.instance) })
        }
      }
    }
  }
  return labelled
}

const SAMPLED = 10 // of the requests, which a tracing system often keeps

/** A profile for each type of requests, one for all and one for a sample of all. */
class Views {
  #types

  constructor(graph) {
    this.#types = new Map(graph.requests.map(({ name }, type) => [name, type]))
    this.profiles = Array.from({ length: graph.requests.length + 2 }, () => new Profile())
    this.added = 0
  }

  add(path) {
    const { names, operation, root } = path.trace
    const type = this.#types.get(names.text(operation[root]))
    if (type !== undefined) this.profiles[type].add(path) // else a call straight to a service, of a surge
    this.profiles.at(-2).add(path)
    if (this.added++ % SAMPLED === 0) this.profiles.at(-1).add(path)
  }
}
