// What is done: an agent that chooses among moves when somebody is named, the rule's among them.
import { createRegressor } from '@trimtab/learn'
import { CULPRIT_OBSERVATION, encodeCulprit, nameAll } from '@trimtab/tasks/microservices'
import { defaultRule, namersOf } from './rule.mjs'
import { applicationOf, core, lifeOf, livesOf, singleAt } from './runs.mjs'
import { bestOf } from './trial.mjs'

const [RULE, REPLACE, LEAVE] = ['rule', 'replace', 'leave']
/** Limits that no machine has room for become a replica (3.2.5). */
export const SCALE_OUT = 'scale out'
/** As the rule does; the same, and a successor or a sister at once; nothing. */
const MOVES = [RULE, REPLACE, SCALE_OUT, LEAVE]
const FORGIVEN_SECONDS = 3 // unnamed: what comes then is another story
const SISTER_SECONDS = 16 // after its service was named last, a sister goes again
const FEATURES = [...CULPRIT_OBSERVATION.names, 'busy', 'waiting', 'replicas', 'busyOfOthers', 'isByTraces']

/** The rule, but for what else is done, or not, about whoever is named anew. @param choose  (features) → one of MOVES */
export class MovesPolicy {
  name = 'moves'
  #setup
  #namers
  #choose
  #rule
  /** Of those named of late: the move that was chosen, and when they were named last. */
  #spells = new Map()
  /** Until when a service keeps its sister. */
  #sisters = new Map()
  #acted = []
  #before = new Map()

  constructor(setup, choose) {
    this.#setup = setup
    this.#namers = namersOf(setup)
    this.#choose = choose
    this.#rule = defaultRule(setup, [() => this.#acted])
  }

  decide(window) {
    const { instances, toSecond: second } = window.telemetry
    const orders = []
    this.#acted = nameAll(this.#namers, window).filter((named) => {
      const instance = instances.find(({ name }) => name === named.instance)
      const known = this.#spells.get(named.instance)
      const isNew = !known || second - known.second > FORGIVEN_SECONDS
      const move = isNew ? this.#choose(this.#featuresOf(instance, named, instances)) : known.move
      this.#spells.set(named.instance, { move, second })
      if (isNew && move === REPLACE) orders.push({ kind: 'replace', ...named })
      if (move === SCALE_OUT) orders.push(...this.#sisterOf(instance.service, { second, because: named.because }))
      return move !== LEAVE
    })
    this.#before = new Map(instances.map((one) => [one.name, one]))
    return [...this.#rule.decide(window), ...orders, ...this.#scaleIn(second)]
  }

  #sisterOf(service, { second, because }) {
    const isThere = this.#sisters.has(service)
    this.#sisters.set(service, second + SISTER_SECONDS)
    return isThere ? [] : [{ kind: 'scale', service, replicas: this.#replicasOf(service) + 1, because }]
  }

  #scaleIn(second) {
    const over = [...this.#sisters].flatMap(([service, until]) => (second >= until ? [service] : []))
    for (const service of over) this.#sisters.delete(service)
    return over.map((service) => ({
      ...{ kind: 'scale', service, replicas: this.#replicasOf(service), because: 'calm' },
    }))
  }

  #replicasOf = (service) => this.#setup.graph.services.find(({ name }) => name === service).replicas

  #featuresOf(now, { because }, instances) {
    const features = new Float32Array(FEATURES.length)
    const p99OverSlo = because.p99OverSlo ?? 1
    encodeCulprit({ now, before: this.#before.get(now.name), p99OverSlo }, features)
    const others = instances.filter((one) => one !== now && one.service === now.service && one.state === 'serving')
    const busy = others.reduce((sum, { busy01 }) => sum + busy01, 0) / Math.max(1, others.length)
    const { busy01, meanWaiting } = now
    const more = [busy01, meanWaiting / (1 + meanWaiting), 1 / (1 + others.length), busy, because.request ? 1 : 0]
    features.set(more, CULPRIT_OBSERVATION.names.length)
    return features
  }
}

/** One life under one move: who is named in the time of each anomaly, and what part of the requests of that time was late. */
async function watch(spec, move) {
  const { slosMs } = applicationOf(spec.app)
  const [seen, ended, late] = [[], [], []]
  const makePolicy = (setup) =>
    new MovesPolicy(setup, (features) => {
      seen.push({ at: singleAt(setup.simulated.simulator.nowSeconds), features })
      return move
    })
  for await (const { latest } of lifeOf(spec, makePolicy)) {
    const at = singleAt(latest.fromSecond)
    for (const { name, latenciesMs } of latest.requests) {
      ended[at] = (ended[at] ?? 0) + latenciesMs.length
      late[at] = (late[at] ?? 0) + latenciesMs.filter((ms) => ms > slosMs.get(name)).length
    }
  }
  return { seen, late: late.map((count, at) => count / ended[at]) }
}

/** Everyone's features, and what each move brought beyond the rule: points of late requests in the time of the anomaly. */
async function rowsOf(spec) {
  const lives = []
  for (const move of MOVES) lives.push(await watch({ ...spec, campaign: 'singles' }, move))
  const [byRule, ...others] = lives
  return byRule.seen
    .filter(({ at }) => byRule.late[at] !== undefined)
    .map(({ at, features }) => ({
      x: features,
      y: others.map(({ late }) => Math.max(-10, Math.min(10, 100 * (late[at] - byRule.late[at])))),
    }))
}

const chooserOf = (learned) => {
  if (!learned) return () => RULE
  const regressor = createRegressor(core, SETUP)
  regressor.load(learned)
  const added = new Float32Array(MOVES.length - 1)
  return (features) => {
    regressor.predict(features, added)
    const best = added.indexOf(Math.min(...added))
    return added[best] < 0 ? MOVES[1 + best] : RULE
  }
}

/** The rule where nothing was learned that is better. @param setup.learned  of `learnMoves` */
export const movesPolicy = (setup) => new MovesPolicy(setup, chooserOf(setup.learned))

const SETUP = {
  features: FEATURES,
  outputs: MOVES.slice(1),
  options: { hidden: [16], loss: 'huber', weightDecay: 1e-3, epochs: 100 },
  seed: 0,
}
const TRAINING_SEED = 60_000 // of campaigns: none is judged on

/**
 * The same anomalies and requests are lived through once with each move; a network learns from the moment of naming by how many points
 * of late requests each differs from the rule.
 * @returns the network; undefined: it is not better than the rule by more than a standard error
 */
export async function learnMoves({ apps, seed, seconds, campaigns }) {
  const from = TRAINING_SEED + 100 * seed
  const livesFrom = (first, count) => livesOf({ apps, seconds, first, count })
  const rows = []
  for (const spec of livesFrom(from, campaigns.moves)) rows.push(...(await rowsOf(spec)))
  const regressor = createRegressor(core, { ...SETUP, seed })
  const flat = (name) => Float32Array.from(rows.flatMap((row) => [...row[name]]))
  if (rows.length > 0) regressor.fit(flat('x'), flat('y'))
  const file = regressor.save()
  regressor.dispose()
  return bestOf([file], livesFrom(from + 50, campaigns.trial), (setup, learned) => movesPolicy({ ...setup, learned }))
}
