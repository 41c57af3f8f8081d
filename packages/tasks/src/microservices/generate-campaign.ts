import { type AnyCore, Problems, Random } from '@trimtab/core'
import { ANOMALY_KINDS, ANOMALY_PATTERNS, type Anomaly, type AnomalyKind, type AnomalyPattern } from './anomaly.js'
import type { Campaign } from './campaign.js'
import type { ServiceGraph } from './graph.js'

/** How many anomalies come, of what kinds, and when. */
export interface CampaignOptions {
  readonly seed?: number
  /** Anomalies start before this. Default 300. */
  readonly seconds?: number
  /** Mean anomalies a second; gaps are exponential. Default 0.33 (3.3.1). */
  readonly ratePerSecond?: number
  /** How long one lasts: uniform between these. Default 2 … 10. */
  readonly durationSeconds?: readonly [number, number]
  /** Default: all seven. */
  readonly kinds?: readonly AnomalyKind[]
  /** Default: all five. */
  readonly patterns?: readonly AnomalyPattern[]
}

/**
 * Anomalies at random moments: kind, pattern, intensity (0…1) and target (a replica) uniform, gaps exponential (3.3.1).
 * @throws {ConfigError} `config_invalid`
 */
export function generateCampaign(core: AnyCore, graph: ServiceGraph, options: CampaignOptions = {}): Campaign {
  const { seed = 0, seconds = 300, ratePerSecond = 0.33, durationSeconds = [2, 10] } = options
  const { kinds = ANOMALY_KINDS, patterns = ANOMALY_PATTERNS } = options
  const [shortest, longest] = durationSeconds
  const problems = new Problems()
  problems.check(seconds > 0, `seconds must be above 0, got ${seconds}`)
  problems.check(ratePerSecond > 0, `ratePerSecond must be above 0, got ${ratePerSecond}`)
  problems.check(shortest > 0 && shortest <= longest, `durationSeconds must be 0 < low <= high, got ${durationSeconds}`)
  problems.check(kinds.length > 0 && patterns.length > 0, 'kinds and patterns must not be empty')
  problems.throwIfAny('campaign')
  const random = new Random(core, seed, STREAM)
  const anomalies: Anomaly[] = []
  for (let at = random.exponential(1 / ratePerSecond); at < seconds; at += random.exponential(1 / ratePerSecond)) {
    anomalies.push({
      kind: pick(random, kinds),
      target: pickReplica(random, graph),
      startSeconds: at,
      durationSeconds: shortest + (longest - shortest) * random.uniform(),
      pattern: pick(random, patterns),
      intensity: random.uniform(),
    })
  }
  random.dispose()
  return { name: `${graph.name}, gaps ${ratePerSecond}/s, seed ${seed}`, anomalies }
}

/** A campaign of windows, with an anomaly of each kind in every one. */
export interface WindowCampaignOptions {
  readonly seed?: number
  readonly windows: number
  /** Default 10. */
  readonly windowSeconds?: number
  /** The first window starts here. Default: one window's length. */
  readonly startSeconds?: number
}

/**
 * Several anomalies at once, as 3.3.2 has them: in every window one of each kind, on a replica of its own choice, its
 * intensity uniform in 0…1.
 * @throws {ConfigError} `config_invalid`
 */
export function generateWindowCampaign(core: AnyCore, graph: ServiceGraph, options: WindowCampaignOptions): Campaign {
  const { seed = 0, windows, windowSeconds = 10, startSeconds = windowSeconds } = options
  const problems = new Problems()
  problems.check(Number.isInteger(windows) && windows > 0, `windows must be a whole number above 0, got ${windows}`)
  problems.check(windowSeconds > 0, `windowSeconds must be above 0, got ${windowSeconds}`)
  problems.check(startSeconds >= 0, `startSeconds must be >= 0, got ${startSeconds}`)
  problems.throwIfAny('campaign')
  const random = new Random(core, seed, STREAM)
  const anomalies: Anomaly[] = []
  for (let window = 0; window < windows; window++) {
    for (const kind of ANOMALY_KINDS) {
      anomalies.push({
        kind,
        target: pickReplica(random, graph),
        startSeconds: startSeconds + window * windowSeconds,
        durationSeconds: windowSeconds,
        intensity: random.uniform(),
      })
    }
  }
  random.dispose()
  return { name: `${graph.name}, ${windows} windows of ${windowSeconds} s, seed ${seed}`, anomalies }
}

const STREAM = 2

const pick = <T>(random: Random, items: readonly T[]): T => items[random.integer(items.length)]!

/** A replica of the graph, all of them alike. */
export function pickReplica(
  random: Random,
  graph: ServiceGraph,
): { readonly service: string; readonly replica: number } {
  const replicas = graph.services.flatMap(({ name, replicas: count }) =>
    Array.from({ length: count }, (_, replica) => ({ service: name, replica })),
  )
  return pick(random, replicas)
}
