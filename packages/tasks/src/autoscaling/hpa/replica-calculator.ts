import { MetricError } from './metric-error.js'
import { countReadyPods } from './pods.js'
import { divideWhole, requireWeight } from './ratio.js'
import type { Pod, PodTally } from './types.js'

/** Kubernetes counts replicas in 32 bits. */
const MAX_REPLICAS = 2147483647

/** Relative distance from the target that is left alone, per direction. */
export interface Tolerances {
  readonly up: number
  readonly down: number
}

/** The size that one metric asks for, and what it was derived from. */
export interface ReplicaProposal {
  readonly replicas: number
  /** Of a utilization target: measured utilization of the ready pods. */
  readonly utilizationPercent?: number
  /** Of a metric of the pods: average of the ready pods. */
  readonly averageValueMilli?: number
  /** Samples that were not of now and counted as missing; absent: none. */
  readonly refusedSamples?: number
  /** Of the other targets: what was measured, in the target's own terms (whole value or average). */
  readonly usageMilli?: number
}

const isWithin = (ratio: number, { up, down }: Tolerances): boolean => 1 - down <= ratio && ratio <= 1 + up

const ceilReplicas = (replicas: number): number => Math.min(Math.ceil(replicas), MAX_REPLICAS)

/**
 * Replicas that bring a metric of the pods to its target.
 *
 * Pods without a sample and pods that are not ready are filled in against the direction of the change: at the target
 * when shrinking, idle when growing. What is left of the change must keep its direction, or nothing happens.
 *
 * @throws {MetricError} `no_metric_matches_known_pods`, `no_samples`
 */
export function replicasForPods(
  tally: PodTally,
  target: { readonly utilizationPercent: number } | { readonly averageValueMilli: number },
  currentReplicas: number,
  tolerances: Tolerances,
): ReplicaProposal {
  const { samples = tally.readyPods, weighted = samples } = tally
  if (samples === 0) throw new MetricError('no_samples', 'no sample of the pods that count (they may be unready)')
  requireWeight(tally.weight)
  if ('utilizationPercent' in target) {
    return {
      replicas: replicasForTally(tally, 100, target.utilizationPercent, currentReplicas, tolerances),
      utilizationPercent: divideWhole(100 * tally.usageMilli, tally.weight),
      averageValueMilli: divideWhole(tally.usageMilli, weighted),
    }
  }
  const usageMilli = divideWhole(tally.usageMilli, tally.weight)
  return {
    replicas: replicasForTally(tally, 1, target.averageValueMilli, currentReplicas, tolerances),
    usageMilli,
    averageValueMilli: usageMilli,
  }
}

function replicasForTally(
  tally: PodTally,
  scale: 1 | 100,
  target: number,
  currentReplicas: number,
  tolerances: Tolerances,
): number {
  const { readyPods, missingPods = 0, unreadyPods = 0 } = tally
  const ratio = divideWhole(scale * tally.usageMilli, tally.weight) / target
  const growsWithUnready = unreadyPods > 0 && ratio > 1
  if (!growsWithUnready && missingPods === 0) {
    return isWithin(ratio, tolerances) ? currentReplicas : ceilReplicas(ratio * readyPods)
  }

  let { usageMilli, weight, samples = readyPods } = tally
  if (ratio !== 1) {
    if (ratio < 1) usageMilli += tally.missingAtTargetMilli ?? 0
    weight += tally.missingWeight ?? 0
    samples += missingPods
  }
  if (growsWithUnready) {
    weight += tally.unreadyWeight ?? 0
    samples += unreadyPods
  }
  const filledRatio = divideWhole(scale * usageMilli, weight) / target
  const turnsAround = (ratio < 1 && filledRatio > 1) || (ratio > 1 && filledRatio < 1)
  if (isWithin(filledRatio, tolerances) || turnsAround) return currentReplicas
  const replicas = ceilReplicas(filledRatio * samples)
  const movesAgainst =
    (filledRatio < 1 && replicas > currentReplicas) || (filledRatio > 1 && replicas < currentReplicas)
  return movesAgainst ? currentReplicas : replicas
}

/**
 * Replicas for the whole value of an object or external metric, shared by the ready pods.
 * From zero there is nothing to share: the ratio itself, without tolerance.
 * @throws {MetricError} `no_pods`
 */
export function replicasForValue(
  usageMilli: number,
  targetMilli: number,
  pods: readonly Pod[],
  currentReplicas: number,
  tolerances: Tolerances,
): ReplicaProposal {
  const ratio = usageMilli / targetMilli
  if (currentReplicas === 0) return { replicas: ceilReplicas(ratio), usageMilli }
  if (isWithin(ratio, tolerances)) return { replicas: currentReplicas, usageMilli }
  if (pods.length === 0) throw new MetricError('no_pods', 'the selector finds no pods')
  return { replicas: ceilReplicas(ratio * countReadyPods(pods)), usageMilli }
}

/**
 * Replicas for the share per pod of an object or external metric.
 *
 * The size that is judged, and kept within tolerance, is the one asked for: a rolling surge has more pods and a quota fewer,
 * and neither says what the workload needs. The share that is reported is that of the pods that exist.
 */
export function replicasForAverage(
  usageMilli: number,
  targetAverageMilli: number,
  { specReplicas, statusReplicas }: { readonly specReplicas: number; readonly statusReplicas: number },
  tolerances: Tolerances,
): ReplicaProposal {
  // 0 / 0 is NaN, which no tolerance covers: the count is then 0, as it should be.
  const ratio = usageMilli / (targetAverageMilli * specReplicas)
  return {
    replicas: isWithin(ratio, tolerances) ? specReplicas : ceilReplicas(usageMilli / targetAverageMilli),
    usageMilli: statusReplicas === 0 ? 0 : Math.ceil(usageMilli / statusReplicas),
  }
}
