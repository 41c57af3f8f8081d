// When something is done: a network names those whom traces are going to name, from what their own counters show.
import { createRegressor } from '@trimtab/learn'
import { byOwnQueue, byTraces, MicroserviceSimulator, NO_MITIGATION, RESOURCES } from '@trimtab/tasks/microservices'
import { defaultRule, localiserOf, namersOf } from './rule.mjs'
import { campaignOf, core, lifeOf, livesOf } from './runs.mjs'
import { bestOf } from './trial.mjs'

const AHEAD = 2 // windows in which whoever is named then is to be named now
const THRESHOLDS = [0.4, 0.6, 0.8]
const REST = 20 // one of so many of those that nobody names is learned from
const USUAL = { seed: 1_000_000, seconds: 30 }
const MOST = 4
const SCALES = ['workMs', 'sojournMs', 'arrivals']
const FEATURES = [
  ...['busy', 'waiting', ...SCALES.map((name) => `${name}OverUsual`), ...RESOURCES.map((name) => `${name}Utilisation`)],
  ...['busyBefore', 'waitingBefore', 'workMsBefore'],
]

/** What a replica's visits take of a worker and from arrival to response, and how many come. */
const pulse = ({ busy01, workers, served, meanSojournMs, arrivals }) => ({
  workMs: served > 0 ? (1000 * busy01 * workers) / served : 0, // of a second
  sojournMs: Number.isFinite(meanSojournMs) ? meanSojournMs : 0,
  arrivals,
})

const usualPulses = new Map()

/** The same of each service when nothing is wrong, a replica and a second. */
function usualPulsesOf(graph) {
  if (!usualPulses.has(graph.name)) {
    const simulator = new MicroserviceSimulator(core, graph, { seed: USUAL.seed })
    simulator.run(USUAL.seconds)
    const { instances } = simulator.collect()
    const pulses = instances.map((one) => {
      const { workMs, sojournMs, arrivals } = pulse(one)
      const a = arrivals / USUAL.seconds
      return [one.service, { workMs: workMs * USUAL.seconds, sojournMs, arrivals: a }]
    })
    simulator.dispose()
    usualPulses.set(graph.name, new Map(pulses))
  }
  return usualPulses.get(graph.name)
}

/** Looks at every replica in every window. */
class Watcher {
  #usual
  #namers
  #before = new Map()

  constructor(setup) {
    this.#usual = usualPulsesOf(setup.graph)
    this.#namers = [byTraces(localiserOf(setup)), byOwnQueue]
  }

  /** @returns each serving replica's name, features and whether the rule names it */
  look(window) {
    const [byTrace, byQueue] = this.#namers.map((namer) => new Set(namer(window).map(({ instance }) => instance)))
    const serving = window.telemetry.instances.filter(({ state }) => state === 'serving')
    const looks = serving.map((one) => {
      const usual = this.#usual.get(one.service)
      const now = pulse(one)
      const [work, sojourn, arrivals] = SCALES.map((name) => Math.min(MOST, now[name] / Math.max(1e-3, usual[name])))
      const waiting = one.meanWaiting / (1 + one.meanWaiting)
      const current = [one.busy01, waiting, work]
      const before = this.#before.get(one.name) ?? current
      this.#before.set(one.name, current)
      const isNamed = byTrace.has(one.name) || byQueue.has(one.name)
      const used = RESOURCES.map((resource) => one.utilisation01[resource])
      const x = Float32Array.from([one.busy01, waiting, work, sojourn, arrivals, ...used, ...before])
      return { instance: one.name, x, isNamed }
    })
    return looks
  }
}

/** Life without control: what every replica showed, and whether it was struck and named within the next windows. */
async function rowsOf(spec) {
  const { anomalies } = campaignOf(spec)
  const isStruck = (instance, second) =>
    anomalies.some(
      ({ target, startSeconds, durationSeconds }) =>
        instance === `${target.service}-${target.replica}` &&
        startSeconds < second &&
        second < startSeconds + durationSeconds,
    )
  let watcher
  const history = []
  const makePolicy = (setup) => {
    watcher = new Watcher(setup)
    return NO_MITIGATION
  }
  for await (const { window } of lifeOf(spec, makePolicy))
    history.push({ second: window.telemetry.toSecond, looks: watcher.look(window) })
  return history.slice(0, -AHEAD).flatMap(({ second, looks }, at) =>
    looks.flatMap(({ instance, x, isNamed }, i) => {
      if (isNamed) return [] // the rule knows already
      const later = history.slice(at + 1, at + 1 + AHEAD)
      const isNamedThen =
        isStruck(instance, second) &&
        later.some((next) => next.looks.some((one) => one.instance === instance && one.isNamed))
      return isNamedThen || (at + i) % REST === 0 ? [{ x, y: isNamedThen ? 1 : 0 }] : []
    }),
  )
}

/** The rule, triggered by foresight too; the rule alone where that is not better. @param setup.learned  of `learnForesight` */
export function foresightPolicy(setup) {
  const { learned } = setup
  if (!learned) return defaultRule(setup)
  const watcher = new Watcher(setup)
  const regressor = createRegressor(core, SETUP)
  regressor.load(learned.network)
  let foreseen = new Set()
  const byForesight = (window) => {
    const sure = watcher
      .look(window)
      .filter(({ x, isNamed }) => !isNamed && regressor.predict(x)[0] > learned.threshold)
    foreseen = new Set(sure.map(({ instance }) => instance))
    return sure.map(({ instance }) => ({ instance, because: 'queue' }))
  }
  const rule = defaultRule(setup, [...namersOf(setup), byForesight])
  // whoever is only foreseen is raised, not replaced: a successor would have its limits yet to come
  const isMeant = ({ kind, instance }) => kind !== 'replace' || !foreseen.has(instance)
  return { name: 'foresight', decide: (window) => rule.decide(window).filter(isMeant) }
}

const SETUP = {
  features: FEATURES,
  options: { hidden: [32], loss: 'mse', weightDecay: 1e-4, epochs: 60 },
  seed: 0,
}
const TRAINING_SEED = 70_000 // of campaigns: none is judged on

/**
 * Learns from watching an application that nobody mitigates; how sure one must be to act is chosen by trial.
 * @returns network and threshold; undefined: no threshold is better than the rule by more than a standard error
 */
export async function learnForesight({ apps, seed, seconds, campaigns }) {
  const from = TRAINING_SEED + 100 * seed
  const livesFrom = (first, count) => livesOf({ apps, seconds, first, count })
  const rows = []
  for (const spec of livesFrom(from, campaigns.foresight)) rows.push(...(await rowsOf(spec)))
  const regressor = createRegressor(core, { ...SETUP, seed })
  regressor.fit(
    Float32Array.from(rows.flatMap(({ x }) => [...x])),
    Float32Array.from(rows, ({ y }) => y),
  )
  const network = regressor.save()
  regressor.dispose()
  const candidates = THRESHOLDS.map((threshold) => ({ network, threshold }))
  return bestOf(candidates, livesFrom(from + 50, campaigns.trial), (setup, learned) =>
    foresightPolicy({ ...setup, learned }),
  )
}
