// The designs that are compared. Each is fitted to rows and gives a score per row: where its answer will stand among those of
// its model. Scores of fitted rows come from fits that did not see their prompts; trees and classes are built on those.
import { LengthPredictor, predictRows, scoreLengths } from '@trimtab/serve'
import { fitNeighbours } from './neighbours.mjs'
import { fitRidge } from './ridge.mjs'
import { partOf, ranksOf } from './rows.mjs'
import { fitTrees } from './trees.mjs'
import { N_GRAMS } from './words.mjs'

export const DESIGNS = {
  model: 'mean length of the model',
  length: 'length of the prompt',
  ordinal: 'the served predictor, classes by its score',
  narrow: 'ridge on 2^14 hashed n-grams',
  wide: 'ridge on 2^18 hashed n-grams, gaps and places',
  trees: 'that first ridge and 54 counts in boosted trees',
  neighbours: '30 most similar prompts',
  pair: 'mean of served predictor and second ridge',
  mean: 'mean of served predictor, second ridge and trees',
}
const PENALTIES = [0.3, 1, 3]
const NEAR = 200 // fitted rows on either side of a score that say which classes it means

/** The predictor of the product, with its defaults where nothing else is said. */
export function fitPredictor(core, rows, { bits, epochs } = {}) {
  const predictor = new LengthPredictor(core, { bits })
  predictor.fit(rows, { epochs })
  return predictor
}

/** Share of pairs of one model that the scores put in the right order. */
export function orderOf(rows, scores) {
  const predicted = rows.map((example, i) => ({ example, trueClass: 0, class: 0, score: scores[i], tokens: 0 }))
  return scoreLengths(predicted).order
}

function ridge(grams, penalty, models) {
  const size = 2 ** N_GRAMS[grams].bits
  return (rows, targets) => {
    const columns = ({ seen, model }) => Int32Array.of(...seen[grams], size + models.indexOf(model))
    const value = fitRidge(rows.map(columns), targets, size + models.length, penalty)
    return (row) => value(columns(row))
  }
}

function neighbours(core) {
  return (rows, targets) => {
    const prompts = new Map()
    for (const [i, { seen }] of rows.entries()) {
      const values = prompts.get(seen)
      if (values) values.push(targets[i])
      else prompts.set(seen, [targets[i]])
    }
    const columns = [...prompts.keys()].map(({ wide }) => wide)
    const values = [...prompts.values()].map((of) => of.reduce((sum, value) => sum + value, 0) / of.length)
    const find = fitNeighbours(columns, values, 2 ** N_GRAMS.wide.bits, core.math.log)
    const found = new Map() // a prompt is asked once for each model
    return ({ seen }) => {
      if (!found.has(seen)) found.set(seen, find(seen.wide))
      return found.get(seen)
    }
  }
}

function ordinal(core) {
  return (rows) => {
    const predictor = fitPredictor(core, rows)
    return (row) => predictor.predict(row).score
  }
}

/** Scores of the fitted rows, each by a fit without its part. */
function heldOut(fit, rows, targets, parts) {
  const scores = new Float64Array(rows.length)
  for (let part = 0; part < parts; part++) {
    const kept = [...rows.keys()].filter((i) => partOf(rows[i], parts, 5) !== part)
    const score = fit(
      kept.map((i) => rows[i]),
      kept.map((i) => targets[i]),
    )
    for (const [i, row] of rows.entries()) if (partOf(row, parts, 5) === part) scores[i] = score(row)
  }
  return scores
}

/** Held-out scores of the fitted rows, and of `asked` by a fit to all. */
const crossFit = (fit, rows, targets, asked, parts) => ({
  own: heldOut(fit, rows, targets, parts),
  asked: asked.map(fit(rows, targets)),
})

/** The ridge whose penalty orders the fitted rows best. */
function bestRidge(grams, models, rows, targets, asked, parts) {
  const tried = PENALTIES.map((penalty) => {
    const fit = ridge(grams, penalty, models)
    const own = heldOut(fit, rows, targets, parts)
    return { penalty, fit, own, order: orderOf(rows, own) }
  })
  const { penalty, fit, own } = tried.reduce((best, one) => (one.order > best.order ? one : best))
  return { penalty, own, asked: asked.map(fit(rows, targets)) }
}

/** Trees see the counts, the model and the ridge's score of a row. */
function stackedTrees(models, rows, targets, asked, narrow, parts) {
  const input = (row, score) => ({ id: row.id, values: [...row.seen.counts, models.indexOf(row.model), score] })
  const fit = (inputs, values) => {
    const value = fitTrees(
      inputs.map((one) => one.values),
      values,
    )
    return (one) => value(one.values)
  }
  const own = rows.map((row, i) => input(row, narrow.own[i]))
  const others = asked.map((row, i) => input(row, narrow.asked[i]))
  return crossFit(fit, own, targets, others, parts)
}

/** Scores in deviations from their mean, added up. */
function averaged(designs) {
  const spread = ({ own }) => {
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length
    return { mean, deviation: Math.sqrt(own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length) }
  }
  const parts = designs.map((design) => ({ ...design, ...spread(design) }))
  const sum = (which) =>
    parts[0][which].map((_, i) =>
      parts.reduce((total, part) => total + (part[which][i] - part.mean) / part.deviation, 0),
    )
  return { own: sum('own'), asked: sum('asked') }
}

/** What a score means in classes: those of the fitted rows of about that score. @returns probabilities [5] of a score */
function classesByScore(scores, classes) {
  const order = [...scores.keys()].sort((a, b) => scores[a] - scores[b])
  const sorted = order.map((i) => scores[i])
  const countBelow = (isBelow) => {
    let low = 0
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >> 1
      if (isBelow(sorted[middle])) low = middle + 1
      else high = middle
    }
    return low
  }
  return (score) => {
    const [first, end] = [countBelow((one) => one < score), countBelow((one) => one <= score)]
    const near = order.slice(Math.max(0, first - NEAR), end + NEAR)
    const shares = [0, 0, 0, 0, 0]
    for (const i of near) shares[classes[i]] += 1 / near.length
    return shares
  }
}

/** Mean tokens of each class of each model, of the model's where a class has none. */
function meansOf(rows, classes) {
  const means = new Map()
  for (const model of new Set(rows.map((row) => row.model))) {
    const own = [...rows.keys()].filter((i) => rows[i].model === model)
    const mean = (of) => of.reduce((sum, i) => sum + rows[i].outputTokens, 0) / of.length
    const ofClass = (k) => own.filter((i) => classes[i] === k)
    means.set(
      model,
      [0, 1, 2, 3, 4].map((k) => mean(ofClass(k).length > 0 ? ofClass(k) : own)),
    )
  }
  return means
}

/** Which class to print of five probabilities. */
export const RULES = {
  mode: (p) => p.indexOf(Math.max(...p)),
  median: (p) => {
    let median = 0
    for (let sum = p[0]; sum < 0.5; sum += p[median]) median++
    return median
  },
  mean: (p) => Math.round(p.reduce((sum, share, k) => sum + k * share, 0)),
}

/** Every design fitted to `rows`, and by each rule what it says of `asked`: { served, designs: { name: { rule: predictions } } } */
export function judge(core, rows, asked, parts, progress) {
  const models = [...new Set(rows.map(({ model }) => model))]
  const targets = ranksOf(rows)
  const served = fitPredictor(core, rows)
  const [known, truth] = [rows, asked].map((of) => predictRows(served, of))
  served.dispose()
  const all = {
    model: { own: rows.map(() => 0), asked: asked.map(() => 0) },
    length: { own: rows.map(({ prompt }) => prompt.length), asked: asked.map(({ prompt }) => prompt.length) },
  }
  progress('ordinal')
  all.ordinal = crossFit(ordinal(core), rows, targets, asked, parts)
  progress('ridges')
  all.narrow = bestRidge('narrow', models, rows, targets, asked, parts)
  all.wide = bestRidge('wide', models, rows, targets, asked, parts)
  progress('trees')
  all.trees = stackedTrees(models, rows, targets, asked, all.narrow, parts)
  progress('neighbours')
  all.neighbours = crossFit(neighbours(core), rows, targets, asked, parts)
  all.pair = averaged([all.ordinal, all.wide])
  all.mean = averaged([all.ordinal, all.wide, all.trees])
  const trueClasses = known.map(({ trueClass }) => trueClass)
  const means = meansOf(rows, trueClasses)
  const designs = Object.fromEntries(
    Object.keys(DESIGNS).map((name) => {
      const sharesOf = classesByScore(all[name].own, trueClasses)
      const shares = all[name].asked.map(sharesOf)
      const tokens = truth.map(({ example }, i) =>
        shares[i].reduce((sum, share, k) => sum + share * means.get(example.model)[k], 0),
      )
      const said = (rule) =>
        truth.map((row, i) => ({ ...row, score: all[name].asked[i], class: rule(shares[i]), tokens: tokens[i] }))
      return [name, Object.fromEntries(Object.entries(RULES).map(([rule, of]) => [rule, said(of)]))]
    }),
  )
  return { served: truth, designs, penalties: { narrow: all.narrow.penalty, wide: all.wide.penalty } }
}
