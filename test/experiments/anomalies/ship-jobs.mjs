// Job of the worker pool: the labelled components of a campaign, as a user's windows would show them.

import {
  faultFreeSlosMs,
  generateGraph,
  generateSingleCampaign,
  generateWindowCampaign,
  groundTruth,
  MicroserviceSimulator,
} from '@trimtab/tasks/microservices'
import { createTraceCore, FEATURE_SETS, measureComponents, PathFinder, Profile } from '@trimtab/trace'

const WINDOW_SECONDS = 10
const REFERENCE_SECONDS = 60
const WARM_UP_SECONDS = 5
const MIN_REQUESTS = 3 // as criticalComponents() has it
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a campaign

let core

/**
 * Components on the critical paths of every window, broken SLO or not: of each type of requests alone and of all
 * together, whole and sampled, for windows come in all these kinds.
 * @param input  { seed, campaign: 'several' | 'single', size: windows | anomalies of a kind }
 * @returns for each feature set { features, isCritical }[]; critical is what was responsible for a broken SLO
 */
export async function label({ seed, campaign: style, size }) {
  core ??= await createTraceCore()
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
  /** [windows] measured components of each view, as soon as the window is over */
  const measured = []
  let views = new Views(graph)
  const measureUpTo = (window) => {
    while (measured.length < window) {
      measured.push(views.profiles.map((profile, i) => measure(profile, reference.profiles[i % views.kinds])))
      views = new Views(graph)
    }
  }
  const windows = Math.round(last / WINDOW_SECONDS)
  const truths = groundTruth(core, graph, campaign, {
    seed,
    slosMs,
    windows,
    onTrace(trace, window) {
      measureUpTo(window)
      views.add(finder.find(trace))
    },
  })
  measureUpTo(windows)
  finder.dispose()
  const labelled = Object.fromEntries(SETS.map((set) => [set, []]))
  for (const { window, anomalies } of truths) {
    for (const [i, components] of measured[window].entries()) {
      const type = i % views.kinds
      const isToBlame = ({ isResponsible }) =>
        type < graph.requests.length ? isResponsible[type] : isResponsible.includes(1)
      const critical = new Set(anomalies.filter(isToBlame).flatMap(({ instances }) => instances))
      for (const { instance, features } of components) {
        for (const set of SETS) {
          if (features[set]) labelled[set].push({ features: features[set], isCritical: critical.has(instance) })
        }
      }
    }
  }
  return labelled
}

const SETS = ['window', 'reference']

/** { instance, features } of what can be judged. */
function measure(profile, reference) {
  return measureComponents(core, profile, reference)
    .filter(({ isOnPath, requests }) => isOnPath && requests >= MIN_REQUESTS)
    .map((component) => ({
      instance: component.instance,
      features: Object.fromEntries(SETS.map((set) => [set, FEATURE_SETS[set].of(core.math, component)])),
    }))
}

const SAMPLED = 10 // one in so many requests, which is what tracing systems often keep

/** Profiles of each type of requests and of all together, whole and of a sample. */
class Views {
  #types
  #added = 0

  constructor(graph) {
    this.#types = new Map(graph.requests.map(({ name }, type) => [name, type]))
    this.kinds = graph.requests.length + 1
    /** [kinds] of everything, then of the sample: each type of requests, last all of them. */
    this.profiles = Array.from({ length: 2 * this.kinds }, () => new Profile())
  }

  add(path) {
    const { names, operation, root } = path.trace
    const type = this.#types.get(names.text(operation[root])) // undefined for a call straight to a service, of a surge
    const isSampled = this.#added++ % SAMPLED === 0
    for (const first of isSampled ? [0, this.kinds] : [0]) {
      if (type !== undefined) this.profiles[first + type].add(path)
      this.profiles[first + this.kinds - 1].add(path)
    }
  }
}
