// How good predictions are: within each model, in the mean over the models, and over all pairs of answers.
import { countOrdered, scoreLengths } from '@trimtab/serve'

const orderOf = (list, value) => {
  const { pairs, ordered } = countOrdered(
    Float64Array.from(list, ({ example }) => example.outputTokens),
    Float64Array.from(list, value),
  )
  return ordered / pairs
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** By key, in the order in which keys are first met. */
function groupBy(list, keyOf) {
  const groups = new Map()
  for (const one of list) groups.get(keyOf(one))?.push(one) ?? groups.set(keyOf(one), [one])
  return groups
}

/** Share of each model's pairs in the right order, by model; of models with a pair. */
export function ordersByModel(list) {
  const byModel = groupBy(list, ({ example }) => example.model)
  const orders = [...byModel].map(([model, of]) => [model, orderOf(of, ({ score }) => score)])
  return Object.fromEntries(orders.filter(([, order]) => Number.isFinite(order)))
}

/** Of any two answers, whichever models gave them, the share whose expected tokens are in the right order. */
export const orderOfAll = (list) => orderOf(list, ({ tokens }) => tokens)

/** accuracy, l1, order of pairs of one model, its mean over the models */
export const scoresOf = (list) => ({
  ...scoreLengths(list),
  orderByModel: meanOf(Object.values(ordersByModel(list))),
})

/** The two models whose answers are longest in the mean. */
export function longestModels(rows) {
  const meanLength = (of) => meanOf(of.map(({ outputTokens }) => outputTokens))
  return [...groupBy(rows, ({ model }) => model)]
    .sort(([, a], [, b]) => meanLength(b) - meanLength(a))
    .slice(0, 2)
    .map(([model]) => model)
}
