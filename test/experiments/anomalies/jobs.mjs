// Job of the worker pool: simulate a campaign, judge nothing, measure everything.

import {
  createPreset,
  faultFreeSlosMs,
  generateGraph,
  generateSingleCampaign,
  generateWindowCampaign,
  groundTruth,
  MicroserviceSimulator,
} from '@trimtab/tasks/microservices'
import { createTraceCore, criticalComponents, FEATURE_SETS, PathFinder, Profile } from '@trimtab/trace'
import { scoreOfVerdict } from './judge.mjs'

const REFERENCE_SECONDS = 60
const WARM_UP_SECONDS = 5
const REFERENCE_SEED = 1_000_000 // so that no reference run has the requests of a judged one

let core

/** Of the traces, which a tracing system keeps in the scope `sampled`. */
const SAMPLED = 10

/**
 * Everything about the components of the windows in which an SLO is broken.
 * @param input  { graph: preset name or 'random', graphSeed, campaign: 'several' | 'single', size: windows | anomalies of a
 *   kind, seed }
 * @returns { graph, services, instances, …, views: [{ scope, window, request, kinds, components, unjudged }] }
 *   `scope`: `path` (the requests of a type whose SLO is broken: what Algorithm 3.2 is given), `sampled` (one in ten of
 *   them), `window` (all requests of a window in which some SLO is broken); `unjudged`: responsible instances on no
 *   critical path there, which Algorithm 3.2 never looks at
 */
export async function collect({ graph: kind, graphSeed, campaign: style, size, seed }) {
  core ??= await createTraceCore()
  const graph = kind === 'random' ? generateGraph(core, graphSeed) : createPreset(core, kind, graphSeed)
  const slosMs = faultFreeSlosMs(core, graph, { seed: REFERENCE_SEED + seed })
  const campaign =
    style === 'single'
      ? generateSingleCampaign(core, graph, { seed, slosMs, perKind: size })
      : generateWindowCampaign(core, graph, { seed, windows: size })
  const ends = campaign.anomalies.map(({ startSeconds, durationSeconds }) => startSeconds + durationSeconds)
  const windows = Math.round(Math.max(...ends) / 10)
  const finder = new PathFinder(core)
  const profiles = Array.from({ length: windows }, () => new TypedProfiles(graph, finder))
  const onTrace = (trace, window) => profiles[window].add(trace)
  const truths = groundTruth(core, graph, campaign, { seed, slosMs, windows, onTrace })
  const reference = referenceOf(graph, finder, REFERENCE_SEED + seed)
  finder.dispose()

  const disturbed = truths.filter(({ anomalies }) => anomalies.some(({ isActive }) => isActive))
  const broken = disturbed.filter(({ isViolated }) => isViolated.includes(1))
  const views = broken.flatMap((truth) => {
    const now = profiles[truth.window]
    const violated = graph.requests.flatMap((_, type) => (truth.isViolated[type] === 1 ? [type] : []))
    const view = (scope, types, profile, usual) => ({
      scope,
      window: truth.window,
      request: scope === 'window' ? '*' : graph.requests[types[0]].name,
      kinds: [...new Set(truth.anomalies.flatMap((a) => (a.isActive ? [campaign.anomalies[a.index].kind] : [])))],
      ...componentsOf(truth, types, profile, usual),
    })
    return [
      ...violated.map((type) => view('path', [type], now.types[type], reference.types[type])),
      ...violated.map((type) => view('sampled', [type], now.sampled[type], reference.sampled[type])),
      view('window', violated, now.all(), reference.all()),
    ]
  })
  return {
    graph: graph.name,
    services: graph.services.length,
    instances: graph.services.reduce((sum, { replicas }) => sum + replicas, 0),
    disturbedWindows: disturbed.length,
    disturbedPaths: disturbed.length * graph.requests.length,
    nobodyResponsible: broken.flatMap(({ isViolated, anomalies }) =>
      [...isViolated].filter((is, type) => is === 1 && !anomalies.some((a) => a.isResponsible[type])),
    ).length,
    views,
  }
}

/** The requests of each type, and one in ten of them. */
class TypedProfiles {
  #finder
  #numbers

  constructor(graph, finder) {
    this.#finder = finder
    this.#numbers = new Map(graph.requests.map(({ name }, type) => [name, type]))
    this.types = graph.requests.map(() => new Profile())
    this.sampled = graph.requests.map(() => new Profile())
  }

  add(trace) {
    const type = this.#numbers.get(trace.names.text(trace.operation[trace.root]))
    if (type === undefined) return // a call straight to a service, of a surge
    const path = this.#finder.find(trace)
    this.types[type].add(path)
    if (Number(BigInt(`0x${trace.traceId}`) % BigInt(SAMPLED)) === 0) this.sampled[type].add(path)
  }

  all() {
    const profile = new Profile()
    for (const part of this.types) profile.merge(part)
    return profile
  }
}

/** What is usual: the same application with other requests and nothing wrong. */
function referenceOf(graph, finder, seed) {
  const profiles = new TypedProfiles(graph, finder)
  const simulator = new MicroserviceSimulator(core, graph, { seed })
  simulator.run(WARM_UP_SECONDS)
  simulator.run(WARM_UP_SECONDS + REFERENCE_SECONDS, (trace) => profiles.add(trace))
  simulator.dispose()
  return profiles
}

/** @param types  whose broken SLO somebody is responsible for */
function componentsOf({ anomalies }, types, profile, reference) {
  const instancesWhere = (holds) => new Set(anomalies.filter(holds).flatMap(({ instances }) => instances))
  const injected = instancesWhere(({ isActive }) => isActive)
  const responsible = instancesWhere(({ isResponsible }) => types.some((type) => isResponsible[type] === 1))
  const onPath = criticalComponents(profile, { core, reference }).components.filter(({ isOnPath }) => isOnPath)
  const windowOnly = new Map(criticalComponents(profile, { core }).components.map((one) => [one.instance, one.verdict]))
  return {
    components: onPath.map((component) => ({
      instance: component.instance,
      features: Object.fromEntries(
        Object.entries(FEATURE_SETS).map(([name, { of }]) => [name, of(core.math, component)]),
      ),
      tailOverMedian: component.congestionIntensity?.value ?? 0,
      correlation: component.relativeImportance.value,
      growth: component.change?.mean ?? 0,
      addedShare: component.change?.addedShare ?? 0,
      shipped: scoreOfVerdict(component.verdict),
      shippedWindowOnly: scoreOfVerdict(windowOnly.get(component.instance)),
      isInjected: injected.has(component.instance),
      isResponsible: responsible.has(component.instance),
    })),
    unjudged: [...responsible].filter((instance) => !onPath.some((component) => component.instance === instance)),
  }
}
