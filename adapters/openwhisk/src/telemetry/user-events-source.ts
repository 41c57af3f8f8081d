import type { ScrapedSample } from './exposition.js'
import { quantileOf } from './histogram.js'
import { type ActionSample, type TelemetryReading, type TelemetrySource, UNKNOWN } from './reading.js'

/** One look at the counters of a platform's user events. */
export interface CounterScrape {
  readonly samples: readonly ScrapedSample[]
  /** When the samples were taken, milliseconds of any one clock: two looks at the same samples say nothing new. */
  readonly sampledAtMs: number
}

/** Where counters come from: Prometheus, or the service itself. */
export interface CounterScraper {
  /** @throws {AdapterError} */
  scrape(signal?: AbortSignal): Promise<CounterScrape>
}

/** Labels that operators may rename (`whisk.user-events.rename-tags`). */
export interface UserEventTags {
  /** Default `namespace`. */
  readonly namespace?: string
  /** Default `action`. */
  readonly action?: string
}

/** Whose counters, and how they are called. */
export interface UserEventsOptions {
  readonly scraper: CounterScraper
  /** The namespace's own name, as the metrics have it. */
  readonly namespace: string
  readonly tags?: UserEventTags
}

const PREFIX = 'openwhisk_action_'

/**
 * Telemetry of the user-events service's counters: cheap however much is asked of the platform, coarser than the activations themselves.
 * An action without series is unknown, and so is everything until the counters were looked at twice.
 */
export class UserEventsSource implements TelemetrySource {
  readonly #options: UserEventsOptions
  #before: Counters | undefined

  constructor(options: UserEventsOptions) {
    this.#options = options
  }

  async read(signal?: AbortSignal): Promise<TelemetryReading> {
    const { scraper, namespace, tags } = this.#options
    const { samples, sampledAtMs } = await scraper.scrape(signal)
    const before = this.#before
    if (before !== undefined && sampledAtMs <= before.sampledAtMs) return UNKNOWN
    const now: Counters = { sampledAtMs, actions: countersOf(samples, namespace, tags) }
    this.#before = now
    if (before === undefined) return UNKNOWN
    return {
      seconds: (sampledAtMs - before.sampledAtMs) / 1000,
      of: (action) => sampleOf(before.actions.get(action), now.actions.get(action)),
    }
  }
}

/** Sums of one action's series: by metric, and of histograms by bound. */
interface ActionCounters {
  readonly totals: Map<string, number>
  readonly buckets: Map<string, Map<number, number>>
}

interface Counters {
  readonly sampledAtMs: number
  readonly actions: ReadonlyMap<string, ActionCounters>
}

/** Sums over kinds, memory sizes, initiators and replicas. */
function countersOf(
  samples: readonly ScrapedSample[],
  namespace: string,
  tags: UserEventTags = {},
): Counters['actions'] {
  const { namespace: namespaceTag = 'namespace', action: actionTag = 'action' } = tags
  const actions = new Map<string, ActionCounters>()
  for (const { name, labels, value } of samples) {
    const action = labels[actionTag]
    if (!name.startsWith(PREFIX) || labels[namespaceTag] !== namespace || action === undefined) continue
    const counters = actions.get(action) ?? { totals: new Map(), buckets: new Map() }
    actions.set(action, counters)
    const metric = name.slice(PREFIX.length)
    const bound = labels.le === undefined ? undefined : Number(labels.le.replace('+Inf', 'Infinity'))
    if (bound === undefined) add(counters.totals, metric, value)
    else {
      const histogram = counters.buckets.get(metric) ?? new Map<number, number>()
      counters.buckets.set(metric, histogram)
      add(histogram, bound, value)
    }
  }
  return actions
}

const add = <K>(sums: Map<K, number>, key: K, value: number): void => void sums.set(key, (sums.get(key) ?? 0) + value)

/** What was counted between two looks; undefined: the action has no series, or they began anew in between. */
function sampleOf(before: ActionCounters | undefined, now: ActionCounters | undefined): ActionSample | undefined {
  if (now === undefined) return undefined
  const grown = (metric: string): number => growth(before?.totals.get(metric), now.totals.get(metric))
  const activations = grown('activations_total')
  if (Number.isNaN(activations)) return undefined
  return {
    activations,
    busySeconds: grown('duration_seconds_sum'),
    p99Ms: 1000 * (quantile('waitTime', before, now) + quantile('duration', before, now)),
    coldStarts: grown('coldStarts_total'),
    initSeconds: grown('initTime_seconds_sum') / grown('initTime_seconds_count'),
  }
}

/** A counter that fell began anew: how far it had come is not known. One that was not there began at 0. */
function growth(before: number | undefined, now: number | undefined): number {
  const grown = (now ?? Number.NaN) - (before ?? 0)
  return grown >= 0 ? grown : Number.NaN
}

/** Waits and durations are counted apart: at most 1 % of their sums lie above the sum of what .5 % of each lie above. */
const HALF_OF_THE_REST01 = 0.995

function quantile(metric: string, before: ActionCounters | undefined, now: ActionCounters): number {
  const bucket = `${metric}_seconds_bucket`
  const old = before?.buckets.get(bucket)
  const grown = [...(now.buckets.get(bucket) ?? [])]
    .map(([bound, count]) => [bound, growth(old?.get(bound), count)] as const)
    .sort(([a], [b]) => a - b)
  return quantileOf(grown, HALF_OF_THE_REST01)
}
