// One workload under all policies, by the core's replay: the simulated server behind the real queue.
import type { ServeCore } from 'trimtab/serve'
import { type ReplayOptions, replayRequests } from 'trimtab/serve'
import { type Lane, MOMENTS, type Moment, momentOf, type Outcome, outcomeOf, type Requests } from './lane.js'
import { secondsPerRequest, type Workload } from './workload.js'

export interface Settings {
  /** ρ: arrivals as a share of what the server gets done, first come, first served. */
  readonly load: number
  readonly batching: 'none' | 'dynamic' | 'continuous'
  /** How much later work may overtake a request, in largest backlogs; undefined: no ageing. */
  readonly bypass: number | undefined
  readonly count: number
  readonly seed: number
}

/** A lane, and what is told of it: worked out here, for the page's thread has pictures to draw. */
export interface ToldLane extends Lane {
  /** [MOMENTS + 1] from the first second to the last. */
  readonly moments: readonly Moment[]
  readonly outcome: Outcome
}

export interface Comparison {
  readonly requests: Requests
  /** First come first served, shortest expected first, shortest first by true lengths. */
  readonly lanes: readonly [ToldLane, ToldLane, ToldLane]
  /** Requests that are served at once. */
  readonly places: number
  /** s, when all are through. */
  readonly end: number
  /** Whose requests these are and how well they are predicted, where this page has not made them up. */
  readonly origin?: string
}

const BATCH = 4
const SHOWN = 200 // characters of a prompt

export async function compare(core: ServeCore, workload: Workload, settings: Settings): Promise<Comparison> {
  const { batching, bypass } = settings
  const { tokens, models, unitArrivals } = workload
  const service = { batching, maxBatchSize: BATCH }
  const gap = secondsPerRequest(core, tokens, service) / settings.load
  const arrival = unitArrivals.map((time) => time * gap)
  const prompts = workload.prompts.map((prompt) => prompt.slice(0, SHOWN))
  const requests: Requests = { arrival, tokens, prompts, models }
  const lane = (name: Lane['name'], label: string, estimate: Float64Array | undefined): Lane => {
    const order: Pick<ReplayOptions, 'order' | 'ageing'> = estimate
      ? { order: 'exact', ageing: bypass === undefined ? undefined : { bypass } }
      : { order: 'fifo' }
    const asked = { ...requests, estimate: estimate ?? tokens }
    const { start, finish } = replayRequests(core, asked, { ...service, ...order })
    return { name, label, estimate, start, finish }
  }
  const fcfs = lane('fcfs', 'First come, first served', undefined)
  const { tokens: expected, origin } = await workload.expect({ arrival, finish: fcfs.finish })
  const predicted = lane('ssjf', 'Shortest first, predicted', expected)
  const known = lane('oracle', 'Shortest first, lengths known', tokens)
  const end = [fcfs, predicted, known].reduce((last, { finish }) => Math.max(last, ...finish), 0)
  const tell = (one: Lane): ToldLane => ({
    ...one,
    moments: Array.from({ length: MOMENTS + 1 }, (_, i) => momentOf(requests, one, (i * end) / MOMENTS)),
    outcome: outcomeOf(requests, one),
  })
  return {
    requests,
    lanes: [tell(fcfs), tell(predicted), tell(known)],
    places: batching === 'none' ? 1 : BATCH,
    end,
    ...(origin !== undefined && { origin }),
  }
}
