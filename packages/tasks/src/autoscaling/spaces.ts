import type { Space } from '@trimtab/core'

/** A box with one range for all of its names. */
export const box = (names: readonly string[], low: number, high: number): Space => ({
  names,
  low: new Float64Array(names.length).fill(low),
  high: new Float64Array(names.length).fill(high),
  kind: 'box',
})

/** What `RelativeView` sees [12]: demand and its change, peaks over it, allocation, use, latency; scaled to about ±1 each. */
export const RELATIVE_OBSERVATION: Space = box(
  [
    'logDemandCores',
    'demandChange',
    'logPeak4OverDemand',
    'logPeak20OverDemand',
    'logCoresPerReplica',
    'logReplicas',
    'logMemoryHeadroom',
    'cpuUtilisation',
    'memoryUtilisation',
    'logSloOverP99',
    'startingShare',
    'recentViolations',
  ],
  -10,
  10,
)

/** What `RelativeView` takes [3]: cores a replica, memory over what was used lately, demand over requested cores. */
export const RELATIVE_ACTION: Space = box(['cores', 'memoryHeadroom', 'targetUtilisation'], -1, 1)

/** AWARE's printed state [9] (5.3, tables 1 and 2): limits, utilisations, SLO preservation, change of load. */
export const ABSOLUTE_OBSERVATION: Space = box(
  [
    'cpuLimit',
    'memoryLimit',
    'cpuUtilisation',
    'memoryUtilisation',
    'ioUtilisation',
    'networkUtilisation',
    'latencyPreservation',
    'throughputPreservation',
    'loadChange',
  ],
  -1,
  1,
)

/** AWARE's printed action [3]: limits and replicas as shares of their bounds. */
export const ABSOLUTE_ACTION: Space = box(['cpuLimit', 'memoryLimit', 'replicas'], -1, 1)

/** AWARE's state with limits and replicas on logarithmic scales [8]. */
export const LOGARITHMIC_OBSERVATION: Space = box(
  [
    'logCpuLimit',
    'logMemoryLimit',
    'logReplicas',
    'cpuUtilisation',
    'memoryUtilisation',
    'latencyPreservation',
    'throughputPreservation',
    'loadChange',
  ],
  -1,
  1,
)

/** Limits and replicas on logarithmic scales [3]: each application has its place of its own there. */
export const LOGARITHMIC_ACTION: Space = box(['logCpuLimit', 'logMemoryLimit', 'logReplicas'], -1, 1)

/** The state of TL+ [11]: AWARE's on logarithmic scales and three columns more. */
export const TRANSFER_OBSERVATION: Space = {
  names: [...LOGARITHMIC_OBSERVATION.names, 'forecastLoadChange', 'recordedPreservation', 'recordedReward'],
  low: Float64Array.of(...LOGARITHMIC_OBSERVATION.low, -1, 0, 0),
  high: Float64Array.of(...LOGARITHMIC_OBSERVATION.high, 1, 1, 2),
  kind: 'box',
}
