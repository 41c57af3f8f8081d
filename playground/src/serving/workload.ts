// Who comes when: rows of the sample in shuffled passes, Poisson arrivals at a share of what the server can do.
import { type Core, Random, type ReplayOptions, replayRequests } from 'trimtab/core'
import { SAMPLE } from './sample.js'

const STREAMS = { rows: 1, arrivals: 2 }

export interface Workload {
  readonly tokens: Float64Array
  readonly prompts: readonly string[]
  readonly models: readonly string[]
  /** [N] arrivals with a mean gap of 1. */
  readonly unitArrivals: Float64Array
}

export function drawWorkload(core: Core, count: number, seed: number): Workload {
  using random = new Random(core, seed, STREAMS.rows)
  using arrivals = new Random(core, seed, STREAMS.arrivals)
  const rows: number[] = []
  while (rows.length < count) {
    const pass = Array.from(SAMPLE.keys())
    for (let i = pass.length - 1; i > 0; i--) {
      const j = random.integer(i + 1)
      ;[pass[i], pass[j]] = [pass[j]!, pass[i]!]
    }
    rows.push(...pass)
  }
  rows.length = count
  let now = 0
  return {
    tokens: Float64Array.from(rows, (row) => SAMPLE[row]![1]),
    prompts: rows.map((row) => SAMPLE[row]![2]),
    models: rows.map((row) => SAMPLE[row]![0]),
    unitArrivals: Float64Array.from(rows, () => {
      now += arrivals.exponential()
      return now
    }),
  }
}

/** Seconds a request at which the server gets them done when somebody always waits, first come, first served. */
export function secondsPerRequest(core: Core, tokens: Float64Array, service: Omit<ReplayOptions, 'order'>): number {
  const arrival = new Float64Array(tokens.length)
  const { finish } = replayRequests(core, { arrival, tokens, estimate: tokens }, { ...service, order: 'fifo' })
  return Math.max(...finish) / tokens.length
}
