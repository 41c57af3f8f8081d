// Each part of the report: what is served, when it comes, and the policies beside first come, first served.
import { concatenateRounds } from '@trimtab/serve'
import {
  compareSchedules,
  errorsOf,
  estimateRowsWithErrors,
  onlineEstimator,
  pairwiseOrder,
  rowEstimator,
} from 'trimtab/schedule'
import { rowsOf, settingsOf } from './inputs.mjs'

const ALL = ['fcfs', 'class', 'ssjf', 'ssjf-unaged', 'oracle']
const MOST_ROUNDS = 5
/** Rows that a model must have to be served alone. */
const LEAST_ROWS = 60

const quiet = { stderr: { write() {} }, now: () => 0, signal: new AbortController().signal }

/** The report's file has what it shows and no more. */
const SHOWN = [
  'batching',
  'policy',
  'meanJctSeconds',
  'p99JctSeconds',
  'maxWaitSeconds',
  'meanJctOverFcfs',
  'maxWaitOverFcfs',
]

async function compare(core, log, estimator, settings) {
  const { results } = await compareSchedules(core, log, estimator, settings, quiet)
  return results.map((result) => Object.fromEntries(SHOWN.map((name) => [name, result[name]])))
}

/** Must show: all models in one queue, each pattern of arrivals, each way of batching. */
export async function mixedModels(core, { valid, estimator, patterns }, scale, progress) {
  const found = []
  for (const pattern of [undefined, ...patterns]) {
    progress(`mixed models, ${pattern?.name ?? 'Poisson'}`)
    const settings = settingsOf(scale, { pattern, batchings: ['none', 'dynamic', 'continuous'], policies: ALL })
    const results = await compare(core, valid, estimator, settings)
    found.push(...results.map((result) => ({ arrivals: pattern?.name ?? 'Poisson', ...result })))
  }
  return found
}

export async function singleModels(core, { valid, rows }, scale, progress) {
  const found = []
  for (const model of valid.models) {
    const isOwn = (_, row) => valid.requests[row].model === model
    const log = { ...valid, models: [model], requests: valid.requests.filter(isOwn) }
    if (log.requests.length < LEAST_ROWS) continue
    progress(`one model, ${model}`)
    const own = { tokens: rows.tokens.filter(isOwn), classes: rows.classes.filter(isOwn) }
    const results = await compare(core, log, rowEstimator(log, own, model), settingsOf(scale, { policies: ALL }))
    found.push(...results.map((result) => ({ model, rows: log.requests.length, ...result })))
  }
  return found
}

/** Logs with lengths and moments of their own, and no prompts: the predictor's measured error stands for it. */
export async function recordedLengths(core, { valid, rows, recorded }, scale, progress) {
  const errors = errorsOf(valid, rows)
  const found = []
  for (const { log, pattern } of recorded) {
    progress(`recorded lengths, ${log.name}`)
    const lent = rowEstimator(log, estimateRowsWithErrors(core, log, errors, 1), 'measured errors')
    const settings = settingsOf(scale, {
      ...{ pattern, isInLogOrder: true, batchings: ['none', 'dynamic', 'continuous'] },
      policies: ALL.filter((policy) => policy !== 'class'),
    })
    const results = await compare(core, log, lent, settings)
    found.push(...results.map((result) => ({ log: log.name, pairwiseOrder: lent.pairwiseOrder, ...result })))
  }
  return found
}

/** Each row comes once: weights as they are, and told each length when the request is done. */
export async function onlineLearning(core, { valid, predictors }, scale, progress) {
  const count = Math.min(scale.count, valid.requests.length)
  const found = []
  for (const [weights, saved] of Object.entries(predictors)) {
    const rows = await rowsOf(core, valid, saved)
    const order = pairwiseOrder(valid, rows.tokens)
    const estimators = {
      'as they are': rowEstimator(valid, rows, weights),
      learning: onlineEstimator(core, valid, saved, weights, order),
    }
    for (const [how, estimator] of Object.entries(estimators)) {
      progress(`${weights}, ${how}`)
      const policies = ['fcfs', 'ssjf', 'ssjf-unaged']
      const results = await compare(core, valid, estimator, settingsOf({ ...scale, count }, { policies }))
      found.push(...results.map((result) => ({ weights, how, count, ...result })))
    }
  }
  return found
}

/**
 * The r-th round of a conversation: r − 1 other prompts to the same model stand before the one that is answered, and the
 * predictor sees the last 512 tokens of all (B.4). No public log of conversations with lengths was at hand: rounds here have
 * nothing to do with each other and lack the answers between them.
 */
export async function rounds(core, { valid, predictors }, scale, progress) {
  const found = []
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    progress(`conversations, round ${round}`)
    const requests = valid.requests.map((request, row) => inRound(valid, request, row, round))
    const rows = await rowsOf(core, { ...valid, requests }, predictors['all training rows'])
    const estimator = rowEstimator(valid, rows, `round ${round}`)
    const results = await compare(
      core,
      valid,
      estimator,
      settingsOf(scale, { policies: ['fcfs', 'ssjf', 'ssjf-unaged'] }),
    )
    found.push(...results.map((result) => ({ round, pairwiseOrder: estimator.pairwiseOrder, ...result })))
  }
  return found
}

function inRound(log, request, row, round) {
  const peers = log.requests.filter(({ model }) => model === request.model)
  const before = Array.from({ length: round - 1 }, (_, i) => peers[(row * 31 + (i + 1) * 17) % peers.length].prompt)
  return { ...request, prompt: concatenateRounds([...before, request.prompt].map((content) => ({ content }))) }
}
