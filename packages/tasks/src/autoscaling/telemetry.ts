/** What a replica set may use: the absolute action that every controller's decision ends in. */
export interface Allocation {
  coresPerReplica: number
  memoryMiBPerReplica: number
  replicas: number
}

/** What an allocation may be, whatever a controller says (`minAllowed` and `maxAllowed` of an autoscaler object). */
export interface AllocationBounds {
  readonly cores: readonly [low: number, high: number]
  readonly memoryMiB: readonly [low: number, high: number]
  readonly replicas: readonly [low: number, high: number]
}

/** The smallest and the largest allocation: cores and MiB of a replica, replicas. */
export const DEFAULT_BOUNDS: AllocationBounds = { cores: [0.125, 4], memoryMiB: [128, 3072], replicas: [1, 20] }

/** What controllers see of the step just ended. Measured values: sampled and noisy; NaN means not measured. */
export interface Telemetry {
  /** Seconds since the start of the load. */
  timeSeconds: number
  requests: number
  ratePerSecond: number
  /** p99 of the step's requests as measured; NaN when there were none. */
  p99Ms: number
  sloMs: number
  /** CPU in use over all ready replicas, cores. */
  usedCores: number
  /** Memory in use of one replica, MiB. */
  usedMemoryMiB: number
  readyReplicas: number
  startingReplicas: number
  coresPerReplica: number
  memoryMiBPerReplica: number
  /** Replicas killed for memory in this step. */
  oomKills: number
  droppedRequests: number
}

/** Telemetry to be filled; NaN where nothing was measured yet. */
export const createTelemetry = (): Telemetry => ({
  timeSeconds: 0,
  requests: 0,
  ratePerSecond: 0,
  p99Ms: Number.NaN,
  sloMs: 0,
  usedCores: 0,
  usedMemoryMiB: 0,
  readyReplicas: 1,
  startingReplicas: 0,
  coresPerReplica: 1,
  memoryMiBPerReplica: 256,
  oomKills: 0,
  droppedRequests: 0,
})

/** Forces an allocation into its bounds and replicas to a whole number; what is not a number keeps `current`. */
export function clampAllocation(allocation: Allocation, bounds: AllocationBounds, current: Readonly<Allocation>): void {
  allocation.coresPerReplica = clamp(allocation.coresPerReplica, bounds.cores, current.coresPerReplica)
  allocation.memoryMiBPerReplica = clamp(allocation.memoryMiBPerReplica, bounds.memoryMiB, current.memoryMiBPerReplica)
  allocation.replicas = Math.round(clamp(allocation.replicas, bounds.replicas, current.replicas))
}

const clamp = (value: number, [low, high]: readonly [number, number], otherwise: number): number =>
  Number.isNaN(value) ? otherwise : Math.min(high, Math.max(low, value))

/** Whether a reading was measured and can be; a p99 without requests is one that there was nothing to measure of. */
export function isMeasured(name: keyof Telemetry, telemetry: Telemetry): boolean {
  const value = telemetry[name]
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return true
  return name === 'p99Ms' && Number.isNaN(value) && telemetry.requests === 0 // there was nothing to measure
}

/** Whether a step broke the SLO as measured: by its p99, or by a kill. A p99 of few requests is above it by chance too. */
export const isMeasuredViolation = (t: Readonly<Telemetry>): boolean => t.oomKills > 0 || t.p99Ms > t.sloMs

/** A pod's size. */
export type PodSize = Pick<Allocation, 'coresPerReplica' | 'memoryMiBPerReplica'>

/** Sizes that differ by less, relatively, are the same: a controller's sums round differently. */
const SAME_SIZE = 1e-3

/** Whether two pods are of one size; what is not a number is like nothing. */
export const isSameSize = (a: Readonly<PodSize>, b: Readonly<PodSize>): boolean =>
  Math.abs(a.coresPerReplica / b.coresPerReplica - 1) <= SAME_SIZE &&
  Math.abs(a.memoryMiBPerReplica / b.memoryMiBPerReplica - 1) <= SAME_SIZE
