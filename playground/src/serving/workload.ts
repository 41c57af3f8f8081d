// Who comes when: requests that the page makes up, or those of a log; arrivals at a share of what the server can do.
import { Random } from 'trimtab/core'
import { drawWorkload, estimateOnline, pairwiseOrder, patternOf, type RequestLog } from 'trimtab/schedule'
import type { ServeCore } from 'trimtab/serve'
import { LengthPredictor, type ReplayOptions, replayRequests } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'
import { makeRequest } from './prompts.js'

const STREAMS = { requests: 1, arrivals: 2, past: 3 }
const PAST = 400

export interface Workload {
  /** [N] output tokens. */
  readonly tokens: Float64Array
  readonly prompts: readonly string[]
  readonly models: readonly string[]
  /** [N] arrivals with a mean gap of 1. */
  readonly unitArrivals: Float64Array
  /** What is expected of them: also by somebody who learns from those that first come, first served was done with by then. */
  expect(served: Served): Expected | Promise<Expected>
}

/** [N] each, s: when requests came, and when first come, first served was done with them. */
export interface Served {
  readonly arrival: Float64Array
  readonly finish: Float64Array
}

export interface Expected {
  /** [N] output tokens. */
  readonly tokens: Float64Array
  /** Whose requests these are and how well they are predicted; undefined: made up. */
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
    prompts: requests.map(({ prompt }) => prompt),
    models: requests.map(({ model }) => model),
    unitArrivals: Float64Array.from(requests, () => {
      now += arrivals.exponential()
      return now
    }),
    expect: () => ({ tokens: Float64Array.from(requests, (request) => predictor.predict(request).tokens) }),
  }
}

/**
 * Requests of a log with prompts: a stretch of it at its own moments where it has them, drawn rows and Poisson arrivals where it has not.
 * @param predictor  undefined: what is shipped, told each length when that request is done, as `trimtab schedule --online` does
 * @throws {UsageError} when all came at one moment
 */
export function logWorkload(
  core: ServeCore,
  predictor: LengthPredictor | undefined,
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
  const predict = async ({ arrival, finish }: Served): Promise<Float64Array> => {
    if (predictor)
      return Float64Array.from(requests, ({ model }, i) => predictor.predict({ model, prompt: prompts[i]! }).tokens)
    using learner = LengthPredictor.load(core, defaultLengthWeights())
    return (await estimateOnline(requests, arrival, finish, learner)).tokens
  }
  const numbers = [most, log.requests.length].map((number) => number.toLocaleString('en'))
  return {
    ...{ tokens, prompts, models, unitArrivals },
    async expect(served) {
      const expected = await predict(served)
      const inOrder = 100 * pairwiseOrder({ ...log, requests }, expected)
      const origin = [
        `${log.name}: ${numbers.join(' of ')} requests, ${pattern ? 'when they came, rescaled to the load' : 'at Poisson arrivals'}`,
        ...(log.skipped > 0 ? [`${log.skipped.toLocaleString('en')} without a length left out`] : []),
        `of pairs to one model, predictions${predictor ? '' : ' that learn as requests finish'} put ${inOrder.toFixed(0)} % in the right order`,
      ].join('; ')
      return { tokens: expected, origin }
    },
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
