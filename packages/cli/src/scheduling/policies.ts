// What each policy is: by which number the waiting are ordered, and whether they age.

import type { Batching, ServeCore } from '@trimtab/serve'
import { type ReplayOptions, replayRequests } from '@trimtab/serve'
import { UsageError } from '../usage-error.js'
import type { ServedTimes } from './measure.js'
import type { PolicyName } from './report-types.js'

/** A server of a language model, as the simulation takes it: seconds that a request takes alone: `secondsPerRequest` + `secondsPerToken` · tokens. */
export interface ServerModel {
  readonly servers: number
  readonly maxBatchSize: number
  /** Dynamic batching: for so long the oldest request waits for others. */
  readonly batchWaitSeconds: number
  readonly secondsPerToken: number
  readonly secondsPerRequest: number
}

/** Expected tokens and class of each request of a run. */
export interface RequestEstimates {
  readonly tokens: Float64Array
  readonly classes: Float64Array
}

interface Requests {
  readonly arrival: Float64Array
  readonly tokens: Float64Array
}

export const isEstimating = (policy: PolicyName): boolean => policy !== 'fcfs' && policy !== 'oracle'

/** Serves requests in the order of a policy. @throws {UsageError} when it needs estimates and there are none */
export function serve(
  core: ServeCore,
  { arrival, tokens }: Requests,
  policy: PolicyName,
  estimates: RequestEstimates | null,
  batching: Batching,
  model: ServerModel & { readonly bypass: number },
): ServedTimes {
  const { servers, maxBatchSize, batchWaitSeconds, secondsPerToken, secondsPerRequest } = model
  const server = { servers, maxBatchSize, batchWaitTimeout: batchWaitSeconds, secondsPerToken, secondsPerRequest }
  const estimated = (): RequestEstimates => {
    if (estimates) return estimates
    throw new UsageError(`the policy ${policy} orders by estimates: give a log with prompts, or --errors-of FILE`)
  }
  const replay = (estimate: Float64Array, queue: Pick<ReplayOptions, 'order' | 'ageing'>): ServedTimes =>
    replayRequests(core, { arrival, tokens, estimate }, { ...server, ...queue, batching })
  switch (policy) {
    case 'fcfs':
      return replay(tokens, { order: 'fifo' })
    case 'class':
      return replay(estimated().classes, { order: 'exact' })
    case 'ssjf':
      return replay(estimated().tokens, { order: 'class', ageing: { bypass: model.bypass } })
    case 'ssjf-unaged':
      return replay(estimated().tokens, { order: 'class' })
    case 'oracle':
      return replay(tokens, { order: 'exact' })
    default:
      return policy satisfies never
  }
}

/** Seconds a request at which servers come along, first come, first served, when somebody always waits. */
export function fcfsSecondsPerRequest(
  core: ServeCore,
  tokens: Float64Array,
  batching: Batching,
  model: ServerModel,
): number {
  const arrival = new Float64Array(tokens.length)
  const { finish } = serve(core, { arrival, tokens }, 'fcfs', null, batching, { ...model, bypass: 0 })
  return finish.reduce((last, time) => Math.max(last, time), 0) / tokens.length
}
