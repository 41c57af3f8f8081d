import type { LivePeriod, PeriodFlaw } from './live-environment.js'

/** One period in numbers, as it is reported and recorded. */
export interface PeriodRecord {
  /** Not at the start of its block. */
  readonly isJudged: boolean
  /** Why it says nothing of the arm; `undefined`: it does. */
  readonly flaw?: PeriodFlaw
  readonly arrivals: number
  readonly ratePerSecond: number
  readonly p99Ms: number
  /** p99 above the SLO, or a pod was killed. */
  readonly isBreach: boolean
  readonly readyReplicas: number
  readonly startingReplicas: number
  readonly coresPerReplica: number
  readonly memoryMiBPerReplica: number
  /** Limits of all pods that were asked for, times how long: what is paid for. */
  readonly coreSeconds: number
  readonly usedCores: number
  readonly kills: number
  readonly failures: number
  readonly lagP99Ms: number
  readonly lengthMs: number
}

/** @param sloMs  what p99 is held against */
export function recordOf(
  period: LivePeriod,
  { isJudged, sloMs }: { readonly isJudged: boolean; readonly sloMs: number },
): PeriodRecord {
  const { allocation, load, usage, readyReplicas, startingReplicas, p99Ms, lagP99Ms, flaw } = period
  const { coresPerReplica, memoryMiBPerReplica, replicas } = allocation
  const { arrivals, failures, lengthMs } = load
  return {
    isJudged,
    ...(flaw && { flaw }),
    ...{ arrivals, ratePerSecond: (1000 * arrivals) / lengthMs, p99Ms, isBreach: p99Ms > sloMs || usage.kills > 0 },
    ...{ readyReplicas, startingReplicas, coresPerReplica, memoryMiBPerReplica },
    coreSeconds: (coresPerReplica * replicas * lengthMs) / 1000,
    usedCores: usage.cpuMs / lengthMs,
    ...{ kills: usage.kills, failures, lagP99Ms, lengthMs },
  }
}
