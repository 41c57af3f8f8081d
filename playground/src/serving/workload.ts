// Who comes when: requests that the page makes up, or those of a log; arrivals at a share of what the server can do.
import { Random } from 'trimtab/core'
import { drawWorkload, pairwiseOrder, patternOf, type RequestLog } from 'trimtab/schedule'
import type { ServeCore } from 'trimtab/serve'
import { type LengthPredictor, type ReplayOptions, replayRequests } from 'trimtab/serve'
import { makeRequest } from './prompts.js'

const STREAMS = { requests: 1, arrivals: 2, past: 3 }
const PAST = 400

export interface Workload {
  /** [N] output tokens, and as expected from the prompts. */
  readonly tokens: Float64Array
  readonly predicted: Float64Array
  readonly prompts: readonly string[]
  readonly models: readonly string[]
  /** [N] arrivals with a mean gap of 1. */
  readonly unitArrivals: Float64Array
  /** Where they are from, and what is to be known about that; undefined: made up. */
  readonly origin?: string
}

export interface Draw {
  readonly count: number
  readonly seed: number
}

/** Poisson arrivals of requests that nobody has sent. */
export function makeWorkload(core: ServeCore, predictor: LengthPredictor, { count, seed }: Draw): Workload {
  using random = new Random(core, seed, STREAMS.requests)
  using arrivals = new Random(core, seed, STREAMS.arrivals)
  const requests = Array.from({ length: count }, () => makeRequest(core, random))
  let now = 0
  return {
    tokens: Float64Array.from(requests, ({ tokens }) => tokens),
    predicted: Float64Array.from(requests, (request) => predictor.predict(request).tokens),
    prompts: requests.map(({ prompt }) => prompt),
    models: requests.map(({ model }) => model),
    unitArrivals: Float64Array.from(requests, () => {
      now += arrivals.exponential()
      return now
    }),
  }
}

/**
 * Requests of a log with prompts: a stretch of it at its own moments where it has them, drawn rows and Poisson arrivals where it has not.
 * @throws {UsageError} when all came at one moment
 */
export function logWorkload(
  core: ServeCore,
  predictor: LengthPredictor,
  log: RequestLog,
  { count, seed }: Draw,
): Workload {
  const pattern = patternOf(log)
  const most = pattern ? Math.min(count, log.requests.length) : count
  const options = { count: most, seed, pattern, isInLogOrder: pattern !== undefined }
  const { rows, tokens, unitArrivals } = drawWorkload(core, log, options)
  const requests = Array.from(rows, (row) => log.requests[row]!)
  const prompts = requests.map(({ prompt }) => prompt!)
  const models = requests.map(({ model }) => model)
  const predicted = Float64Array.from(prompts, (prompt, i) => predictor.predict({ model: models[i]!, prompt }).tokens)
  const inOrder = 100 * pairwiseOrder({ ...log, requests }, predicted)
  const numbers = [most, log.requests.length].map((number) => number.toLocaleString('en'))
  return {
    ...{ tokens, predicted, prompts, models, unitArrivals },
    origin: [
      `${log.name}: ${numbers.join(' of ')} requests, ${pattern ? 'when they came, rescaled to the load' : 'at Poisson arrivals'}`,
      ...(log.skipped > 0 ? [`${log.skipped.toLocaleString('en')} without a length left out`] : []),
      `of pairs to one model, predictions put ${inOrder.toFixed(0)} % in the right order`,
    ].join('; '),
  }
}

/** What the server has answered before the page was opened, as a gateway would have seen it pass. */
export function learnFromPast(core: ServeCore, predictor: LengthPredictor): void {
  using random = new Random(core, 0, STREAMS.past)
  for (let i = 0; i < PAST; i++) {
    const { tokens, ...request } = makeRequest(core, random)
    predictor.observe(request, tokens)
  }
}

/** Seconds a request at which the server gets them done when somebody always waits, first come, first served. */
export function secondsPerRequest(
  core: ServeCore,
  tokens: Float64Array,
  service: Omit<ReplayOptions, 'order'>,
): number {
  const arrival = new Float64Array(tokens.length)
  const { finish } = replayRequests(core, { arrival, tokens, estimate: tokens }, { ...service, order: 'fifo' })
  return Math.max(...finish) / tokens.length
}
