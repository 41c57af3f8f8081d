import type { Space } from '@trimtab/core'
import { cpuUtilisation01, heldContainers, heldCores, memoryUtilisation01, tenantPreservation } from './outcome.js'
import type { ClusterScale, TenantView } from './tenant-view.js'

/** One number of an observation or of the global state. */
export interface Feature {
  readonly name: string
  readonly low: number
  readonly high: number
  /** Of a tenant that is there; clipped to the range by who asks. */
  of(view: Readonly<TenantView>, scale: ClusterScale): number
}

/** What an agent sees whose observation these make, in this order. */
export const featureSpace = (features: readonly Feature[]): Space => ({
  names: features.map(({ name }) => name),
  low: Float64Array.from(features, ({ low }) => low),
  high: Float64Array.from(features, ({ high }) => high),
  kind: 'box',
})

/** A number over the others: their mean, or their sum (`isSum`), for limits and actions. */
export interface GlobalFeature extends Feature {
  readonly isSum?: true
}

/** Local state of table 4.1, as printed: 7 numbers. */
export const PRINTED_FEATURES: readonly Feature[] = [
  { name: 'sloPreservation', low: 0, high: 1, of: ({ telemetry }) => tenantPreservation(telemetry) },
  { name: 'cpuUtilisation', low: 0, high: 1, of: ({ telemetry }) => cpuUtilisation01(telemetry) },
  { name: 'memoryUtilisation', low: 0, high: 1, of: ({ telemetry }) => memoryUtilisation01(telemetry) },
  {
    name: 'arrivalChange',
    low: -1,
    high: 1,
    of: ({ telemetry, arrivalsBefore }) => relativeChange(telemetry.arrivals, arrivalsBefore),
  },
  {
    name: 'cpuLimit',
    low: 0,
    high: 1,
    of: ({ telemetry }, { bounds }) => telemetry.shares / bounds.shares[1],
  },
  {
    name: 'memoryLimit',
    low: 0,
    high: 1,
    of: ({ telemetry }, { largestContainerMiB }) => telemetry.memoryMiBPerContainer / largestContainerMiB,
  },
  {
    name: 'containers',
    low: 0,
    high: 1,
    of: ({ telemetry }, { bounds }) => telemetry.containers / bounds.containers[1],
  },
]

const LOG_UNIT = 1 / 3 // brings logarithms of 0 … 20 containers or steps to 0 … 1

/** log(1 + what `value` says), in a unit that brings it to about 0 … 1. */
const logFeature = (name: string, unit: number, value: (view: Readonly<TenantView>) => number): Feature => ({
  ...{ name, low: 0, high: 3 },
  of: (view, { math }) => unit * math.log(1 + value(view)),
})

/** The printed ones and what a policy needs to size by: demand and containers on log scales, how far the SLO is, and the function. */
export const SIZING_FEATURES: readonly Feature[] = [
  ...PRINTED_FEATURES,
  logFeature('logDemand', LOG_UNIT, ({ telemetry }) => telemetry.demandContainers),
  logFeature('logContainers', LOG_UNIT, ({ telemetry }) => heldContainers(telemetry)),
  logFeature('logLargestDemand', LOG_UNIT, ({ largestDemand }) => largestDemand),
  {
    name: 'logSloOverP99',
    low: -5,
    high: 5,
    of: ({ telemetry }, { math }) => (telemetry.p99Ms > 0 ? math.log(telemetry.sloMs / telemetry.p99Ms) : 0),
  },
  { name: 'occupancy', low: 0, high: 1, of: ({ telemetry }) => telemetry.occupancy01 || 0 }, // NaN without a container
  { name: 'ioShare', low: 0, high: 1, of: ({ telemetry }) => telemetry.ioShare01 },
]

const LOG_IDLE_UNIT = 1 / 5 // brings logarithms of 0 … 4 h in minutes to about 0 … 1

/** And, for functions that are called rarely, how long ago the last call was and when the next one is likely. */
export const IDLE_FEATURES: readonly Feature[] = [
  ...SIZING_FEATURES,
  logFeature('logIdle', LOG_IDLE_UNIT, ({ idleSeconds }) => idleSeconds / 60),
  logFeature('logMeanIdle', LOG_IDLE_UNIT, ({ meanIdleSeconds }) => meanIdleSeconds / 60),
  {
    name: 'idleOverMean',
    low: 0,
    high: 3,
    of: ({ idleSeconds, meanIdleSeconds }) => (meanIdleSeconds > 0 ? idleSeconds / meanIdleSeconds : 0),
  },
  {
    name: 'idleVariation',
    low: 0,
    high: 2,
    of: ({ idleDeviationSeconds, meanIdleSeconds }) =>
      meanIdleSeconds > 0 ? idleDeviationSeconds / meanIdleSeconds : 2,
  },
  {
    name: 'stepsToNext',
    low: -3,
    high: 3,
    of: ({ idleSeconds, meanIdleSeconds, telemetry }) => (meanIdleSeconds - idleSeconds) / telemetry.stepSeconds,
  },
]

const LOG_QUEUED_UNIT = 1 / 5 // brings logarithms of 0 … 150 requests to 0 … 1

/** And what the tenant's rule would do, for policies that correct it, with what tells when that may be wrong. */
export const ADVISED_FEATURES: readonly Feature[] = [
  ...IDLE_FEATURES,
  logFeature('logAdvisedContainers', LOG_UNIT, ({ advice }) => advice.containers),
  {
    name: 'logAdvisedShares',
    low: 0,
    high: 2,
    of: ({ advice }, { math, bounds }) => LOG_UNIT * math.log(Math.max(1, advice.shares / bounds.shares[0])),
  },
  logFeature(
    'logAdvisedKeepAlive',
    LOG_UNIT,
    ({ advice, telemetry }) => advice.keepAliveSeconds / telemetry.stepSeconds,
  ),
  logFeature('logMeanDemand', LOG_UNIT, ({ meanDemand }) => meanDemand),
  {
    name: 'timerDue',
    low: 0,
    high: 1,
    of: ({ idleSeconds, meanIdleSeconds, idleDeviationSeconds, telemetry }) => {
      if (meanIdleSeconds === 0) return 0
      const missing = Math.abs(meanIdleSeconds - idleSeconds) / telemetry.stepSeconds
      return Math.max(0, 1 - missing) * Math.max(0, 1 - idleDeviationSeconds / meanIdleSeconds)
    },
  },
  {
    name: 'coldStartSteps',
    low: 0,
    high: 3,
    of: ({ telemetry }) => (LOG_UNIT * telemetry.coldStartSeconds) / telemetry.stepSeconds,
  },
  logFeature('logQueued', LOG_QUEUED_UNIT, ({ telemetry }) => telemetry.queued),
]

const PRESERVATION: GlobalFeature = PRINTED_FEATURES[0]!
const UTILISATION: GlobalFeature = {
  name: 'utilisation',
  low: 0,
  high: 1,
  of: ({ telemetry }) => (cpuUtilisation01(telemetry) + memoryUtilisation01(telemetry)) / 2,
}
const CPU_LIMITS: GlobalFeature = {
  name: 'cpuLimits',
  low: 0,
  high: 10,
  isSum: true,
  of: ({ telemetry }, { cores }) => heldCores(telemetry) / cores,
}
const MEMORY_LIMITS: GlobalFeature = {
  name: 'memoryLimits',
  low: 0,
  high: 1,
  isSum: true,
  of: ({ telemetry }, { memoryMiB }) => (heldContainers(telemetry) * telemetry.memoryMiBPerContainer) / memoryMiB,
}
const VERTICAL: GlobalFeature = {
  name: 'verticalActions',
  low: -16,
  high: 16,
  of: ({ sharesChange }) => sharesChange / SHARES_STEP,
}
const HORIZONTAL: GlobalFeature = {
  name: 'horizontalActions',
  low: -20,
  high: 20,
  of: ({ containersChange }) => containersChange,
}

/** Auxiliary global state of table 4.1; limits as parts of the cluster, actions a head in printed steps, so that nothing grows with N. */
export const PAPER_GLOBALS: readonly GlobalFeature[] = [
  ...[CPU_LIMITS, MEMORY_LIMITS, VERTICAL, HORIZONTAL],
  ...[PRESERVATION, UTILISATION],
]

/** Four of them, with which the critic has the printed 4,993 parameters. */
export const COMPACT_GLOBALS: readonly GlobalFeature[] = [
  PRESERVATION,
  UTILISATION,
  { ...CPU_LIMITS, name: 'limits' },
  { ...HORIZONTAL, name: 'actions', of: (view, scale) => VERTICAL.of(view, scale) + HORIZONTAL.of(view, scale) },
]

/** A printed vertical action moves so many shares. */
export const SHARES_STEP = 128

/** (a − b) / max(a, b); 0 for 0 / 0. */
const relativeChange = (now: number, before: number): number =>
  now === before ? 0 : (now - before) / Math.max(now, before)
