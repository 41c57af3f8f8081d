// Where the gain comes from: the same requests ordered by what is known of their model alone, of their prompt's length alone, and by
// predictors; of all models, and without the two that answer longest.
import { LengthPredictor } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { compareSchedules, pairwiseOrder, rowEstimator } from 'trimtab/schedule'
import { rowsOf, settingsOf } from './inputs.mjs'

const LONGEST = 2 // models that are left out
const quiet = { stderr: { write() {} }, now: () => 0, signal: new AbortController().signal }

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Mean length of each model of the log in `rows`; of one that is not there, of all. */
function meansOf(log, rows) {
  const mean = (of) => meanOf(of.map(({ outputTokens }) => outputTokens))
  return new Map(
    log.models.map((model) => {
      const own = rows.filter((row) => row.model === model)
      return [model, mean(own.length > 0 ? own : rows)]
    }),
  )
}

const without = (log, rows, models) => {
  const isKept = (_, row) => !models.includes(log.requests[row].model)
  return {
    log: {
      ...log,
      models: log.models.filter((model) => !models.includes(model)),
      requests: log.requests.filter(isKept),
    },
    rows: { tokens: rows.tokens.filter(isKept), classes: rows.classes.filter(isKept) },
  }
}

/** Pairs of each model in the right order, and their mean over the models. */
export function ordersByModel({ models, requests }, tokens) {
  const orders = models.map((model) => {
    const isOwn = (_, row) => requests[row].model === model
    return [model, pairwiseOrder({ models: [model], requests: requests.filter(isOwn) }, tokens.filter(isOwn))]
  })
  return { mean: meanOf(orders.map(([, order]) => order)), byModel: Object.fromEntries(orders) }
}

/** The shipped weights, and what they are when they have been told the lengths of `requests`. */
function shippedAfter(core, requests) {
  const predictor = LengthPredictor.load(core, defaultLengthWeights())
  for (const request of requests) predictor.observe(request, request.outputTokens)
  const saved = predictor.save()
  predictor.dispose()
  return saved
}

export async function baselines(core, { valid, rows, train, permissive, patterns }, scale, progress) {
  const classes = new Float64Array(valid.requests.length)
  const ofModel = (means) => ({ tokens: Float64Array.from(valid.requests, ({ model }) => means.get(model)), classes })
  const means = meansOf(valid, train.requests)
  const longest = [...means].sort(([, a], [, b]) => b - a).slice(0, LONGEST)
  const orders = {
    'length of the prompt': { tokens: Float64Array.from(valid.requests, ({ prompt }) => prompt.length), classes },
    'mean of the model, all rows': ofModel(means),
    'trained on all rows': rows,
    'shipped weights, told all rows': await rowsOf(core, valid, shippedAfter(core, train.requests)),
    'mean of the model, permissive rows': ofModel(meansOf(valid, permissive)),
    'shipped weights as they are': await rowsOf(core, valid, defaultLengthWeights()),
  }
  const found = []
  for (const left of [[], longest.map(([model]) => model)]) {
    for (const [by, estimates] of Object.entries(orders)) {
      progress(`where the gain comes from: ${by}${left.length > 0 ? ', without two models' : ''}`)
      const kept = without(valid, estimates, left)
      const estimator = rowEstimator(kept.log, kept.rows, by)
      const { mean } = ordersByModel(kept.log, kept.rows.tokens)
      for (const pattern of [undefined, ...patterns]) {
        const settings = settingsOf(scale, {
          ...{ pattern, batchings: ['none', 'dynamic', 'continuous'] },
          policies: ['fcfs', 'ssjf', 'ssjf-unaged'],
        })
        const { results } = await compareSchedules(core, kept.log, estimator, settings, quiet)
        for (const { batching, policy, meanJctOverFcfs } of results)
          if (policy !== 'fcfs')
            found.push({
              ...{ by, without: left, order: estimator.pairwiseOrder, orderByModel: mean },
              ...{ arrivals: pattern?.name ?? 'Poisson', batching, policy, meanJctOverFcfs },
            })
      }
    }
  }
  return found
}
