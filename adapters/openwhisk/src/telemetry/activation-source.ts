import { type Clock, percentile } from '@trimtab/core'
import type { ActivationReport } from '../client/reports.js'
import { ActivationFeed, type ActivationFeedOptions } from './activation-feed.js'
import { type ActionSample, type TelemetryReading, type TelemetrySource, UNKNOWN } from './reading.js'

/** As the feed's, and what time is measured by. */
export interface ActivationSourceOptions extends ActivationFeedOptions {
  /** Milliseconds; default: the host's. */
  readonly clock?: Clock
}

/** Telemetry of the activations themselves, from the REST API. */
export class ActivationSource implements TelemetrySource {
  readonly #feed: ActivationFeed
  readonly #clock: Clock
  #readAtMs: number

  constructor({ clock = performance, ...options }: ActivationSourceOptions) {
    this.#feed = new ActivationFeed(options)
    this.#clock = clock
    this.#readAtMs = clock.now()
  }

  async read(signal?: AbortSignal): Promise<TelemetryReading> {
    const nowMs = this.#clock.now()
    const { activations, isComplete } = await this.#feed.read(signal)
    const seconds = (nowMs - this.#readAtMs) / 1000
    this.#readAtMs = nowMs
    if (!isComplete) return UNKNOWN
    const byAction = new Map<string, ActivationReport[]>()
    for (const each of activations) {
      const its = byAction.get(each.action)
      if (its) its.push(each)
      else byAction.set(each.action, [each])
    }
    const samples = new Map([...byAction].map(([action, its]) => [action, sampleOf(its)]))
    return { seconds, of: (action) => samples.get(action) ?? NO_ACTIVATION }
  }

  ignore(activationId: string): void {
    this.#feed.ignore(activationId)
  }
}

/** That an action ended nothing is known where all activations are. */
const NO_ACTIVATION: ActionSample = {
  activations: 0,
  busySeconds: 0,
  p99Ms: Number.NaN,
  coldStarts: 0,
  initSeconds: Number.NaN,
}

/** What activations say together; of those that do not say it nothing is supposed but that they are like the others. */
export function sampleOf(activations: readonly ActivationReport[]): ActionSample {
  const known = (pick: (each: ActivationReport) => number | undefined): number[] =>
    activations.map(pick).filter((value) => value !== undefined)
  const durations = known(({ durationMs }) => durationMs)
  const latencies = known(({ durationMs, waitTimeMs }) =>
    durationMs === undefined || waitTimeMs === undefined ? undefined : waitTimeMs + durationMs,
  )
  const inits = known(({ initTimeMs }) => initTimeMs)
  return {
    activations: activations.length,
    busySeconds: (meanOf(durations) * activations.length) / 1000,
    p99Ms: latencies.length === 0 ? Number.NaN : percentile(latencies, 99),
    coldStarts: activations.some(({ isCold }) => isCold === undefined) ? Number.NaN : inits.length,
    initSeconds: meanOf(inits) / 1000,
  }
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length
