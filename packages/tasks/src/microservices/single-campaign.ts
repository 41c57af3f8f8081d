import { type AnyCore, Random } from '@trimtab/core'
import { ANOMALY_KINDS, type Anomaly, type AnomalyKind, type AnomalyTarget } from './anomaly.js'
import type { Campaign } from './campaign.js'
import { pickReplica } from './generate-campaign.js'
import type { ServiceGraph } from './graph.js'
import { MicroserviceSimulator } from './simulator.js'
import { p99sMs } from './slo.js'
import type { GraphTelemetry } from './telemetry.js'

/** Which anomaly is tried at which intensities, and by what it counts as breaking the SLO. */
export interface BreakingRangeOptions {
  readonly kind: AnomalyKind
  readonly target: AnomalyTarget
  /** [types] */
  readonly slosMs: ArrayLike<number>
  readonly seed?: number
  /** How long it lasts and is measured. Default 10. */
  readonly seconds?: number
}

/** Intensities worth injecting (3.3.2). */
export interface BreakingRange {
  /** Where it starts to break the SLO of some type of requests. */
  readonly start: number
  /** Where four of five requests of some type fail, or 1. */
  readonly end: number
}

const WARM_UP_SECONDS = 5
const RESOLUTION = 1 / 64
const FAILED = 0.8
const MAX_TRIES = 25

/** From which intensity on an anomaly breaks an SLO, and where there is no more to break; undefined if it breaks none. */
export function findBreakingRange(
  core: AnyCore,
  graph: ServiceGraph,
  options: BreakingRangeOptions,
): BreakingRange | undefined {
  const { kind, target, slosMs, seed = 0, seconds = 10 } = options
  const live = (intensity: number): GraphTelemetry => {
    const anomaly = { kind, target, startSeconds: WARM_UP_SECONDS, durationSeconds: seconds, intensity }
    const campaign = { name: 'one', anomalies: [anomaly] }
    const simulator = new MicroserviceSimulator(core, graph, { campaign, seed })
    simulator.run(WARM_UP_SECONDS)
    simulator.collect()
    simulator.run(WARM_UP_SECONDS + seconds)
    const telemetry = simulator.collect()
    simulator.dispose()
    return telemetry
  }
  const breaks = (telemetry: GraphTelemetry): boolean => p99sMs(telemetry).some((ms, type) => ms > slosMs[type]!)
  const overwhelms = ({ requests }: GraphTelemetry): boolean =>
    requests.some(({ served, latenciesMs }) => served < (1 - FAILED) * latenciesMs.length)
  const strongest = live(1)
  if (!breaks(strongest) || breaks(live(0))) return undefined
  return {
    start: lowest((intensity) => breaks(live(intensity))),
    end: overwhelms(strongest) ? lowest((intensity) => overwhelms(live(intensity))) : 1,
  }
}

/** The lowest intensity from which something holds, which holds at 1 and not at 0. */
function lowest(holds: (intensity: number) => boolean): number {
  let [low, high] = [0, 1]
  while (high - low > RESOLUTION) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

/** A campaign of one anomaly a window, as strong as needed to break the SLO. */
export interface SingleCampaignOptions {
  /** [types] */
  readonly slosMs: ArrayLike<number>
  readonly seed?: number
  /** Default: all seven. */
  readonly kinds?: readonly AnomalyKind[]
  /** Anomalies of each kind. Default 4. */
  readonly perKind?: number
  /** Default 10. */
  readonly windowSeconds?: number
}

/**
 * One anomaly at a time, as 3.3.2 has them: each lasts a window and is followed by one to recover in; its target is a
 * replica at random, its intensity uniform between where it starts to break an SLO and where there is no more to break.
 * The first window is quiet. A kind whose targets break nothing comes less often.
 */
export function generateSingleCampaign(core: AnyCore, graph: ServiceGraph, options: SingleCampaignOptions): Campaign {
  const { slosMs, seed = 0, kinds = ANOMALY_KINDS, perKind = 4, windowSeconds = 10 } = options
  const random = new Random(core, seed, STREAM)
  const anomalies: Anomaly[] = []
  for (let round = 0; round < perKind; round++) {
    for (const kind of kinds) {
      for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
        const target = pickReplica(random, graph)
        const range = findBreakingRange(core, graph, { kind, target, slosMs, seed, seconds: windowSeconds })
        if (!range) continue
        const intensity = range.start + (range.end - range.start) * random.uniform()
        const startSeconds = (2 * anomalies.length + 1) * windowSeconds
        anomalies.push({ kind, target, startSeconds, durationSeconds: windowSeconds, intensity })
        break
      }
    }
  }
  random.dispose()
  return { name: `${graph.name}, ${anomalies.length} single anomalies, seed ${seed}`, anomalies }
}

const STREAM = 3
