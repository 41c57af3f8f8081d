// What a ranking may be made of: which kinds of evidence, in which scale, with which weights. Chosen on some incidents, judged
// on others.
import { EVIDENCE } from '@trimtab/trace'

const SCALES = {
  'ln(1 + z²)': ({ log }, z) => log(1 + z * z),
  'ln(1 + z)': ({ log }, z) => log(1 + z),
  'z, at most 8': (_, z) => Math.min(z, 8),
}

/** As `rankCulprits` does it. */
export const SHIPPED = { kinds: EVIDENCE, scale: 'ln(1 + z²)', isFitted: false }

const inEveryScale = (kinds, isFitted) => Object.keys(SCALES).map((scale) => ({ kinds, scale, isFitted }))

/** All kinds, equal weights. */
const PLAIN = inEveryScale(EVIDENCE, false)
/** Every set of kinds with equal weights, fewer kinds first; all kinds with fitted ones, which may leave some with next to none. */
const ANY = [
  ...Array.from({ length: 2 ** EVIDENCE.length - 1 }, (_, i) => EVIDENCE.filter((_, kind) => ((i + 1) >> kind) & 1))
    .sort((a, b) => a.length - b.length)
    .flatMap((kinds) => inEveryScale(kinds, false)),
  ...inEveryScale(EVIDENCE, true),
]

export const shapeText = ({ kinds, scale, isFitted }) =>
  `${kinds.join(' + ')}, ${scale}, ${isFitted ? 'fitted' : 'equal'} weights`

/** The services of an incident, worst first; equals by name. */
export function rankBy(core, { kinds, scale }, weights, { culprits }) {
  const scoreOf = ({ evidence }) =>
    kinds.reduce((sum, kind, i) => sum + weights[i] * SCALES[scale](core.math, evidence[kind]), 0)
  return culprits
    .map((culprit) => ({ service: culprit.service, score: scoreOf(culprit) }))
    .sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1))
    .map(({ service }) => service)
}

const STEPS = 300
const RATE = 0.1
const SHRINKAGE = 0.3

/**
 * Weights of a shape: equal, or by the likelihood of the true culprit among all services of its incident (conditional logit),
 * shrunk towards equal ones; none is negative.
 */
export function weightsOf(core, { kinds, scale, isFitted }, incidents) {
  const weights = kinds.map(() => 1)
  if (!isFitted) return weights
  const { math } = core
  const examples = incidents
    .map(({ service, culprits }) => ({
      rows: culprits.map(({ evidence }) => kinds.map((kind) => SCALES[scale](math, evidence[kind]))),
      truth: culprits.findIndex((culprit) => culprit.service === service),
    }))
    .filter(({ truth }) => truth >= 0)
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight) => SHRINKAGE * (weight - 1))
    for (const { rows, truth } of examples) {
      const scores = rows.map((row) => row.reduce((sum, value, kind) => sum + value * weights[kind], 0))
      const highest = Math.max(...scores)
      const odds = scores.map((score) => math.exp(score - highest))
      const all = odds.reduce((sum, one) => sum + one, 0)
      for (const kind of kinds.keys()) {
        const expected = rows.reduce((sum, row, i) => sum + (odds[i] / all) * row[kind], 0)
        slope[kind] += (expected - rows[truth][kind]) / examples.length
      }
    }
    for (const kind of kinds.keys()) weights[kind] = Math.max(0, weights[kind] - RATE * slope[kind])
  }
  return weights
}

export const FOLDS = 5

/** The k-th of `FOLDS` parts of a list, and the rest. */
export const foldOf = (list, k) => ({
  part: list.filter((_, i) => i % FOLDS === k),
  rest: list.filter((_, i) => i % FOLDS !== k),
})

const sum = (values) => values.reduce((total, value) => total + value, 0)

/** 1 / rank of each incident's culprit, by weights that were fitted without the incident. */
function reciprocals(core, shape, incidents) {
  const worth = new Array(incidents.length)
  for (let k = 0; k < FOLDS; k++) {
    const weights = weightsOf(core, shape, foldOf(incidents, k).rest)
    for (let i = k; i < incidents.length; i += FOLDS) {
      const place = rankBy(core, shape, weights, incidents[i]).indexOf(incidents[i].service)
      worth[i] = place < 0 ? 0 : 1 / (place + 1)
    }
  }
  return worth
}

/** The shape with the best mean 1 / rank, of equals the first; `worth`: its 1 / rank of each incident. */
const best = (core, shapes, incidents) =>
  shapes
    .map((shape) => ({ shape, worth: reciprocals(core, shape, incidents) }))
    .reduce((a, b) => (sum(b.worth) > sum(a.worth) + 1e-9 ? b : a))

/** The best shape there is, be its lead chance or not. */
export const bestShape = (core, incidents) => best(core, ANY, incidents).shape

/** All kinds with equal weights, unless something else is better by more than one standard error of the difference. */
export function chooseShape(core, incidents) {
  const [plain, any] = [PLAIN, ANY].map((shapes) => best(core, shapes, incidents))
  const lead = any.worth.map((worth, i) => worth - plain.worth[i])
  const mean = sum(lead) / lead.length
  const deviation = Math.sqrt(sum(lead.map((one) => (one - mean) ** 2)) / (lead.length - 1))
  return mean > deviation / Math.sqrt(lead.length) ? any.shape : plain.shape
}
