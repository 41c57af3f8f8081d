// One workload under all policies, by the core's replay: the simulated server behind the real queue.
import type { ServeCore } from 'trimtab/serve'
import { type ReplayOptions, replayRequests } from 'trimtab/serve'
import type { Lane, Requests } from './lane.js'
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

export interface Comparison {
  readonly requests: Requests
  /** First come first served, shortest expected first, shortest first by true lengths. */
  readonly lanes: readonly [Lane, Lane, Lane]
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
  const lanes = [
    fcfs,
    lane('ssjf', 'Shortest first, predicted', expected),
    lane('oracle', 'Shortest first, lengths known', tokens),
  ] as const
  return {
    requests,
    lanes,
    places: batching === 'none' ? 1 : BATCH,
    end: Math.max(...lanes.flatMap(({ finish }) => [...finish])),
    ...(origin !== undefined && { origin }),
  }
}
