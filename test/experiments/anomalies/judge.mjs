// Learns from some windows, judges others, beside what simple rules would have said.
//
// A pair is a component on the critical path of one type of requests in one window in which that type's SLO is broken:
// what Algorithm 3.2 decides about. Labels are 'isResponsible' (what really broke the SLO) or 'isInjected' (FIRM's).
import { Random } from '@trimtab/core'
import { areaUnder, CriticalComponentClassifier, pointAt, rocCurve } from '@trimtab/trace'

const EPOCHS = 20
export const FALSE_POSITIVE_RATE = 0.14

/** What the SVM looks at, by the name of the method. */
const SVMS = { 'SVM, with reference': 'reference', 'SVM, window only': 'window', 'SVM, RI and CI': 'paper' }

/** How suspicious a rule finds a component. */
const RULES = {
  'added time on the path': ({ addedShare }) => addedShare,
  'growth of own time': ({ growth }) => growth,
  RI: ({ correlation }) => correlation,
  'CI = p99/p50': ({ tailOverMedian }) => tailOverMedian,
  random: (_, random) => random.uniform(),
}

/** The classifiers that the package ships, with the borders they have. */
const SHIPPED = {
  'as shipped, with reference': ({ shipped }) => shipped,
  'as shipped, window only': ({ shippedWindowOnly }) => shippedWindowOnly,
}

export const METHODS = [...Object.keys(SVMS), ...Object.keys(SHIPPED), ...Object.keys(RULES)]
export const SVM_METHODS = Object.keys(SVMS)

const CRITICAL = 1000
const UNKNOWN = -1000 // what cannot be measured is not called critical

/** A verdict as one number: above `CRITICAL` where it says so. */
export const scoreOfVerdict = (verdict) => (verdict ? verdict.decision + (verdict.isCritical ? CRITICAL : 0) : UNKNOWN)

export function pairsOf(collections, scope = 'path') {
  return collections.flatMap(({ graph, views }, collection) =>
    views
      .filter((view) => view.scope === scope)
      .flatMap(({ window, request, kinds, components }) =>
        components.map((component) => ({ ...component, kinds, graph, path: `${collection}/${window}/${request}` })),
      ),
  )
}

/**
 * All methods, fitted: { method, score(pair), border, wished }. `border` is the score from which on a component is called
 * critical: for the SVM the one it has of itself, for rules the one with the fewest mistakes on `training`; `wished` is
 * the border for the wished false-positive rate, read off `heldOut`.
 */
export function fitMethods(core, { training, heldOut, label, seed }) {
  const svms = Object.entries(SVMS).map(([method, set]) => {
    const labelled = (pairs) =>
      pairs.flatMap(({ features, [label]: isCritical }) =>
        features[set] ? [{ features: features[set], isCritical }] : [],
      )
    const classifier = new CriticalComponentClassifier(core, { features: set, seed })
    classifier.learn(labelled(training), EPOCHS)
    const { operatingPoint } = classifier.calibrate(labelled(heldOut), FALSE_POSITIVE_RATE)
    const score = ({ features }) => (features[set] ? classifier.decide(features[set]).decision : UNKNOWN)
    return { method, score, border: 0, wished: operatingPoint.threshold, dispose: () => classifier.dispose() }
  })
  const random = new Random(core, seed)
  const borderAtWish = (score) => pointAt(rocCurve(scored(score, heldOut, label)), FALSE_POSITIVE_RATE).threshold
  const shipped = Object.entries(SHIPPED).map(([method, score]) => ({
    method,
    score,
    border: CRITICAL / 2,
    wished: borderAtWish(score),
  }))
  const rules = Object.entries(RULES).map(([method, rule]) => {
    const score = (pair) => rule(pair, random)
    return { method, score, border: bestBorder(scored(score, training, label)), wished: borderAtWish(score) }
  })
  return {
    methods: [...svms, ...shipped, ...rules],
    dispose() {
      for (const { dispose } of svms) dispose()
      random.dispose()
    },
  }
}

const scored = (score, pairs, label) => pairs.map((pair) => ({ score: score(pair), isPositive: pair[label] }))

/** The score that divides labelled ones with the fewest mistakes. */
function bestBorder(judged) {
  const positives = judged.filter(({ isPositive }) => isPositive).length
  const negatives = judged.length - positives
  let [border, fewest] = [Number.POSITIVE_INFINITY, positives]
  for (const { threshold, truePositiveRate, falsePositiveRate } of rocCurve(judged)) {
    const mistakes = (1 - truePositiveRate) * positives + falsePositiveRate * negatives
    if (mistakes < fewest) [border, fewest] = [threshold, mistakes]
  }
  return border
}

/** How a fitted method does on pairs. */
export function judge({ score, border, wished }, pairs, label) {
  const judged = scored(score, pairs, label)
  const curve = rocCurve(judged)
  return {
    curve,
    figures: {
      area: areaUnder(curve),
      truePositiveRate: pointAt(curve, FALSE_POSITIVE_RATE).truePositiveRate,
      ...ratesAt(judged, border),
      topRight: topRight(pairs, judged),
      wishedTruePositiveRate: ratesAt(judged, wished).truePositives,
      wishedFalsePositiveRate: ratesAt(judged, wished).falsePositives,
    },
  }
}

function ratesAt(judged, border) {
  const rate = (items, holds) => items.filter(holds).length / items.length
  const isCalled = ({ score }) => score >= border
  const positives = judged.filter(({ isPositive }) => isPositive)
  const negatives = judged.filter(({ isPositive }) => !isPositive)
  const [truePositives, falsePositives] = [rate(positives, isCalled), rate(negatives, isCalled)]
  return {
    accuracy: rate(judged, (one) => isCalled(one) === one.isPositive),
    balancedAccuracy: (truePositives + 1 - falsePositives) / 2,
    truePositives,
    falsePositives,
  }
}

/** How often the most suspicious component of a path is to blame, of the paths on which one is. */
function topRight(pairs, judged) {
  const tops = new Map()
  for (const [i, { path }] of pairs.entries()) {
    const { score, isPositive } = judged[i]
    const top = tops.get(path) ?? { score: Number.NEGATIVE_INFINITY, isRight: false, hasCulprit: false }
    if (score > top.score) Object.assign(top, { score, isRight: isPositive })
    top.hasCulprit ||= isPositive
    tops.set(path, top)
  }
  const solvable = [...tops.values()].filter(({ hasCulprit }) => hasCulprit)
  return solvable.filter(({ isRight }) => isRight).length / solvable.length
}
