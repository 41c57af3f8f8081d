// Job of the worker pool: simulate a campaign, judge nothing, measure everything.
import { createCore } from '@trimtab/core'
import {
  createPreset,
  faultFreeSlosMs,
  generateGraph,
  generateSingleCampaign,
  generateWindowCampaign,
  groundTruth,
  MicroserviceSimulator,
} from '@trimtab/tasks'
import { FEATURE_SETS, measureComponents, PathFinder, Profile } from '@trimtab/trace'

const REFERENCE_SECONDS = 60
const WARM_UP_SECONDS = 5
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a judged one

let core

/**
 * Everything about the components of the windows in which an SLO is broken.
 * @param input  { graph: preset name or 'random', graphSeed, campaign: 'several' | 'single', size: windows | anomalies of a
 *   kind, seed }
 * @returns { graph, services, instances, windows: [{ window, request, p99Ms, sloMs, kinds, components, unjudged }], … };
 *   `unjudged`: responsible instances on no critical path of the window, which Algorithm 3.2 never looks at
 */
export async function collect({ graph: kind, graphSeed, campaign: style, size, seed }) {
  core ??= await createCore()
  const graph = kind === 'random' ? generateGraph(core, graphSeed) : createPreset(core, kind, graphSeed)
  const slosMs = faultFreeSlosMs(core, graph, { seed: REFERENCE_SEED + seed })
  const campaign =
    style === 'single'
      ? generateSingleCampaign(core, graph, { seed, slosMs, perKind: size })
      : generateWindowCampaign(core, graph, { seed, windows: size })
  const last = Math.max(
    ...campaign.anomalies.map(({ startSeconds, durationSeconds }) => startSeconds + durationSeconds),
  )
  const profiles = []
  const finder = new PathFinder(core)
  const typeOf = typeNumbers(graph)
  const truths = groundTruth(core, graph, campaign, {
    seed,
    slosMs,
    windows: Math.round(last / 10),
    onTrace(trace, window) {
      const type = typeOf(trace)
      if (type === undefined) return // a call straight to a service, of a surge
      profiles[window] ??= graph.requests.map(() => new Profile())
      profiles[window][type].add(finder.find(trace))
    },
  })
  const reference = referenceOf(graph, finder, REFERENCE_SEED + seed)
  finder.dispose()
  const windows = truths.flatMap((truth) =>
    graph.requests.flatMap(({ name }, type) => {
      if (truth.isViolated[type] === 0 || !truth.anomalies.some(({ isActive }) => isActive)) return []
      const profile = profiles[truth.window][type]
      return [{ request: name, sloMs: slosMs[type], ...windowOf(truth, type, profile, reference[type], campaign) }]
    }),
  )
  return {
    graph: graph.name,
    services: graph.services.length,
    instances: graph.services.reduce((sum, { replicas }) => sum + replicas, 0),
    anomalies: campaign.anomalies.length,
    requestWindows: graph.requests.length * truths.filter(({ anomalies }) => anomalies.some((a) => a.isActive)).length,
    windows,
  }
}

/** The request type of a trace; undefined for traces of no type. */
function typeNumbers(graph) {
  const numbers = new Map(graph.requests.map(({ name }, type) => [name, type]))
  return ({ names, operation, root }) => numbers.get(names.text(operation[root]))
}

/** What is usual: a profile for each type of requests, of a run in which nothing is wrong. */
function referenceOf(graph, finder, seed) {
  const profiles = graph.requests.map(() => new Profile())
  const typeOf = typeNumbers(graph)
  const simulator = new MicroserviceSimulator(core, graph, { seed })
  simulator.run(WARM_UP_SECONDS)
  simulator.run(WARM_UP_SECONDS + REFERENCE_SECONDS, (trace) => profiles[typeOf(trace)].add(finder.find(trace)))
  simulator.dispose()
  return profiles
}

function windowOf({ window, p99Ms, anomalies }, type, profile, reference, campaign) {
  const active = anomalies.filter(({ isActive }) => isActive)
  const injected = new Set(active.flatMap(({ instances }) => instances))
  const responsible = new Set(anomalies.flatMap((a) => (a.isResponsible[type] ? a.instances : [])))
  const onPath = measureComponents(core, profile, reference).filter(({ isOnPath }) => isOnPath)
  return {
    window,
    p99Ms: p99Ms[type],
    kinds: [...new Set(active.map(({ index }) => campaign.anomalies[index].kind))],
    components: onPath.map((component) => ({
      instance: component.instance,
      features: Object.fromEntries(
        Object.entries(FEATURE_SETS).map(([name, set]) => [name, set.of(core.math, component)]),
      ),
      tailOverMedian: component.congestionIntensity?.value ?? 0,
      correlation: component.relativeImportance.value,
      growth: component.change?.mean ?? 0,
      addedShare: component.change?.addedShare ?? 0,
      isInjected: injected.has(component.instance),
      isResponsible: responsible.has(component.instance),
    })),
    unjudged: [...responsible].filter((instance) => !onPath.some((component) => component.instance === instance)),
  }
}
