import { type CoreMath, percentile } from '@trimtab/core'
import type { Instance, InstanceState } from './instance.js'
import { type ResourceVector, vectorOf } from './resources.js'

/** How the requests of one type fared. */
export interface RequestTelemetry {
  readonly name: string
  readonly arrivals: number
  /** Answered in time. */
  readonly served: number
  /** Given up by the client. */
  readonly timedOut: number
  /** Failed because a queue was full. */
  readonly refused: number
  /** Of all that ended, ascending; one that failed counts as long as the client would have waited at least. */
  readonly latenciesMs: Float64Array
}

/** How one replica fared; what FIRM's agent sees of it (Table 3.2) can be computed from this. */
export interface InstanceTelemetry {
  readonly name: string
  readonly service: string
  readonly replica: number
  readonly state: InstanceState
  /** Visits that it has; one that leaves and has none is gone. */
  readonly open: number
  /** Threads: more CPU than so many cores buys nothing. */
  readonly workers: number
  readonly arrivals: number
  readonly served: number
  /** Visits turned away by a full queue. */
  readonly refused: number
  /** Visits thrown away because their client had given up. */
  readonly expired: number
  /** Share of each request type among its arrivals, in the order of the graph; all 0 without arrivals. */
  readonly mix: Float64Array
  /** Visits waiting for a worker, mean over time. */
  readonly meanWaiting: number
  /** Mean share of its workers that are at work. */
  readonly busy01: number
  /** Mean time from arrival to a worker; NaN where nobody got one. */
  readonly meanWaitMs: number
  /** Mean time from arrival to response, calls to others included; NaN where nothing ended. */
  readonly meanSojournMs: number
  readonly grant: ResourceVector
  /** What its own work used of each, mean over time. */
  readonly used: ResourceVector
  /** Used by its own work and by stressors, part of the grant, at most 1. */
  readonly utilisation01: ResourceVector
}

/** What happened from one moment to another. */
export interface GraphTelemetry {
  readonly fromSecond: number
  readonly toSecond: number
  readonly requests: readonly RequestTelemetry[]
  readonly instances: readonly InstanceTelemetry[]
}

/** The p-th percentile of what ended, ms; 0 without requests (nobody waited). */
export function latencyMs({ latenciesMs }: RequestTelemetry, p: number): number {
  return latenciesMs.length === 0 ? 0 : percentile(latenciesMs, p)
}

const SAMPLES = 10 // of the stressors' levels

/** What an instance counted over a span of time that ends now. */
export function instanceTelemetry(
  math: CoreMath,
  instance: Instance,
  service: string,
  { fromSecond, toSecond }: { readonly fromSecond: number; readonly toSecond: number },
): InstanceTelemetry {
  const { name, replica, state, open, tally, workers, grant, recent } = instance
  const us = Math.max(1, (toSecond - fromSecond) * 1e6)
  const used = instance.used.map((work) => work / (us / 1000))
  const interference = used.map((_, resource) => {
    let sum = 0
    for (let i = 0; recent.size > 0 && i < SAMPLES; i++) {
      const second = fromSecond + ((i + 0.5) / SAMPLES) * (toSecond - fromSecond)
      sum += instance.interference01(math, resource, second * 1e6, recent)
    }
    return sum / SAMPLES
  })
  const visits = instance.mix.reduce((sum, count) => sum + count, 0)
  return {
    name,
    service,
    replica,
    state,
    open,
    workers,
    arrivals: tally.arrivals,
    served: tally.served,
    refused: tally.refused,
    expired: tally.expired,
    mix: instance.mix.map((count) => count / Math.max(1, visits)),
    meanWaiting: tally.waitingUs / us,
    busy01: tally.busyUs / (us * workers),
    meanWaitMs: tally.waitUs / tally.begun / 1000,
    meanSojournMs: tally.sojournUs / tally.ended / 1000,
    grant: vectorOf(grant),
    used: vectorOf(used),
    utilisation01: vectorOf(used.map((amount, r) => Math.min(1, amount / grant[r]! + interference[r]!))),
  }
}
