import type { Telemetry } from './telemetry.js'

/** Weight of the SLO in the reward; utilisation has the rest (the papers' α is printed both ways: see design readings). */
export const SLO_WEIGHT = 0.7

/** Managed resources: CPU and memory (|R| in the reward). */
const RESOURCES = 2

/** SLO preservation: 1 when the latency holds, its share when not; 1 without traffic (5.3). */
export function sloPreservation(sloMs: number, p99Ms: number): number {
  return p99Ms > 0 ? Math.min(1, sloMs / p99Ms) : 1
}

/**
 * `w · SP · |R| + (1 − w) · Σ utilisation`, w = 0.7: at most 2 a step, 200 an episode of 100 steps (5.3).
 * @param cpuShare  of the utilisation's weight, 1/2 in the papers
 */
export function autoscalingReward(
  preservation: number,
  cpuUtilisation01: number,
  memoryUtilisation01: number,
  sloWeight: number = SLO_WEIGHT,
  cpuShare = 0.5,
): number {
  const utilisation = 2 * (cpuShare * cpuUtilisation01 + (1 - cpuShare) * memoryUtilisation01)
  return sloWeight * preservation * RESOURCES + (1 - sloWeight) * utilisation
}

/** SLO preservation of a step as observed: NaN where there were requests and their latency was not measured. */
export function measuredPreservation({ requests, sloMs, p99Ms }: Readonly<Telemetry>): number {
  if (!(requests > 0)) return 1
  return Number.isNaN(p99Ms) ? Number.NaN : sloPreservation(sloMs, p99Ms)
}

/** The reward of a step as measured: of the telemetry that controllers see. */
export function telemetryReward(t: Readonly<Telemetry>, sloWeight: number = SLO_WEIGHT, cpuShare = 0.5): number {
  const requested = t.coresPerReplica * (t.readyReplicas + t.startingReplicas)
  return autoscalingReward(
    sloPreservation(t.sloMs, t.p99Ms),
    Math.min(1, t.usedCores / requested),
    Math.min(1, t.usedMemoryMiB / t.memoryMiBPerReplica),
    sloWeight,
    cpuShare,
  )
}
