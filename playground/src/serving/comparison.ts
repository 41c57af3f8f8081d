// One workload under both policies, by the core's replay: the simulated server behind the real queue.
import type { ServeCore } from 'trimtab/serve'
import { type LengthPredictor, type ReplayOptions, replayRequests } from 'trimtab/serve'
import type { Lane, Requests } from './lane.js'
import { drawWorkload, secondsPerRequest, type Workload } from './workload.js'

export interface Settings {
  /** ρ: arrivals as a share of what the server gets done, first come, first served. */
  readonly load: number
  readonly batching: 'none' | 'dynamic' | 'continuous'
  readonly knows: 'predictor' | 'oracle'
  /** How much later work may overtake a request, in largest backlogs; undefined: no ageing. */
  readonly bypass: number | undefined
  readonly count: number
  readonly seed: number
}

export interface Comparison {
  readonly requests: Requests
  /** FCFS, then SSJF. */
  readonly lanes: readonly [Lane, Lane]
  /** Requests that are served at once. */
  readonly places: number
  /** s, when both are through. */
  readonly end: number
}

const BATCH = 4

export function compare(core: ServeCore, predictor: LengthPredictor, settings: Settings): Comparison {
  const { batching, bypass, knows } = settings
  const workload = drawWorkload(core, settings.count, settings.seed)
  const { tokens, prompts, models, unitArrivals } = workload
  const service = { batching, maxBatchSize: BATCH }
  const gap = secondsPerRequest(core, tokens, service) / settings.load
  const requests: Requests = {
    arrival: unitArrivals.map((time) => time * gap),
    estimate: knows === 'oracle' ? tokens : predicted(predictor, workload),
    ...{ tokens, prompts, models },
  }
  const lane = (name: Lane['name'], label: string, options: ReplayOptions): Lane => {
    const { start, finish } = replayRequests(core, requests, { ...service, ...options })
    return { name, label, start, finish }
  }
  const lanes = [
    lane('fcfs', 'First come, first served', { order: 'fifo' }),
    lane('ssjf', 'Shortest first', { order: 'exact', ageing: bypass === undefined ? undefined : { bypass } }),
  ] as const
  return {
    requests,
    lanes,
    places: batching === 'none' ? 1 : BATCH,
    end: Math.max(...lanes.flatMap(({ finish }) => [...finish])),
  }
}

function predicted(predictor: LengthPredictor, { prompts, models }: Workload): Float64Array {
  return Float64Array.from(prompts, (prompt, i) => predictor.predict({ model: models[i]!, prompt }).tokens)
}
