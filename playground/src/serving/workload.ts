// Who comes when: requests that the page makes up, Poisson arrivals at a share of what the server can do.
import { Random } from 'trimtab/core'
import type { ServeCore } from 'trimtab/serve'
import { type LengthPredictor, type ReplayOptions, replayRequests } from 'trimtab/serve'
import { makeRequest } from './prompts.js'

const STREAMS = { requests: 1, arrivals: 2, past: 3 }
const PAST = 400

export interface Workload {
  readonly tokens: Float64Array
  readonly prompts: readonly string[]
  readonly models: readonly string[]
  /** [N] arrivals with a mean gap of 1. */
  readonly unitArrivals: Float64Array
}

export function drawWorkload(core: ServeCore, count: number, seed: number): Workload {
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
